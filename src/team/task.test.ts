import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readDraft, TaskDraft } from './task.ts'

const usual: TaskDraft = {
  subject: 'Dig',
  description: 'by hand',
  activeForm: 'Digging',
  role: 'frontend dev',
  assignee: 'ada',
  priority: 7,
  blockedBy: ['1', '+2'],
  files: ['src/'],
}

/** Without members that are undefined. */
const outcomeOf = (parsed: ReturnType<typeof readDraft>) =>
  parsed.success ? JSON.parse(JSON.stringify(parsed.data)) : parsed.error.issues.map(({ path }) => path)

it('reads a draft the same by its members and by its schema', () => {
  const odd = fc.oneof(
    fc.constantFrom<unknown>(null, undefined, '', 'a\nb', 'x'.repeat(65), 0, 10, 11, -1, 1.5, Number.NaN, true, {}, []),
    fc.constantFrom<unknown>(['a'], ['a', 1], [null]),
  )
  const names = [...Object.keys(usual), 'id', 'estimate', 'wakeLead', 'stranger']
  const draft = fc
    .array(fc.tuple(fc.constantFrom(...names), fc.option(odd, { nil: 'left out' as const })), { maxLength: 3 })
    .map((changes) => {
      const changed: Record<string, unknown> = { ...usual }
      for (const [name, value] of changes) {
        delete changed[name]
        if (value !== 'left out') changed[name] = value
      }
      return changed as TaskDraft
    })
  fc.assert(
    fc.property(draft, (one) => {
      expect(outcomeOf(readDraft(one))).toEqual(outcomeOf(TaskDraft.safeParse(one)))
    }),
    { numRuns: 2000 },
  )
})
