import { peers, whyMissing } from '../peers/installed.mjs'
import { makespans } from './makespans.mjs'
import { criticalPath, taskGraph } from './task-graph.mjs'

const TASKS = 40
/** About as many bytes of a request are one token; the model of the benchmark does not count them. */
const BYTES_PER_TOKEN = 4
const CRITICAL_PATH = 'the critical path'

const shapes = [
  {
    id: 'team-graph',
    name: '40-task graph, 3 turns of 50 ms each, 8 idle teammates, durable',
    shape: 3,
    turns: criticalPath(taskGraph(3)),
    ideal: CRITICAL_PATH,
    atMost: 1.16,
    besideAtMost: 1.05,
  },
  {
    id: 'team-graph-varied',
    name: '40-task graph, 1 to 5 turns each, 8 idle teammates, durable',
    shape: 'varied',
    turns: criticalPath(taskGraph('varied')),
    ideal: CRITICAL_PATH,
    atMost: 1.16,
    besideAtMost: 1.05,
  },
  {
    id: 'team-turns',
    name: '8 teammates × 20 turns of 50 ms, durable',
    shape: 'separate',
    turns: 20,
    ideal: '20 turns of the model',
    besideAtMost: 1,
  },
]

export default shapes.flatMap((shape) => [...spanRows(shape), ...(shape.shape === 'separate' ? [] : countRows(shape))])

/** Our makespan against the least possible and beside other loops; that of a bare loop shows how noisy the machine is. */
function spanRows({ id, name, turns, ideal, atMost, besideAtMost, ...about }) {
  const least = ({ latencyMs }) => turns * latencyMs
  const row = { unit: 'ms', statistic: 'median' }
  const against = (side) => async () =>
    (await measured(about.shape)).map((round) => ({ ours: round[side].ms, limit: least(round[side]) }))
  return [
    { ...row, id, name, against: ideal, ...(atMost && { atMost }), measure: against('ours') },
    {
      ...row,
      id: `${id}-bare`,
      name: `${name}: by a bare ready queue, not durable`,
      against: ideal,
      measure: against('bare'),
    },
    ...Object.entries(peers).map(([peer, { name: library }]) => ({
      ...row,
      id: `${id}-beside-${peer}`,
      name,
      against: `${library} on a ready queue`,
      ...(peer === 'ai-sdk' && { atMost: besideAtMost }),
      needsPeer: true,
      async measure() {
        const unavailable = whyMissing(peer)
        if (unavailable !== undefined) return { unavailable }
        // Each side by its own latency: the timers of the server are late by different amounts.
        return (await measured(about.shape)).map((round) => ({
          ours: round.ours.ms,
          limit: (round[peer].ms * round.ours.latencyMs) / round[peer].latencyMs,
        }))
      },
    })),
  ]
}

/** What the same runs cost, from adding the tasks until the team has settled. */
function countRows({ id, name, shape }) {
  const work = taskGraph(shape).reduce((sum, { turns }) => sum + turns, 0)
  const row = (what, unit, more, count) => ({
    id: `${id}-${what}`,
    unit,
    statistic: 'median',
    ...more,
    measure: async () => (await measured(shape)).map((round) => ({ ours: count(round.ours) })),
  })
  const isGraphOfThree = shape === 3
  const tokens = ({ sentBytes, receivedBytes }) => (sentBytes + receivedBytes) / BYTES_PER_TOKEN
  const about = `${name.split(',')[0]}, ${isGraphOfThree ? '3' : '1 to 5'} turns each`
  return [
    row(
      'requests',
      'requests',
      {
        name: `${about}: model requests until settled, lead included (${work} are the work)`,
        ...(isGraphOfThree && { atMost: 135 }),
      },
      ({ requests }) => requests,
    ),
    row('lead-calls', 'requests', { name: `${about}: of these by the lead`, atMost: 3 }, (of) => of.leadRequests),
    row(
      'requests-per-task',
      'requests',
      { name: `${about}: model requests per finished task` },
      ({ requests }) => requests / TASKS,
    ),
    row(
      'tokens-per-task',
      'tokens',
      { name: `${about}: tokens per finished task (bytes on the wire / ${BYTES_PER_TOKEN})` },
      (of) => tokens(of) / TASKS,
    ),
  ]
}

const runs = new Map()
/** One measurement for all rows of a shape, with all sides that are installed. */
function measured(shape) {
  const sides = ['ours', 'bare', ...Object.keys(peers).filter((id) => whyMissing(id) === undefined)]
  if (!runs.has(shape)) runs.set(shape, makespans(shape, sides))
  return runs.get(shape)
}
