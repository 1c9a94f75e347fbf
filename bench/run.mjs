// Every row compares us with a limit measured in the same run: small machines are noisy, ratios are not.
// node bench/run.mjs [part of a row's id …] [--json FILE]
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import agent from './agent/rows.mjs'
import files from './files/rows.mjs'
import postgres from './postgres/rows.mjs'
import team from './team/rows.mjs'

const rows = [...agent, ...files, ...postgres, ...team]
const { wanted, file } = parse(process.argv.slice(2))
const selected = rows.filter(({ id }) => wanted.length === 0 || wanted.some((word) => id.includes(word)))
if (selected.length === 0)
  fail(`No row has ${wanted.join(' or ')} in its id. Rows: ${rows.map(({ id }) => id).join(', ')}`)
const results = []

for (const row of selected) {
  process.stderr.write(`${row.name} … `)
  const result = await measure(row)
  results.push(result)
  process.stderr.write(
    result.ratio === undefined ? `${result.verdict}\n` : `${format(result.ratio)} × (${result.verdict})\n`,
  )
}

console.log(table(results))
if (file) writeFileSync(file, `${JSON.stringify({ machine: machine(), rows: results }, null, 2)}\n`)
if (results.some((result) => result.verdict === 'missed')) process.exitCode = 1

/**
 * Interleaves the rounds of both sides and takes the best of each: noise only ever makes things slower. A row without
 * `atLeast` and `atMost` is for information and cannot be missed. A row that cannot be measured here says why.
 */
async function measure(row) {
  const rounds = []
  const { round, close, unavailable } = row.open ? await row.open() : row
  if (unavailable !== undefined)
    return { id: row.id, name: row.name, against: row.against, verdict: `not measured: ${unavailable}` }
  for (let i = 0; i < (row.rounds ?? 3); i++) rounds.push(await round())
  await close?.()
  const best = row.unit === 'per second' ? Math.max : Math.min
  const ours = best(...rounds.map((round) => round.ours))
  const limit = best(...rounds.map((round) => round.limit))
  return {
    id: row.id,
    name: row.name,
    against: row.against,
    unit: row.unit,
    ours,
    limit,
    ...judge(row, ours / limit),
    rounds,
  }
}

function judge({ atLeast, atMost, goal = 'for information' }, ratio) {
  const verdict = (isMet) => (isMet ? 'met' : 'missed')
  if (atLeast !== undefined) return { ratio, goal: `≥ ${atLeast}`, verdict: verdict(ratio >= atLeast) }
  if (atMost !== undefined) return { ratio, goal: `≤ ${atMost}`, verdict: verdict(ratio <= atMost) }
  return { ratio, goal, verdict: 'measured' }
}

function table(results) {
  const head = ['what', 'ours', 'against', 'limit', 'ratio', 'goal', '']
  const body = results.map((r) =>
    r.ratio === undefined
      ? [r.name, '', r.against, '', '', '', r.verdict]
      : [r.name, `${format(r.ours)} ${r.unit}`, r.against, format(r.limit), format(r.ratio), r.goal, r.verdict],
  )
  const widths = head.map((_, i) => Math.max(...[head, ...body].map((line) => line[i].length)))
  return [head, ...body]
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function format(number) {
  return number >= 100 ? String(Math.round(number)) : number.toPrecision(3)
}

function machine() {
  return {
    node: process.version,
    platform: `${process.platform} ${release()} ${process.arch}`,
    cores: availableParallelism(),
    processor: cpus()[0]?.model,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    at: new Date().toISOString(),
  }
}

function parse(args) {
  const at = args.indexOf('--json')
  if (at >= 0 && !args[at + 1]) fail('--json needs a file to write to.')
  return { file: at >= 0 ? args[at + 1] : undefined, wanted: at >= 0 ? args.toSpliced(at, 2) : args }
}

function fail(message) {
  console.error(message)
  process.exit(2)
}
