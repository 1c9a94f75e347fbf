import { accessSync, constants, mkdtempSync, readdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { usualModel } from '../../models/providers/providers.ts'
import { resolveModel } from '../../models/resolve-model.ts'
import { realDisk } from '../../stores/files/disk.ts'
import { makeFolder } from '../../stores/files/folders.ts'
import { TeamError } from '../../team/errors.ts'
import type { EventText } from '../output/event-text.ts'
import { colours, oneLine, plain } from '../output/format.ts'
import { print, printAsIs, printJson } from '../output/print.ts'
import { wrapped } from '../output/wrap.ts'
import type { Call } from '../program/context.ts'
import { EXIT, Misused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { demoModel } from './demo-model.ts'
import { followUps, ownCommand } from './follow-up.ts'
import { ASSIGNMENT, perform, type Summary } from './perform.ts'

interface Options {
  dir?: string
  speed: string
}

/** This teammate is killed in the middle of its work, to show that it comes back. */
const VICTIM = 'frontend'
/** A run on a real model may cost at most this many US dollars. */
const BUDGET_USD = 5

export const demo: SubCommand<Options> = {
  example: `$ deskmates demo                  in a new folder, which it names at the end
$ deskmates demo --dir /tmp/demo --speed 10 --json`,
  define(command) {
    command.option('--dir <dir>', 'a folder that is empty or not there yet; else a new temporary one')
    command.option('--speed <times>', 'so many times faster', '1')
  },
  async run(call, options) {
    const speed = Number(options.speed)
    if (!(speed > 0)) throw new Misused(`--speed ${options.speed} is not a number above 0. Try --speed 10.`)
    const real = await modelToUse(call)
    const dir = emptyFolder(resolve(call.cwd, call.globals.cwd ?? '.'), options.dir)
    const model = real === undefined ? demoModel(speed) : await resolveModel(real, call.env)
    const began = performance.now()
    await say(call, fitted(call, opening(dir, model.name), 2))
    const summary = await perform(call, {
      ...{ dir, model, assignment: ASSIGNMENT, victim: VICTIM },
      sandbox: real === undefined ? 'off' : 'auto',
      dollars: model.price && real !== undefined ? BUDGET_USD : undefined,
      tell: (text) => say(call, line(call, text)),
    })
    const seconds = Math.round((performance.now() - began) / 100) / 10
    const ok = isWell(summary)
    if (call.globals.json) await printJson(call, { ok, seconds, ...summary })
    await say(call, closing(call, summary, seconds))
    return ok ? EXIT.done : EXIT.failed
  },
}

/** With a key and a person at the keyboard it can run on a real model. Otherwise no question is asked. */
async function modelToUse(call: Call): Promise<string | undefined> {
  if (!call.isTerminal || !call.isStdinTerminal || call.globals.json) return undefined
  const name = modelByKey(call)
  if (name === undefined) return undefined
  const cost = `it costs money, at most $${BUDGET_USD} where its price is known`
  await print(call, `There is a key for ${name}. Run the demo on it (${cost})? Else it is free and scripted. [y/N] `)
  for await (const piece of call.stdin) return /^\s*y/i.test(String(piece)) ? name : undefined
  return undefined
}

function modelByKey({ env }: Call): string | undefined {
  try {
    return usualModel(env)
  } catch {
    return undefined
  }
}

function isWell({ tasks, tests }: Summary): boolean {
  return tasks.total > 0 && tasks.completed === tasks.total && tests.failed === 0 && tests.after >= tests.before
}

function opening(dir: string, model: string): string {
  const lines = [
    'A lead and three teammates move a small shop from REST to GraphQL.',
    `The model is ${model}; files, mail, board and tests are real, in ${dir}`,
    ...(model === 'scripted:demo' ? ['The only command it runs is node --test, without a sandbox.'] : []),
  ]
  return `${lines.join('\n')}\n\n`
}

const NAME = 8
/** Fits a terminal of 120 columns. */
const WHAT = 108

function line(call: Call, { who, what, mood }: EventText): string {
  const { cyan, green, red } = colours(call)
  const colour = mood === 'good' ? green : mood === 'bad' ? red : (text: string) => text
  return `${fitted(call, `${cyan(who.padEnd(NAME))}  ${colour(oneLine(what, WHAT))}`, NAME + 2)}\n`
}

function closing(call: Call, { dir, team, report }: Summary, seconds: number): string {
  const { bold } = colours(call)
  const cli = process.argv[1] ?? ''
  const lines = [
    bold('The lead reports'),
    fitted(call, `  ${plain(report)}`, 2),
    '',
    `That took ${seconds} s. The app, and the team that changed it, are in`,
    `  ${dir}`,
    '',
    'Look around; everything is still there:',
    ...followUps({ cli, cwd: call.cwd, env: call.env, dir, team }).map((command) => commandLine(call, `  ${command}`)),
    '',
    fitted(call, 'Next, in a project of your own, with a key such as ANTHROPIC_API_KEY set:', 2),
    commandLine(call, `  ${ownCommand(cli)}`),
  ]
  return `\n${lines.join('\n')}\n`
}

function fitted({ isTerminal, stdout }: Call, text: string, margin: number, end = ''): string {
  const columns = isTerminal && stdout.columns ? stdout.columns - end.length : undefined
  return wrapped(text, columns, margin).replaceAll('\n', `${end}\n`)
}

/** A command that needs several lines is still one that can be copied. */
function commandLine(call: Call, command: string): string {
  return command.includes("'") ? command : fitted(call, command, 6, ' \\')
}

function say(call: Call, text: string): Promise<void> {
  return call.globals.json ? Promise.resolve() : printAsIs(call, text)
}

/** The demo writes files with everyday names, so it never writes among files of the user. */
function emptyFolder(cwd: string, wanted: string | undefined): string {
  if (wanted === undefined) return realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-demo-')))
  const dir = resolve(cwd, wanted)
  try {
    // Not mkdir's `recursive`: where the system makes no folders, as in /proc, Node tries again without end.
    makeFolder(realDisk, dir)
    accessSync(dir, constants.W_OK)
  } catch (error) {
    throw new NoFolder(dir, error)
  }
  if (readdirSync(dir).length > 0) throw new Misused(`${dir} is not empty. The demo needs a folder of its own.`)
  return realpathSync(dir)
}

class NoFolder extends TeamError {
  readonly code = 'no_folder'
  constructor(dir: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`The demo cannot write to ${dir}: ${why}. Name a folder you may write to, such as --dir /tmp/demo.`, {
      cause,
    })
  }
}
