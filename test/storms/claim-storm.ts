import { expect } from 'vitest'
import { openTeam } from '../../src/journal/team-handle.ts'
import { type Board, makeBoard } from './board.ts'
import { checkClaims } from './claim-check.ts'
import { createFleet, type Fleet, type Standing } from './fleet.ts'
import { isLeased, openStore } from './open-store.ts'
import { type Place, TEAM } from './place.ts'
import { createRandom, type Random } from './random.ts'
import { readSideFiles } from './side-file.ts'

const SCRIPTS = 4
const AGENTS = 4
/** In seconds: shorter than many a pause, so that holders lose their tasks while they live. */
const LEASE = 0.3

export interface ClaimFigures {
  readonly tasks: number
  /** Milliseconds between two disturbances, and how many there are at most. */
  readonly pause: number
  readonly disturbances: number
}

/** Scripts with leases, agents and their supervisor work a board empty, while one after the other is killed or stopped. */
export async function claimStorm(place: Place, { tasks, pause, disturbances }: ClaimFigures): Promise<void> {
  const random = createRandom()
  const board = await foundBoard(place, tasks, random)
  const fleet = createFleet(random)
  const isChained = (i: number) => (i % 2 === 0 ? 'chained' : '')
  for (let i = 1; i <= SCRIPTS; i++) {
    // Every second successor comes under a new name, so that its predecessor's lease has to end.
    const name = (turn: number) => `script${i}x${turn - (turn % 2)}`
    const args = (turn: number) => [place.store, place.beliefs, name(turn), LEASE, isChained(i)]
    fleet.keepRunning({ name: `script${i}`, program: 'claimer', args })
  }
  const agents = Array.from({ length: AGENTS }, (_, i) => `agent${i + 1}`)
  const { pids } = manAgents(fleet, agents, place, (name) => isChained(agents.indexOf(name)))
  const kills = await fleet.disturb(pause, fleet.done(['supervisor']), disturbances)
  await fleet.end()

  const { records, malformed } = await place.readJournal()
  const found = checkClaims(records, board)
  const beliefs = readSideFiles(place.beliefs, 'claims-')
  const recorded = { claimed: found.claimedBy, completed: found.completedBy }
  const untrue = beliefs.filter(([word, ...rest]) => !recorded[word as keyof typeof recorded].has(rest.join(' ')))
  const ended = Object.entries(found.ended).map(([why, times]) => `${times} ${why}`)
  console.log(
    `claims: tasks ${tasks}, claims ${found.claims}, completed ${found.completed.size}, ended otherwise ` +
      `${ended.join(' and ') || 0}, members lost ${found.lost.length}, beliefs ${beliefs.length}, untrue ` +
      `${untrue.length}, double claims and overlaps ${found.wrong.length}, kills ${kills}, seed ${random.seed}`,
  )
  expect(fleet.crashes).toEqual([])
  expect(malformed).toEqual([])
  expect(found.wrong).toEqual([])
  expect(untrue).toEqual([])
  expect(found.completed.size).toBe(tasks)
  // A process that was stopped for a while is not lost, only one that was killed or has ended. A lease cannot tell them apart.
  if (!isLeased(place.store)) expect(found.lost.filter((runtime) => !fleet.ended.has(pids.get(runtime)!))).toEqual([])
  // With that many kills it would be odd if none had met an agent; with few, or before a lease is over, it may be so.
  if (kills >= (isLeased(place.store) ? 60 : 20)) expect(found.lost.length).toBeGreaterThan(0)
  expect(kills).toBeGreaterThan(0)
}

/** A supervisor and agents: each new process says who it is, and begins when the supervisor has given it a generation. */
function manAgents(fleet: Fleet, names: readonly string[], place: Place, chained: (name: string) => string) {
  const waiting = new Map<string, Standing>()
  const pids = new Map<string, number>()
  let supervisor: Standing | undefined
  const announce = (runtime: string, { post }: Standing) => supervisor?.tell({ name: post, runtime })

  fleet.keepRunning({
    name: 'supervisor',
    program: 'supervisor',
    args: () => [place.store],
    onMessage(message, standing) {
      const { spawned, ...result } = message as { spawned?: string }
      if (spawned !== undefined) {
        waiting.get(spawned)?.tell(result)
        waiting.delete(spawned)
        return
      }
      supervisor = standing
      for (const [runtime, worker] of waiting) announce(runtime, worker)
    },
    left: () => {
      supervisor = undefined
    },
  })
  for (const name of names) {
    fleet.keepRunning({
      name,
      program: 'claimer',
      args: () => [place.store, place.beliefs, name, 0, chained(name)],
      onMessage(message, standing) {
        const { runtime } = message as { runtime: string }
        pids.set(runtime, standing.pid)
        waiting.set(runtime, standing)
        announce(runtime, standing)
      },
      left: ({ pid }) => {
        for (const [runtime, standing] of waiting) if (standing.pid === pid) waiting.delete(runtime)
      },
    })
  }
  return { pids }
}

async function foundBoard(place: Place, tasks: number, random: Random): Promise<Board> {
  await using store = await openStore(place.store)
  const board = makeBoard(tasks, random)
  const team = await openTeam(store, TEAM)
  await team.run({ type: 'team.create', team: TEAM })
  await team.run({ type: 'task.add', tasks: board.drafts })
  await team.close()
  return board
}
