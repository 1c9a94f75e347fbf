import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readEvent } from './event.ts'

const message = { id: 'm1', type: 'message', from: 'ada', to: 'lead', content: 'done', timestamp: 1.5 }
const task = { type: 'task.created', subject: 'Dig', description: '', activeForm: 'Digging', priority: 5 }
const usual = [
  { ...task, id: '7', role: null, assignee: null, blockedBy: [], files: [] },
  { ...task, id: '03-01/T3', role: 'dev', assignee: 'ada', blockedBy: ['1', '03-01'], files: ['src/'] },
  { ...task, id: '8', role: null, assignee: null, blockedBy: [], files: [], estimate: 3, wakeLead: true },
  { type: 'task.claimed', id: '7', owner: 'ada', generation: 1, lease: null },
  { type: 'task.claimed', id: '03-01/T3', owner: 'ada', generation: 0, lease: 600 },
  { type: 'task.completed', id: '7', result: null, commit: null },
  { type: 'task.completed', id: '7', result: 'all green', commit: 'abc' },
  { type: 'message.sent', message },
  { type: 'message.sent', message: { ...message, extra: { deep: [1] } } },
]

/** A member more makes an event unusual: it is then read by the shape of its type, which drops that member. */
const byShape = (event: object) => readEvent({ ...event, stranger: 1 })

it('parses every usual event unchanged', () => {
  for (const event of usual) {
    expect(readEvent(event)).toEqual(event)
    expect(byShape(event)).toEqual(event)
  }
})

it('reads an event the same by its fields and by its schema', () => {
  const odd = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      undefined,
      '',
      '0',
      '7',
      '07',
      -1,
      0,
      1.5,
      2 ** 53,
      Number.NaN,
      true,
      [],
      {},
      message,
    ),
    fc.constantFrom<unknown>(10, 11, ['1'], ['1', 'x'], ['01-02'], ['01-2'], [1], ['a', null]),
    fc.constantFrom<unknown>(Number.POSITIVE_INFINITY, { ...message, type: 'no type' }, { ...message, id: 'a b' }, [
      message,
    ]),
    fc.jsonValue(),
  )
  const broken = fc
    .tuple(fc.constantFrom(...usual), fc.nat(), fc.option(odd, { nil: 'left out' as const }))
    .map(([event, at, value]) => {
      const names = Object.keys(event).filter((name) => name !== 'type')
      const { [names[at % names.length] as keyof typeof event]: _, ...rest } = event
      return value === 'left out' ? rest : { ...rest, [names[at % names.length] as string]: value }
    })
  fc.assert(
    fc.property(broken, (event) => {
      expect(readEvent(event)).toEqual(byShape(event))
    }),
    { numRuns: 2000 },
  )
})

it('rejects a message that is nested without end', () => {
  let nested: object = {}
  for (let depth = 0; depth < 250; depth++) nested = { nested }
  expect(readEvent({ type: 'message.sent', message: { ...message, nested } })).toBe('broken')
})
