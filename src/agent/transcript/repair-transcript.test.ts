import { expect, it } from 'vitest'
import { openTeam } from '../../journal/team-handle.ts'
import { openMemoryStore } from '../../stores/memory/store.ts'
import { unreadOf } from '../../team/state.ts'
import { recordLostTurns } from './repair-transcript.ts'

it('the repair of a transcript returns more mail to unread than fits into one record', async () => {
  await using store = await openMemoryStore()
  await using team = await openTeam(store, 'web')
  await team.run({ type: 'team.create', team: 'web' })
  await team.run({ type: 'member.join', name: 'ada', role: 'dev' })
  const contents = [...'abcdef'].map((character) => character.repeat(1_000_000))
  for (const content of contents) await team.send({ to: 'ada', content })
  const ids = unreadOf(team.state, 'ada').map(({ message }) => message.id)
  await team.acknowledge('ada', ids, null, { by: { name: 'ada' }, turn: '01LOST' })
  expect(unreadOf(team.state, 'ada')).toEqual([])
  const lost = { member: 'ada', left: new Set<string>(), what: 'was damaged.', calls: [], archived: null }
  expect(await recordLostTurns(store, team, lost)).toBe(contents.length)
  const unread = await team.loadLongTexts(unreadOf(team.state, 'ada').map(({ message }) => message))
  expect(unread.map(({ content }) => content.slice(0, 1)).filter((character) => /[a-f]/.test(character))).toEqual([
    ...'abcdef',
  ])
  expect(unread.filter(({ content }) => content.startsWith('Your transcript was damaged.'))).toHaveLength(1)
}) // T43
