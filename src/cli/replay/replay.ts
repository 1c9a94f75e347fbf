import { faultText } from '../../journal/log/store-errors.ts'
import { createRedactor } from '../../redaction/redactor.ts'
import { openReplay, type Replay } from '../../session/replay/open-replay.ts'
import { newestSession } from '../../session/session-id.ts'
import { warn } from '../output/print.ts'
import { name } from '../program/arguments.ts'
import { Misused, Refused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { resolveTeam } from '../workspace/open-team.ts'
import { lineText } from './line-text.ts'
import { type Place, place, stepAt } from './place.ts'
import { printSteps, type Steps, tellSteps } from './print-steps.ts'

interface ReplayOptions {
  readonly speed: number
  readonly from?: Place
  readonly to?: Place
  readonly at?: Place
  readonly screenReader?: true
}

/** `deskmates replay [TEAM]`: plays a session from its journal and transcripts. It writes nothing. */
export const replay: SubCommand<ReplayOptions, [team: string | undefined]> = {
  example: `$ deskmates replay --speed 10             the newest session of this folder, ten times as fast
$ deskmates replay web --at 10:41:07      as it was then: ↑↓ and Enter show what each agent knew
$ deskmates replay web --json | jq -r 'select(.type == "assistant") | .agent'`,
  define(command) {
    command
      .argument('[team]', 'the session, or a team that it leads; without it the newest of this folder', name)
      .option('--speed <n>', 'how many times as fast as it was; max: without waiting', speed, 1)
      .option('--from <place>', 'begin there: a step, a time, +10m since the start, or the id of a record', place)
      .option('--to <place>', 'end there', place)
      .option('--at <place>', 'stand still there: what every member knew at that moment', place)
      .option('--screen-reader', 'plain lines, nothing is drawn again')
  },
  async run(call, options, named) {
    if (options.at && (options.from || options.to)) throw new Misused('--at is one moment; leave out --from and --to.')
    await using workspace = await openStore(call)
    const wanted = named ?? call.globals.team ?? (call.env.DESKMATES_TEAM || (await newestSession(workspace)))
    if (wanted === undefined)
      throw new Refused({ code: 'no_session', message: 'There is no session in this folder. Start one: deskmates' })
    const team = await resolveTeam(call, workspace, 'read', wanted)
    const { signal } = call
    const played = await openReplay(workspace.store, team, { redactor: createRedactor(call.env), signal })
    if (played.count === 0) throw new Refused({ code: 'nothing_to_play', message: nothingIn(played) })
    const warning = faultsIn(played)
    const steps = await stepsOf(played, options)
    const isPlain = options.screenReader === true || call.env.TERM === 'dumb' || call.isStdinTerminal !== true
    const isForProgram = !call.isTerminal || call.globals.json
    if (isForProgram || isPlain) {
      if (warning !== undefined) await warn(call, warning)
      return isForProgram ? printSteps(call, played, steps) : tellSteps(call, played, steps, options.speed)
    }
    const { runReplay } = await import('../../terminal/replay/run-replay.ts')
    await runReplay({
      ...{ lines: played, title: played.session, clock: call.clock, signal, describe: lineText, warning },
      ...{ ...steps, speed: options.speed, isPaused: steps.isOneMoment, hasColours: !call.env.NO_COLOR },
    })
  },
}

async function stepsOf(played: Replay, { from, to, at }: ReplayOptions): Promise<Steps> {
  if (at) {
    const step = await stepAt(played, at, 'last')
    return { from: step, to: played.count, isOneMoment: true }
  }
  const first = from ? await stepAt(played, from, 'first') : 0
  const last = to ? await stepAt(played, to, 'last') : played.count
  if (last < first) throw new Misused('--to is before --from: there is nothing in between.')
  return { from: first, to: last, isOneMoment: false }
}

function nothingIn({ session, faults }: Replay): string {
  return faults.length === 0
    ? `Nothing has happened in ${session} yet.`
    : `Nothing of ${session} can be read. See: deskmates check --team ${session}`
}

/** What is missing in the replay, as a sentence; undefined where nothing is. */
function faultsIn({ session, faults }: Replay): string | undefined {
  const [fault, ...more] = faults
  if (!fault) return undefined
  const others = more.length > 0 ? ` (and ${more.length} more)` : ''
  return `What can be read is played: ${fault.path}:${fault.line} is ${fault.kind}: ${faultText(fault)}${others}. See: deskmates check --team ${session}`
}

function speed(text: string): number {
  if (text === 'max') return Number.POSITIVE_INFINITY
  const value = /^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : 0
  if (!(value > 0)) throw new Misused(`${JSON.stringify(text.slice(0, 80))} is not a speed. Write 1, 10, 0.5 or max.`)
  return value
}
