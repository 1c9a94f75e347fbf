import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { realDisk } from '../../stores/files/disk.ts'
import { findRoot } from '../../stores/files/workspace-root.ts'
import { openPostgresStore } from '../../workspace.ts'
import { printJsonArray } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { EXIT, Misused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { wantedStore } from '../workspace/open-store.ts'
import { appendAndSync } from './append.ts'
import type { Examination } from './examination.ts'
import { type Examined, examineMachine } from './examine-machine.ts'
import { fileSystem } from './file-system.ts'
import { watching } from './file-watch.ts'
import { git } from './git.ts'
import { inboxFile } from './inbox-file.ts'
import { kill, playHolder } from './kill.ts'
import { mcpServers } from './mcp-servers.ts'
import { keys, model, call as modelCall, network } from './models.ts'
import { postgres } from './postgres.ts'
import { playClaimant, race } from './race.ts'
import { openReport, openSilence, type Report } from './report.ts'
import { sandbox } from './sandbox.ts'
import { terminal } from './terminal.ts'
import { openTestEnvironment } from './test-environment.ts'
import { vendorAgents } from './vendor-agents.ts'

interface Options {
  /** How doctor starts its own processes. */
  play?: string
  name: string
  /** Also asks the model, which costs a little. */
  call?: true
}

export const doctor: SubCommand<Options> = {
  example: `$ deskmates doctor                              tries out this machine and this folder's disk
$ deskmates doctor --store postgres://db/teams  and this database
$ deskmates doctor --call                       and asks the model one word, which costs a little
$ deskmates doctor --json`,
  define(command) {
    command.option('--call', 'also make one real model call, which costs a little')
    for (const flags of ['--play <part>', '--name <member>'])
      command.addOption(command.createOption(flags).default('').hideHelp())
  },
  async run(call, { play, name, call: isAsked }) {
    if (!play) return examineAndReport(call, isAsked ? [...examinations, modelCall] : examinations)
    if (play === 'claimant') await playClaimant(call, name)
    else if (play === 'holder') await playHolder(call)
    else throw new Misused(`${JSON.stringify(play)} is not a role of a doctor process.`)
    return EXIT.done
  },
}

/** In the order in which they are tried. */
export const examinations: readonly Examination[] = [
  fileSystem,
  appendAndSync,
  watching,
  race,
  kill,
  inboxFile,
  postgres(openPostgresStore),
  git,
  terminal,
  sandbox,
  vendorAgents,
  keys,
  model,
  network,
  mcpServers,
]

async function examineAndReport(call: Call, wanted: readonly Examination[]): Promise<number> {
  const began = performance.now()
  // First: an invalid store is a mistake on the command line.
  wantedStore(call)
  await using report = call.globals.json ? openSilence() : openReport(call)
  const all = await examineAll(call, report, wanted)
  await report.closing(all, performance.now() - began)
  if (call.globals.json) await printJsonArray(call, all)
  return all.some(({ verdict }) => verdict === 'fail') ? EXIT.failed : EXIT.done
}

/** Removes everything it made, however it ends. */
async function examineAll(call: Call, report: Report, wanted: readonly Examination[]): Promise<Examined[]> {
  const { root } = findRoot(resolve(call.cwd, call.globals.cwd ?? '.'), call.env, call.env.HOME || homedir())
  await using environment = openTestEnvironment(call, {
    root,
    cli: process.argv[1] ?? '',
    disk: realDisk,
    patience: IMMEDIATE_MS,
  })
  return await examineMachine(environment, wanted, report)
}

/** Something immediate has to happen within this time. */
const IMMEDIATE_MS = 10_000
