import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { openTeam } from '../../runtime/team.ts'
import type { Call } from '../context.ts'
import { openStore } from '../open-store.ts'
import { actBoard } from './act-board.ts'
import { actDoor } from './act-door.ts'
import { actEnd } from './act-end.ts'
import { actHeir, actKill } from './act-kill.ts'
import { actRace } from './act-race.ts'
import { actWork } from './act-work.ts'
import { createCast } from './cast.ts'
import { openChronicle } from './chronicle.ts'
import { TourFailed, TourInterrupted } from './failed.ts'
import { openLetters } from './letters.ts'
import type { Stage } from './stage.ts'
import type { Story } from './story.ts'
import { openVoice } from './voice.ts'

export interface Performance {
  readonly story: Story
  /** An existing folder, empty. */
  readonly dir: string
  /** The file that is our command line, for the processes of the tour. */
  readonly cli: string
  readonly seed: number
  /** Milliseconds that a member thinks about a task. */
  readonly pace: number
}

export type Summary = Awaited<ReturnType<typeof play>>

/** Runs the story in `dir` and resolves to what happened. Rejects if something did not happen as it was told. */
export async function perform(call: Call, performance: Performance): Promise<Summary> {
  const { story, dir, cli, seed, pace } = performance
  const env = ownEnvironment(call.env)
  const options = ['--cwd', dir, '--team', story.team]
  const voice = openVoice(call)
  const trouble = new AbortController()
  const stop = () => trouble.abort(new TourInterrupted(dir))
  if (call.signal.aborted) stop()
  call.signal.addEventListener('abort', stop)

  // `.teams` is made in this very folder, also where a folder above would be chosen.
  const here = { ...call, cwd: dir, env: { ...env, DESKMATES_DIR: dir }, globals: { json: call.globals.json } }
  await using place = await openStore(here)
  const { store } = place
  const team = await openTeam(store, story.team, { clock: call.clock })
  const chronicle = openChronicle({
    log: await store.log(`${story.team}/journal`),
    signal: trouble.signal,
    tooLong: (what) => new TourFailed(`${what} (waited a minute)`, dir),
    async tell(happened, state) {
      await voice.happened(happened, state)
      const failed = happened.events.find((event) => event.type === 'task.failed')
      if (failed?.type === 'task.failed') trouble.abort(new TourFailed(`#${failed.id} failed: ${failed.reason}`, dir))
    },
  })
  const cast = createCast({
    argv: (name) => [
      ...[cli, 'tour', ...options, '--member', name],
      ...['--lease', story.lease, '--pace', pace, '--seed', seed].map(String),
    ],
    env,
    failed: (name, why) => trouble.abort(new TourFailed(`${name} goes on (${why})`, dir)),
  })
  const stage: Stage = {
    ...{ story, dir, team, chronicle, cast, voice },
    letters: openLetters(team, 'lead', store.presence.self),
    run: (command) => team.run(command, { by: { name: 'lead' } }),
    async deskmates(...words) {
      const { stdout } = await run(process.execPath, [cli, ...options, '--json', ...words], { env })
      return JSON.parse(stdout)
    },
    shell: async (script) => void (await run('sh', ['-c', script], { cwd: dir, env })),
    async prove(what, isSo) {
      if (!isSo) throw new TourFailed(what, dir)
      await voice.proof(what)
    },
  }
  try {
    return await play(stage)
  } catch (error) {
    // On a terminal Ctrl-C reaches all processes at once, and whatever they say then is its doing.
    throw call.signal.aborted ? new TourInterrupted(dir) : error
  } finally {
    call.signal.removeEventListener('abort', stop)
    await cast.end()
    await chronicle.close()
    await team.close()
  }
}

async function play(stage: Stage) {
  const { cycle } = await actBoard(stage)
  const race = await actRace(stage)
  const { asked, overlap } = await actWork(stage)
  const killed = await actKill(stage)
  const door = await actDoor(stage)
  const heir = await actHeir(stage, killed.member)
  const end = await actEnd(stage)
  return {
    team: stage.story.team,
    dir: stage.dir,
    cycle,
    race,
    asked,
    overlap,
    kill: { ...killed, ...heir },
    door,
    ...end,
  }
}

const run = promisify(execFile)

/** Nothing that would lead our processes to another team, store or folder. */
function ownEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DESKMATES_DIR: _1, DESKMATES_STORE: _2, DESKMATES_TEAM: _3, DESKMATES_AGENT: _4, ...rest } = env
  return rest
}
