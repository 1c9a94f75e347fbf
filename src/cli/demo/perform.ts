import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { Stop } from '../../agent/agent-event.ts'
import { openTeam } from '../../journal/team-handle.ts'
import type { Model } from '../../models/model.ts'
import { openSession } from '../../session/open-session.ts'
import { TeamError } from '../../team/errors.ts'
import { roster } from '../../team/state.ts'
import { openWorkspace } from '../../workspace.ts'
import { createTeamText, type EventText } from '../output/event-text.ts'
import { warn } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import assignmentText from './assignment.md'
import { TEST } from './conversation.ts'
import { killing } from './demo-model.ts'
import { SAMPLE_APP } from './sample-app.ts'
import { createStatistics, type Statistics } from './statistics.ts'
import { toolText } from './tool-text.ts'

export const ASSIGNMENT = assignmentText

export interface Performance {
  /** An existing folder, empty. */
  readonly dir: string
  readonly model: Model
  /** What the lead is asked for. */
  readonly assignment: string
  /** Who is killed in the middle of its work. */
  readonly victim: string
  /** Commands are kept in where the model is not ours; a script runs nothing but the tests. */
  readonly sandbox: 'auto' | 'off'
  readonly dollars?: number | undefined
  tell(line: EventText): Promise<void>
}

export interface Summary extends Statistics {
  readonly team: string
  readonly dir: string
  readonly report: string
}

/** Lets the team work in `dir` and resolves to what happened. Rejects if it did not come to its end. */
export async function perform(call: Call, demo: Performance): Promise<Summary> {
  const { dir, tell } = demo
  writeSampleApp(dir)
  const env = ownEnvironment(call.env, dir)
  await using opened = await openWorkspace({ cwd: dir, env, warn: (text) => void warn(call, text) })
  // Agents work in this very folder, also where one above it would be taken for the project.
  const workspace = { ...opened, workspace: dir }
  const statistics = createStatistics()
  const teamText = createTeamText((team) => team === statistics.team)
  let stop: Stop
  {
    await using session = await openSession({
      workspace,
      team: 'demo',
      model: killing(demo.model, demo.victim),
      permissions: { mode: 'acceptEdits', allow: [`bash(${TEST})`, 'bash(node --test test/*.test.js)'] },
      // The opening text says that the scripted demo runs without a sandbox.
      sandbox: { mode: demo.sandbox, isAnnounced: demo.sandbox === 'off' },
      limits: { dollars: demo.dollars },
      env,
      clock: call.clock,
      warn: (text) => void warn(call, text),
    })
    const run = session.run(demo.assignment, call.signal)
    let step = await run.next()
    for (; !step.done; step = await run.next()) {
      statistics.add(step.value)
      const line = toolText(step.value) ?? teamText(step.value)
      if (line) await tell(line)
    }
    stop = step.value
  }
  if (call.signal.aborted) throw new DemoInterrupted(dir)
  if (stop.kind === 'error') throw new DemoFailed(stop.error.message, dir, stop.error)
  const name = statistics.team
  if (stop.kind !== 'finished') throw new DemoFailed(`the lead was stopped (${stop.kind})`, dir)
  if (name === undefined) throw new DemoFailed('the lead made no team', dir)
  const team = await openTeam(workspace.store, name, { clock: call.clock })
  try {
    await team.refresh()
    return { team: name, dir, ...statistics.count(team.state, roster(team.state)), report: stop.text }
  } finally {
    await team.close()
  }
}

function writeSampleApp(dir: string): void {
  for (const [path, text] of Object.entries(SAMPLE_APP)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
}

/** Nothing that leads to another team, store or folder; and the tests run on the Node this runs on. */
function ownEnvironment(env: NodeJS.ProcessEnv, dir: string): NodeJS.ProcessEnv {
  const { DESKMATES_STORE: _1, DESKMATES_TEAM: _2, DESKMATES_AGENT: _3, NODE_TEST_CONTEXT: _4, ...rest } = env
  const PATH = [dirname(process.execPath), env.PATH].filter(Boolean).join(delimiter)
  return { ...rest, DESKMATES_DIR: dir, PATH }
}

/** The team did not come to its end. */
class DemoFailed extends TeamError {
  readonly code = 'demo_failed'
  constructor(what: string, dir: string, cause?: unknown) {
    super(`The demo did not come to its end: ${what}. Everything it left is in ${dir}`, { cause })
  }
}

class DemoInterrupted extends TeamError {
  readonly code = 'interrupted'
  constructor(dir: string) {
    super(`Stopped. All agents have ended; their files are in ${dir}`)
  }
}
