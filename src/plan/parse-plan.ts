import { basename } from 'node:path'
import { normalisePattern } from '../team/board/reservation.ts'
import { PlanId, TaskId } from '../team/task.ts'
import type { CrossPhaseDependency, Plan, PlanHeader, PlanTask, Problem } from './plan.ts'
import { repeatedKey } from './repeated-key.ts'
import { shown } from './shown-value.ts'

export interface ParsedPlan {
  /** Present if its header can be used; with `problems` it is not fit to be loaded. */
  readonly plan?: Plan
  readonly problems: readonly Problem[]
}

type JsonObject = Readonly<Record<string, unknown>>
type Report = (problem: string, fix: string) => void

/** Reads the text of a plan file and finds everything that is wrong in it. A final newline is not needed. */
export function parsePlan(path: string, text: string): ParsedPlan {
  const problems: Problem[] = []
  const reportAt =
    (line: number): Report =>
    (problem, fix) =>
      void problems.push({ file: path, line, problem, fix })
  const [first, ...rest] = linesIn(text, reportAt)
  if (!first) {
    reportAt(1)('the file is empty', 'Write the header of the plan on line 1: {"p":"03","n":"01","t":"…", …}.')
    return { problems }
  }
  const header = first.value && parseHeader(first.value, reportAt(first.line))
  const id = `${header?.p}-${header?.n}`
  const isNamed = PlanId.safeParse(id).success
  if (isNamed) checkFileName(path, id, reportAt(first.line))
  // Also below a header that cannot be used, so that the user sees every problem at once.
  const tasks = rest.flatMap(({ value, line }) => (value ? [parseTask(value, line, reportAt(line))] : []))
  checkTaskIds(tasks, reportAt)
  return { ...(header && isNamed && { plan: { id, path, header, tasks } }), problems }
}

interface Line {
  readonly line: number
  /** Absent where the line is not a JSON object. */
  readonly value?: JsonObject
}

