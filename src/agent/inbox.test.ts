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
