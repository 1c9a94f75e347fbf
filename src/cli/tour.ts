import { mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Misused } from './failure.ts'
import { print, printJson } from './print.ts'
import type { SubCommand } from './sub-command.ts'
import { followUps } from './tour/follow-up.ts'
import { runMember } from './tour/member.ts'
import { perform } from './tour/perform.ts'
import { theStory } from './tour/story.ts'

interface Options {
  dir?: string
  /** How the tour starts its own members. */
  member?: string
  lease: string
  pace?: string
  seed: string
}

/** Milliseconds a member thinks: so that a person can follow, or hardly at all. */
const PACE = { terminal: 350, pipe: 40 }

export const tour: SubCommand<Options> = {
  example: `$ deskmates tour                  in a new folder, which it names at the end
$ deskmates tour --dir /tmp/tour --json`,
  define(command) {
    command.option('--dir <dir>', 'a folder that is empty or not there yet; else a new temporary one')
    const hidden: [string, string][] = [
      ['--member <name>', ''],
      ['--lease <seconds>', '2'],
      ['--pace <milliseconds>', ''],
      ['--seed <number>', '1'],
    ]
    for (const [flags, value] of hidden)
      command.addOption(
        command
          .createOption(flags)
          .default(value || undefined)
          .hideHelp(),
      )
  },
  async run(call, options) {
    const seed = Number(options.seed)
    const pace = Number(options.pace ?? (call.isTerminal ? PACE.terminal : PACE.pipe))
    if (options.member !== undefined)
      return runMember(call, { name: options.member, lease: Number(options.lease), pace, seed })

    const began = performance.now()
    const cwd = resolve(call.cwd, call.globals.cwd ?? '.')
    const dir = emptyFolder(cwd, options.dir)
    const cli = process.argv[1] ?? ''
    const summary = await perform(call, { story: theStory, dir, cli, seed, pace })
    const seconds = Math.round((performance.now() - began) / 100) / 10
    if (call.globals.json) return printJson(call, { ok: true, seconds, ...summary })
    await print(call, closing(dir, seconds, followUps({ cli, cwd: call.cwd, env: call.env, dir, team: summary.team })))
  },
}

function closing(dir: string, seconds: number, commands: readonly string[]): string {
  const lines = [
    `All of it really happened, in ${seconds} s and in this folder:`,
    `  ${dir}`,
    '',
    'Look around; the team is still there:',
    ...commands.map((command) => `  ${command}`),
  ]
  return `\n${lines.join('\n')}\n`
}

/** The tour writes files with everyday names, so it never does so among somebody's own. */
function emptyFolder(cwd: string, wanted: string | undefined): string {
  if (wanted === undefined) return realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-tour-')))
  const dir = resolve(cwd, wanted)
  mkdirSync(dir, { recursive: true })
  if (readdirSync(dir).length > 0) throw new Misused(`${dir} is not empty. The tour needs a folder of its own.`)
  return realpathSync(dir)
}
