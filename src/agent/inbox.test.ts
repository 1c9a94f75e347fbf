import { afterEach, expect, it } from 'vitest'
import { messageText } from '../prompts/message.ts'
import { agentHarness, answeringModel, closeAgents } from '../testing/harnesses/agent-harness.ts'

afterEach(closeAgents)

const answer = {
  id: 'm',
  type: 'plan_approval_response',
  from: 'lead',
  to: 'ada',
  content: 'Test it.',
  timestamp: 1,
} as const

it('says whether the answer to a request is a yes, which its words may leave open', () => {
  const words = (approve: unknown, isExternal = false) =>
    messageText({ ...answer, request_id: 'r1', approve }, isExternal)
  expect(words(false)).toContain('request_id="r1" approve="false">\nTest it.')
  expect(words(true)).toContain('approve="true"')
  expect(words('" x="'), 'only the runtime says so').not.toContain('approve')
  expect(words(true, true), 'nobody from outside').not.toContain('approve=')
})

it('says once in a turn that somebody rests, and every result', async () => {
  const talk = await agentHarness({ model: answeringModel().model })
  const letter = (id: string, type: 'idle_notification' | 'result', from: string, content: string) => ({
    type: 'message.sent' as const,
    message: { id, type, from, to: 'lead', content, timestamp: 1 },
  })
  await talk.team.report([
    letter('1', 'result', 'ada', 'dug'),
    letter('2', 'idle_notification', 'ada', 'rests'),
    letter('3', 'idle_notification', 'bob', 'rests'),
    letter('4', 'result', 'ada', 'dug'),
    letter('5', 'idle_notification', 'ada', 'rests again'),
  ])
  const news = await talk.inbox.next()
  const words = news!.turn.content.map((part) => (part.type === 'text' ? part.text.split('\n')[1] : ''))
  expect(words).toEqual(['dug', 'rests', 'dug', 'rests again'])
  expect(news!.mail).toEqual(['1', '2', '3', '4', '5'])
})
