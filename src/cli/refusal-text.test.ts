import { expect, it } from 'vitest'
import { refuse } from '../team/refusal.ts'
import { quotedRole, refusalForPerson } from './refusal-text.ts'

it('quotes a role as one word of the command line that joins again', () => {
  expect([quotedRole('dev'), quotedRole('frontend dev'), quotedRole("o'neill")]).toEqual([
    'dev',
    "'frontend dev'",
    "'o'\\''neill'",
  ])
}) // T29

it('names a command to run next, with the task that was refused', () => {
  expect(refusalForPerson(refuse('wrong_state', { problem: 'not_claimed', task: '3', by: 'ci' }))).toBe(
    'Task 3 is not claimed. Claim it first: deskmates task claim 3 --as ci',
  )
  const supervised = refusalForPerson(refuse('supervised', { team: 'web', runtime: 'r', isUnknown: false }))
  expect(supervised).toContain('deskmates status web')
  expect(supervised).toContain('deskmates log --follow --team web')
  expect(refusalForPerson(refuse('unknown_task', { task: '9' }))).toBe('There is no task "9". See: deskmates task list')
})
