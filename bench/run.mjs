// Every row compares us with a limit measured in the same run: small machines are noisy, ratios are not.
// node bench/run.mjs [row …] [--json FILE]
import { readdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'

const INFORMATION = 'for information'
const { rows: wanted, file } = parse(process.argv.slice(2))
const folder = new URL('./rows/', import.meta.url)
const names = readdirSync(folder).filter((name) => name.endsWith('.mjs'))
const results = []

for (const name of names.sort()) {
  const { default: row } = await import(new URL(name, folder))
  if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue
  process.stderr.write(`${row.name} … `)
  const result = await measure(row)
  results.push(result)
  process.stderr.write(
    result.ratio === undefined ? `${result.verdict}\n` : `${format(result.ratio)} × (${result.verdict})\n`,
  )
}

console.log(table(results))
if (file) writeFileSync(file, `${JSON.stringify({ machine: machine(), rows: results }, null, 2)}\n`)
if (results.length === 0) fail(`No row is called ${wanted.join(' or ')}. There are: ${names.join(', ')}`, 2)
if (results.some((result) => result.verdict === 'missed')) process.exitCode = 1

/**
 * Interleaves the rounds of both sides and takes the best of each: noise only ever makes things slower. A row whose
 * `open` says why it cannot be measured here does not count.
 */
async function measure(row) {
  const rounds = []
  const { round, close, unavailable } = row.open ? await row.open() : row
  if (unavailable !== undefined)
    return { name: row.name, against: row.against, verdict: `not measured: ${unavailable}` }
  for (let i = 0; i < (row.rounds ?? 3); i++) rounds.push(await round())
  await close?.()
  const best = row.unit === 'per second' ? Math.max : Math.min
  const ours = best(...rounds.map((round) => round.ours))
  const limit = best(...rounds.map((round) => round.limit))
  const ratio = ours / limit
  const met = (row.atLeast === undefined || ratio >= row.atLeast) && (row.atMost === undefined || ratio <= row.atMost)
  const goal =
    row.atLeast !== undefined ? `≥ ${row.atLeast}` : row.atMost !== undefined ? `≤ ${row.atMost}` : INFORMATION
  return {
    name: row.name,
    against: row.against,
    unit: row.unit,
    ours,
    limit,
    ratio,
    goal,
    verdict: goal === INFORMATION ? 'measured' : met ? 'met' : 'missed',
    rounds,
  }
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
  if (at >= 0 && !args[at + 1]) fail('--json needs a file to write to.', 2)
  return { file: at >= 0 ? args[at + 1] : undefined, rows: at >= 0 ? args.toSpliced(at, 2) : args }
}

function fail(message, code) {
  console.error(message)
  process.exit(code)
}
