import { describe, expect, it } from 'vitest'
import { checkPlans } from './check-plans.ts'
import { parsePlan } from './parse-plan.ts'

type Line = Record<string, unknown>

const header: Line = { p: '03', n: '01', t: 'Title', w: 1, d: [], xd: [], mh: { tr: [] }, obj: 'Objective' }
const task = (id: string, more: Line = {}): Line => ({
  ...{ id, tp: 'auto', a: 'Write it', f: ['src/a.ts'], v: 'npm test', done: 'tests are green' },
  ...more,
})
const FILE = '03-01.plan.jsonl'

function problemsOf(text: string) {
  const { plan, problems } = parsePlan(FILE, text)
  return [...problems, ...(plan ? checkPlans([plan]) : [])]
}
const textOf = (...lines: Line[]) => lines.map((line) => JSON.stringify(line)).join('\n')

/** Values that no field of this kind may have; `undefined` leaves the field out. */
const NO_TEXT = [undefined, null, '', '  ', 3, true, [], ['x'], {}]
const NO_DIGITS = [undefined, null, '', '3', '003', '3a', ' 3', 3, 13, [], {}]
const NO_LIST = [undefined, null, '', 'x', 3, {}, [3], [null], [''], [[]]]
const NO_WAVE = [undefined, null, '1', -1, 1.5, [], {}, 1e300]
const NO_PATH = ['/etc/passwd', '../x', 'a/../../x', 'a/../b', '..', 'C:\\x', 'C:/x', 'a\\b', 'a\0b', 'x'.repeat(5000)]
const NO_TASK_ID = [
  undefined,
  null,
  '',
  'T',
  'T0',
  'T01',
  't1',
  '1',
  'T1.5',
  'T-1',
  'T1 ',
  'T1234567',
  'T1/../x',
  3,
  [],
]

/** What stands in which line, and the word by which the problem must name it. */
const broken: [name: string, text: string, line: number, named: string][] = [
  ['empty', '', 1, 'empty'],
  ['only blank lines', '\n\n', 1, 'empty'],
  ...['{', 'x', '[]', '3', 'null', '"text"', "{'p':1}", '{"p":"03",}', `${JSON.stringify(header)} x`].map(
    (text): [string, string, number, string] => [`header ${text.slice(0, 12)}`, text, 1, 'JSON'],
  ),
  ...['{', 'x', '[]', 'null', '{"id":"T2"'].map((text): [string, string, number, string] => [
    `task ${text}`,
    `${textOf(header, task('T1'))}\n${text}`,
    3,
    'JSON',
  ]),
  ...(['p', 'n'] as const).flatMap((key) => NO_DIGITS.map((value) => inHeader(key, value))),
  ...(['t', 'obj'] as const).flatMap((key) => NO_TEXT.map((value) => inHeader(key, value))),
  ...NO_WAVE.map((value) => inHeader('w', value)),
  ...[...NO_LIST, ['03-1'], ['3-01'], ['03-01/T1'], ['phase']].map((value) => inHeader('d', value)),
  ...[null, '', 3, {}, ['01-02'], [{}], [{ p: '01' }], [{ p: 1, n: 2 }], [{ p: '01', n: '2' }]].map((value) =>
    inHeader('xd', value),
  ),
  ...NO_PATH.map((a) => inHeader('xd', [{ p: '01', n: '02', a }])),
  ...[undefined, null, '', 3, [], 'x', { tr: 'x' }, { ar: {} }, { kl: 3 }].map((value) => inHeader('mh', value)),
  ['waits for itself', textOf({ ...header, d: ['03-01'] }, task('T1')), 1, 'itself'],
  ['unknown plan', textOf({ ...header, d: ['03-07'] }, task('T1')), 1, '03-07'],
  ['another number than its name', textOf({ ...header, n: '02' }), 1, FILE],
  ...NO_TASK_ID.map((value) => inTask('id', value)),
  ...(['tp', 'a', 'v', 'done'] as const).flatMap((key) => NO_TEXT.map((value) => inTask(key, value))),
  ...['automatic', 'checkpoint', 'checkpoint:', 'checkpoint: ', 'AUTO'].map((value) => inTask('tp', value)),
  ...NO_LIST.map((value) => inTask('f', value)),
  ...NO_PATH.map((path) => inTask('f', ['src/b.ts', path])),
  ...NO_LIST.filter((value) => value !== undefined).map((value) => inTask('td', value)),
  ...['T9', '03-01/T1', 't1', '1', '../T1'].map((other) => inTask('td', [other])),
  ...(['spec', 'ts'] as const).flatMap((key) => [3, [], {}].map((value) => inTask(key, value))),
  ['a task that waits for itself', textOf(header, task('T1'), task('T2', { td: ['T2'] })), 3, 'T2 -> T2'],
  [
    'two tasks in a circle',
    textOf(header, task('T1', { td: ['T2'] }), task('T2', { td: ['T1'] })),
    2,
    'T1 -> T2 -> T1',
  ],
  ...['t', 'd', 'obj'].map((key): [string, string, number, string] => [
    `header "${key}" twice`,
    `{"${key}":3,${textOf(header).slice(1)}\n${textOf(task('T1'))}`,
    1,
    `"${key}" is there twice`,
  ]),
  ...['td', '\\u0074d', 'f', 'id'].map((key): [string, string, number, string] => [
    `task "${key}" twice`,
    `${textOf(header, task('T1'))}\n${textOf(task('T2', { td: ['T1'] })).slice(0, -1)},"${key}":${key === 'id' ? '"T2"' : '[]'}}`,
    3,
    'is there twice',
  ]),
  ['an id twice', textOf(header, task('T1'), task('T2'), task('T1')), 4, 'line 2'],
]