/** Every line that is not blank. */
function linesIn(text: string, reportAt: (line: number) => Report): Line[] {
  const found: Line[] = []
  for (const [i, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    try {
      const value: unknown = JSON.parse(line)
      if (isObject(value)) {
        const twice = repeatedKey(line)
        if (twice !== undefined)
          reportAt(i + 1)(`${shown(twice)} is there twice`, 'Keep one of the two; only the last one would count.')
        found.push({ value, line: i + 1 })
      } else {
        found.push({ line: i + 1 })
        reportAt(i + 1)(`${shown(value)} is not a JSON object`, 'Write one JSON object per line: {"id":"T1", …}.')
      }
    } catch (error) {
      found.push({ line: i + 1 })
      reportAt(i + 1)(
        `the line is not JSON: ${(error as Error).message}`,
        'Write the whole object on one line, with quoted keys.',
      )
    }
  }
  return found
}

function parseHeader(value: JsonObject, report: Report): PlanHeader {
  const { text, list } = fieldsOf(value, report)
  if (!isWave(value.w))
    report(wrong(value, 'w', 'a whole number from 0 up'), 'Write "w":1, the wave in which the plan runs.')
  const mh = value.mh
  if (!isObject(mh))
    report(wrong(value, 'mh', 'an object'), 'Write "mh":{"tr":[],"ar":[],"kl":[]}, what must be true at the end.')
  else
    for (const key of ['tr', 'ar', 'kl'])
      if (mh[key] !== undefined && !Array.isArray(mh[key]))
        report(`"mh.${key}" is ${shown(mh[key])}, not a list`, `Write "${key}":[] inside "mh", or leave it out.`)
  return {
    p: number(value, 'p', 'the phase', report),
    n: number(value, 'n', 'the number of the plan', report),
    t: text('t', 'the title of the plan'),
    obj: text('obj', 'what the plan is for'),
    w: isWave(value.w) ? value.w : 0,
    d: [...new Set(list('d', 'plans that come first').filter((id) => isPlanId(id, report)))],
    xd: parseCrossPhase(value, report),
    mh: isObject(mh) ? mh : {},
  }
}

function isWave(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isPlanId(id: string, report: Report): boolean {
  if (PlanId.safeParse(id).success) return true
  report(
    `"d" names ${shown(id)}, which is not the id of a plan`,
    'Write phase and number with two digits each: "03-01".',
  )
  return false
}

function number(value: JsonObject, key: 'p' | 'n', meaning: string, report: Report): string {
  const digits = value[key]
  if (typeof digits === 'string' && /^\d\d$/.test(digits)) return digits
  const example = typeof digits === 'number' && digits >= 0 && digits < 100 ? String(digits).padStart(2, '0') : '03'
  report(wrong(value, key, 'a text of two digits'), `Write "${key}":"${example}", ${meaning}.`)
  return ''
}

function parseCrossPhase(value: JsonObject, report: Report): CrossPhaseDependency[] {
  if (value.xd === undefined) return []
  const fix = 'Write "xd":[{"p":"01","n":"02","a":"docs/api.md","r":"why"}]; "a" and "r" may be left out.'
  if (!Array.isArray(value.xd)) {
    report(wrong(value, 'xd', 'a list'), fix)
    return []
  }
  return value.xd.flatMap((entry: unknown) => {
    const { p, n, a, r } = isObject(entry) ? entry : ({} as JsonObject)
    if (typeof p !== 'string' || typeof n !== 'string' || !PlanId.safeParse(`${p}-${n}`).success) {
      report(`"xd" holds ${shown(entry)}, which does not name a plan`, fix)
      return []
    }
    if (a !== undefined && (typeof a !== 'string' || !isInside(a))) {
      report(`"a" of "xd" is ${shown(a)}, not a path inside the workspace`, fix)
      return []
    }
    return [{ p, n, ...(typeof a === 'string' && { a }), ...(typeof r === 'string' && { r }) }]
  })
}

function parseTask(value: JsonObject, line: number, report: Report): PlanTask {
  const { text, list, optional } = fieldsOf(value, report)
  const id = typeof value.id === 'string' && TaskId.safeParse(`00-00/${value.id}`).success ? value.id : ''
  if (id === '')
    report(wrong(value, 'id', 'T1 to T999999'), 'Write "id":"T1", a number that no other task of the plan has.')
  const tp = text('tp', '"auto", or "checkpoint:…" for a task that waits for a person')
  if (tp !== '' && tp !== 'auto' && !/^checkpoint:\S/.test(tp))
    report(
      `"tp" is ${shown(tp)}`,
      'Write "tp":"auto", or "tp":"checkpoint:human-verify" for a task that waits for a person.',
    )
  const spec = optional('spec')
  const ts = optional('ts')
  return {
    id,
    tp,
    a: text('a', 'what is to be done'),
    f: list('f', 'the files it changes').filter((path) => isFile(path, report)),
    v: text('v', 'how to verify it'),
    done: text('done', 'when it is done'),
    ...(spec !== undefined && { spec }),
    ...(ts !== undefined && { ts }),
    td: value.td === undefined ? [] : [...new Set(list('td', 'tasks of this plan that come first'))],
    line,
  }
}

function isFile(path: string, report: Report): boolean {
  if (isInside(path)) return true
  const why = path.startsWith('/') ? 'is absolute' : 'does not stay inside the workspace'
  report(`"f" names ${shown(path)}, which ${why}`, 'Write the path relative to the root of the workspace: "src/a.ts".')
  return false
}

/** No absolute path, and no `..` that leaves the workspace on the way. */
function isInside(path: string): boolean {
  if (/^[A-Za-z]:|\\/.test(path)) return false
  return normalisePattern(path) !== undefined && !path.split('/').includes('..')
}

function checkFileName(path: string, id: string, report: Report): void {
  const name = basename(path)
  if (name === `${id}.plan.jsonl`) return
  report(
    `the header says plan ${id}, the file is called ${name}`,
    `Rename the file to ${id}.plan.jsonl, or correct "p" and "n".`,
  )
}

function checkTaskIds(tasks: readonly PlanTask[], reportAt: (line: number) => Report): void {
  const lines = new Map<string, number>()
  for (const { id, line } of tasks) {
    const first = lines.get(id)
    if (id === '' || first === undefined) lines.set(id, line)
    else reportAt(line)(`${id} is already the task on line ${first}`, 'Give each task of the plan a number of its own.')
  }
  for (const { id, td, line } of tasks)
    for (const other of td)
      if (other !== id && !lines.has(other))
        reportAt(line)(
          `"td" names ${shown(other)}, which is not a task of this plan`,
          'Name tasks of the same plan ("T1"); for another plan use "d" in the header.',
        )
}

function fieldsOf(value: JsonObject, report: Report) {
  return {
    text(key: string, meaning: string): string {
      const field = value[key]
      if (typeof field === 'string' && field.trim() !== '') return field
      report(wrong(value, key, 'a text that is not empty'), `Write "${key}":"…": ${meaning}.`)
      return ''
    },
    optional(key: string): string | undefined {
      const field = value[key]
      if (field === undefined || field === null || typeof field === 'string') return field ?? undefined
      report(wrong(value, key, 'a text'), `Write "${key}":"…", or leave it out.`)
      return undefined
    },
    list(key: string, meaning: string): string[] {
      const field = value[key]
      if (Array.isArray(field) && field.every((item) => typeof item === 'string' && item.trim() !== '')) return field
      report(wrong(value, key, 'a list of texts'), `Write "${key}":[]: ${meaning}.`)
      return []
    },
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wrong(value: JsonObject, key: string, expected: string): string {
  return value[key] === undefined ? `"${key}" is missing` : `"${key}" is ${shown(value[key])}, not ${expected}`
}
