import { afterEach, expect, it } from 'vitest'
import { openTeam } from '../../journal/team-handle.ts'
import { messageText } from '../../prompts/message.ts'
import { createPlace, openMemoryStore } from '../../stores/memory/store.ts'
import { unreadOf } from '../../team/state.ts'
import { agentHarness, answeringModel, closeAgents } from '../../testing/harnesses/agent-harness.ts'
import { inputBudget } from './choose-mail.ts'
import { createInbox } from './inbox.ts'

afterEach(closeAgents)

const answer = {
  id: 'm',
  type: 'plan_approval_response',
  from: 'lead',
  to: 'ada',
  content: 'Test it.',
  timestamp: 1,
} as const

it('a message that answers a request says whether it approves, whatever its text says', () => {
  const words = (approve: unknown, isExternal = false) =>
    messageText({ ...answer, request_id: 'r1', approve }, isExternal)
  expect(words(false)).toContain('request_id="r1" approve="false">\nTest it.')
  expect(words(true)).toContain('approve="true"')
  expect(words('" x="'), 'only the runtime says so').not.toContain('approve')
  expect(words(true, true), 'not in a message from outside').not.toContain('approve=')
})

it('a turn holds one idle notice per teammate, and every result', async () => {
  const talk = await agentHarness({ model: answeringModel().model })
  const message = (id: string, type: 'idle_notification' | 'result', from: string, content: string) => ({
    type: 'message.sent' as const,
    message: { id, type, from, to: 'lead', content, timestamp: 1 },
  })
  await talk.team.report([
    message('1', 'result', 'ada', 'dug'),
    message('2', 'idle_notification', 'ada', 'rests'),
    message('3', 'idle_notification', 'bob', 'rests'),
    message('4', 'result', 'ada', 'dug'),
    message('5', 'idle_notification', 'ada', 'rests again'),
  ])
  const input = await talk.inbox.next()
  const words = input!.turn.content.map((part) => (part.type === 'text' ? part.text.split('\n')[1] : ''))
  expect(words).toEqual(['dug', 'rests', 'dug', 'rests again'])
  expect(input!.mail).toEqual(['1', '2', '3', '4', '5'])
})

it('a turn says which of its parts a person typed: neither notices nor mail of agents', async () => {
  const { team, inbox, notices } = await agentHarness({ model: answeringModel().model })
  notices.add({ text: 'Job 1 ended.' })
  await team.send({ to: 'lead', content: 'Review it all.', extra: { prompt: true, typed: '/review' } })
  await team.send({ to: 'lead', content: 'And go on.' })
  const message = { id: '1', type: 'message', from: 'ada', to: 'lead', content: 'hi', timestamp: 1 } as const
  await team.report([{ type: 'message.sent', message }])
  const input = await inbox.next()
  expect(input!.turn.content).toHaveLength(4)
  expect(input!.typed).toEqual([{ part: 1, text: '/review' }, { part: 2 }])
})

it('a turn joins notices and mail of several teams, its own first, and is acknowledged in each', async () => {
  const { model } = answeringModel()
  const { team, transcript, notices, memory } = await agentHarness({ model })
  await using store = await openMemoryStore(createPlace())
  await using api = await openTeam(store, 'api')
  await api.run({ type: 'team.create', team: 'api' })
  const by = { name: 'lead' }
  const inbox = createInbox({
    memberships: () => [
      { team, by },
      { team: api, by },
    ],
    transcript,
    notices,
    budget: inputBudget({ model }, memory.keep, { sumOf: () => 'the sum' }),
  })
  const message = (id: string, content: string) => ({
    type: 'message.sent' as const,
    message: { id, type: 'message' as const, from: 'ada', to: 'lead', content, timestamp: 1 },
  })
  await team.report([message('1', 'ours')])
  await api.report([message('2', 'theirs'), message('3', 'long '.repeat(200_000))])
  notices.add({ text: 'A job ended.', job: 'b1' })
  notices.add({ text: 'First task.', task: '1' })
  notices.add({ text: 'Second task.', task: '2' })
  const synced: string[] = []
  for (const handle of [team, api]) handle.syncState = async () => void synced.push(handle.name)

  const input = await inbox.next()
  expect(input).toMatchObject({ mail: ['1', '2', '3'], jobs: ['b1'], task: '2' })
  expect(input!.files).toEqual([{ message: '3', path: 'outputs/mail.txt', sum: 'the sum' }])
  const texts = input!.turn.content.map((part) => (part.type === 'text' ? part.text : ''))
  expect(texts.slice(0, 3)).toEqual(['A job ended.', 'First task.', 'Second task.'])
  expect(texts.slice(3).map((text) => /ours|theirs|long/.exec(text)?.[0])).toEqual(['ours', 'theirs', 'long'])
  await input!.waitUntilDurable()
  expect(synced.sort()).toEqual(['api', 'web'])
  await input!.acknowledge()
  expect([team, api].map(({ state }) => unreadOf(state, 'lead').length)).toEqual([0, 0])
}) // A82

it('a message that the transcript holds is acknowledged only when the transcript is durable', async () => {
  const { model } = answeringModel()
  const { team, transcript, notices, memory, inbox } = await agentHarness({ model })
  const message = { id: '1', type: 'message', from: 'ada', to: 'lead', content: 'dug', timestamp: 1 } as const
  await team.report([{ type: 'message.sent', message }])
  const { turn, mail, jobs, waitUntilDurable } = (await inbox.next())!
  await transcript.addInput(turn, mail, jobs, waitUntilDurable)
  const order: string[] = []
  const { acknowledge } = team
  team.acknowledge = (...about) => {
    order.push('acknowledged')
    return acknowledge(...about)
  }
  const synced = async () => {
    await transcript.synced()
    order.push('durable')
  }
  const again = createInbox({
    memberships: () => [{ team, by: { name: 'lead' } }],
    transcript: Object.create(transcript, { synced: { value: synced } }),
    notices,
    budget: inputBudget({ model }, memory.keep),
  })
  expect(await again.next()).toBeUndefined()
  expect(order).toEqual(['durable', 'acknowledged'])
}) // F2