function inHeader(key: string, value: unknown): [string, string, number, string] {
  return [`"${key}" ${JSON.stringify(value)}`, textOf({ ...header, [key]: value }, task('T1')), 1, key]
}

function inTask(key: string, value: unknown): [string, string, number, string] {
  return [
    `task "${key}" ${JSON.stringify(value)?.slice(0, 40)}`,
    textOf(header, task('T1'), task('T2', { [key]: value })),
    3,
    key,
  ]
}

describe('a broken plan file', () => {
  it('is one of at least 200 kinds', () => {
    expect(broken.length).toBeGreaterThanOrEqual(200)
  })

  it.each(broken)('is refused with its line and a fix: %s', (_, text, line, named) => {
    const found = problemsOf(text)
    expect(found.length).toBeGreaterThan(0)
    expect(found.every((problem) => problem.line === line && problem.file === FILE)).toBe(true)
    expect(found.some(({ problem, fix }) => `${problem} ${fix}`.includes(named))).toBe(true)
    expect(found.every(({ fix }) => /^[A-Z].*\.$/.test(fix))).toBe(true)
  }) // C37, F44

  it('lists all its problems at once', () => {
    const lines = problemsOf(textOf({ ...header, t: '' }, task('T1', { tp: 'x' }), task('T2', { f: ['/x'] })))
    expect(lines.map(({ line }) => line)).toEqual([1, 2, 3])
    for (const first of ['{', '[]', textOf({ ...header, p: 3 })])
      expect(problemsOf(`${first}\n${textOf(task('T1', { tp: 'x' }))}`).map(({ line }) => line)).toEqual([1, 2])
  })
})

describe('a valid plan file', () => {
  it.each([
    ['has no final newline', textOf(header, task('T1'))],
    ['has no tasks', textOf(header)],
    [
      'has blank lines, CRLF and a byte order mark',
      `\uFEFF${textOf(header, task('T1')).replace('\n', '\r\n\r\n')}\r\n`,
    ],
    ['lists a dependency twice', textOf(header, task('T1'), task('T2', { td: ['T1', 'T1'] }))],
    [
      'has optional and unknown keys',
      textOf({ ...header, eff: 'balanced', sk: [], fm: [], auto: true, later: 1 }, task('T1', { spec: 's', ts: 't' })),
    ],
    [
      'says the same key in nested objects and in texts',
      textOf({ ...header, mh: { tr: [{ t: 1 }, { t: 2 }] } }, task('T1', { a: '{"a":1,"a":2} \\"a\\":' })),
    ],
    ['waits for a person', textOf(header, task('T1', { tp: 'checkpoint:human-verify' }))],
    ['leaves out "td" and "xd"', textOf({ ...header, xd: undefined }, task('T1', { td: undefined }))],
  ])('%s', (_, text) => {
    expect(problemsOf(text)).toEqual([])
  }) // C36, C37, F42, F43
})

describe('several plan files', () => {
  const plan = (n: string, w: number, d: string[], folder = 'a') =>
    parsePlan(`${folder}/03-${n}.plan.jsonl`, textOf({ ...header, n, w, d }, task('T1'))).plan!

  it('need a lower wave for what a plan of the same folder waits for', () => {
    expect(checkPlans([plan('01', 1, []), plan('02', 2, ['03-01'])])).toEqual([])
    const [problem] = checkPlans([plan('01', 2, []), plan('02', 2, ['03-01'])])
    expect(problem).toMatchObject({
      file: 'a/03-02.plan.jsonl',
      line: 1,
      fix: 'Write "w":3 here, or a lower wave in 03-01.',
    })
    expect(checkPlans([plan('01', 2, [], 'b'), plan('02', 2, ['03-01'])])).toEqual([])
  }) // C37

  it('may wait for a plan of the folder that was not named', () => {
    expect(checkPlans([plan('02', 2, ['03-01'])], [plan('01', 1, [])])).toEqual([])
  })

  it('name the plans of a circle, and a plan that is given twice', () => {
    const circle = checkPlans([plan('01', 1, ['03-02'], 'a'), plan('02', 1, ['03-01'], 'b')])
    expect(circle.map(({ problem }) => problem)).toEqual([
      'plans wait for each other in a circle: 03-01 -> 03-02 -> 03-01',
    ])
    const [twice] = checkPlans([plan('01', 1, [], 'a'), plan('01', 1, [], 'b')])
    expect(twice).toMatchObject({ file: 'b/03-01.plan.jsonl', problem: 'plan 03-01 is also in a/03-01.plan.jsonl' })
  }) // F44
})
