// Every row compares us with a limit measured in the same run: small machines are noisy, ratios are not. See README.md.
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { failuresIn, judge, summarise } from './verdict.mjs'

const { values: options, positionals: wanted } = readOptions()
// Before the rows are loaded: they and their processes look for the peers there.
if (options.peers !== undefined) process.env.BENCH_PEERS = resolve(options.peers)
if (options['install-peers']) {
  const { installPeers } = await import('./peers/installed.mjs')
  process.exit(installPeers())
}

const groups = await Promise.all(
  ['agent', 'files', 'postgres', 'team'].map(async (group) => {
    const { default: rows } = await import(`./${group}/rows.mjs`)
    return rows.map((row) => ({ group, ...row }))
  }),
)
const rows = groups.flat()
const chosen = rows.filter((row) => wanted.length === 0 || wanted.some((word) => isMeant(row, word)))
if (chosen.length === 0) fail(`No row is meant by ${wanted.join(' or ')}. All rows: npm run bench -- --list`)
const selected = chosen.filter(({ needsPeer }) => !(needsPeer && options['without-peers']))
if (selected.length === 0) fail('Every chosen row needs another library: choose others, or omit --without-peers.')

if (options.list) {
  for (const row of selected) console.log(`${row.id.padEnd(42)}  ${goalOf(row).padEnd(16)}  ${row.name}`)
} else {
  await measureAll()
}

async function measureAll() {
  const results = []
  for (const row of selected) {
    process.stderr.write(`${row.id}: ${row.name} … `)
    const result = await measure(row)
    results.push(result)
    process.stderr.write(`${result.figure === undefined ? '' : `${figureOf(result)} `}(${result.verdict})\n`)
  }
  console.log(table(results))
  const omitted = chosen.length - selected.length
  if (omitted > 0) console.log(`\n${omitted} rows beside other libraries are left out (--without-peers).`)
  const failures = failuresIn(results)
  if (failures.length > 0)
    console.log(`\nNot passed:\n${failures.map(({ id, verdict }) => `  ${id}: ${verdict}`).join('\n')}`)
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ machine: machine(), rows: results }, null, 2)}\n`)
  process.exitCode = failures.length > 0 ? 1 : 0
}

/** A row that cannot be measured says why, and the others are still measured. */
async function measure(row) {
  const { id, name, against = '', unit } = row
  try {
    const rounds = await roundsOf(row)
    if ('unavailable' in rounds) return { id, name, against, verdict: `not measured: ${rounds.unavailable}` }
    const summary = summarise(row, rounds)
    return { id, name, against, unit, ...summary, ...judge(row, summary.figure), rounds }
  } catch (error) {
    return { id, name, against, verdict: `not measured: ${error.message}` }
  }
}

/** Rows that come from one measurement have `measure`, which returns all rounds; others are measured round by round. */
async function roundsOf(row) {
  if (row.measure) return row.measure()
  const opened = row.open ? await row.open() : row
  if (opened.unavailable !== undefined) return opened
  const rounds = []
  try {
    for (let i = 0; i < (row.rounds ?? 3); i++) rounds.push(await opened.round())
  } finally {
    await opened.close?.()
  }
  return rounds
}

/** A word is the name of a group, or part of a row's id or name. */
function isMeant({ group, id, name }, word) {
  return group === word || id.includes(word) || name.toLowerCase().includes(word.toLowerCase())
}

function goalOf(row) {
  return judge(row, 0).goal
}

function table(results) {
  const head = ['what', 'ours', 'against', 'limit', 'figure', 'goal', '']
  const body = results.map((r) =>
    r.figure === undefined
      ? [r.name, '', r.against, '', '', '', r.verdict]
      : [
          r.name,
          `${format(r.ours)} ${r.unit}`,
          r.against,
          r.limit === undefined ? '' : format(r.limit),
          figureOf(r),
          r.goal,
          r.verdict,
        ],
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

function figureOf({ figure, spread }) {
  if (!spread || spread[0] === spread[1]) return format(figure)
  return `${format(figure)} (${format(spread[0])}–${format(spread[1])})`
}

function format(number) {
  if (Number.isInteger(number)) return String(number)
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

function readOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'string' },
        list: { type: 'boolean' },
        peers: { type: 'string' },
        'install-peers': { type: 'boolean' },
        'without-peers': { type: 'boolean' },
      },
    })
  } catch (error) {
    return fail(error.message)
  }
}

function fail(message) {
  console.error(message)
  process.exit(2)
}
