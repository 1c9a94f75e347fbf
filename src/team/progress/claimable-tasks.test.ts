import { expect, it } from 'vitest'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { claimableTasks } from './claimable-tasks.ts'

it('the tasks that a role can claim side by side share no file with a claim or with each other', () => {
  const team = teamHarness()
  team.join('ada')
  const ids = (most = 10) => claimableTasks(team.state, 'dev', most).map(({ id }) => id)
  const files = [['src/a.ts'], ['src/a.ts'], ['src/'], ['docs/x.md'], []]
  for (const [i, own] of files.entries())
    team.ok({ type: 'task.add', tasks: [{ subject: `task ${i}`, role: i === 4 ? undefined : 'dev', files: own }] })
  team.ok({ type: 'task.add', tasks: [{ subject: 'blocked', role: 'dev', blockedBy: ['1'] }] })
  team.ok({ type: 'task.add', tasks: [{ subject: 'for others', role: 'person' }] })
  expect(ids()).toEqual(['1', '4', '5'])
  expect(ids(2)).toEqual(['1', '4'])
  expect(ids(0)).toEqual([])
  team.ok({ type: 'task.claim', id: '4' }, 'ada')
  expect(ids()).toEqual(['1', '5'])
}) // C43, C48
