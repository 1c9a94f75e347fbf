import { expect, it } from 'vitest'
import { openTeam } from '../../src/journal/team-handle.ts'
import { situationText } from '../../src/prompts/situation.ts'
import { createRedactor } from '../../src/redaction/redactor.ts'
import { openMemoryStore } from '../../src/stores/memory/store.ts'

it('names the members and the open tasks of the team after a conversation is compacted', async () => {
  await using store = await openMemoryStore()
  await using team = await openTeam(store, 'web')
  await team.run({ type: 'team.create', team: 'web' })
  await team.run({ type: 'member.join', name: 'ada', role: 'backend', kind: 'external' })
  await team.run({ type: 'task.add', tasks: [{ subject: 'the api' }, { subject: 'the docs' }] })
  await team.run({ type: 'task.claim', id: '1' }, { by: { name: 'ada' } })
  const lead = situationText(team.state, 'lead', 'the team web')
  expect(lead).toContain('You are lead, the lead of the team web.')
  expect(lead).toMatch(/- ada: backend, external, \w+, works on task 1/)
  expect(lead).toContain('- 2 (pending): the docs')
  const ada = situationText(team.state, 'ada', 'the team web')
  expect(ada).toContain('You are ada, a teammate in the team web. Your role: backend.')
  expect(ada).toContain('Your current task: 1 (in progress, ada): the api')
}) // F53

it('shows no secret of a stream that is split in the middle of the secret', () => {
  const secret = `sk-ant-${'a1B2c3D4'.repeat(6)}`
  const stream = createRedactor({}).stream()
  const shown = stream.write(`use ${secret.slice(0, 20)}`) + stream.write(`${secret.slice(20)} now`) + stream.end()
  expect(shown).toBe('use [redacted] now')
})
