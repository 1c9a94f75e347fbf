import { expect, it } from 'vitest'
import { inWords } from './mail-news.ts'

const answer = {
  id: 'm',
  type: 'plan_approval_response',
  from: 'lead',
  to: 'ada',
  content: 'Test it.',
  timestamp: 1,
} as const

it('says whether the answer to a request is a yes, which its words may leave open', () => {
  const words = (approve: unknown, isExternal = false) => inWords({ ...answer, request_id: 'r1', approve }, isExternal)
  expect(words(false)).toContain('request_id="r1" approve="false">\nTest it.')
  expect(words(true)).toContain('approve="true"')
  expect(words('" x="'), 'only the runtime says so').not.toContain('approve')
  expect(words(true, true), 'nobody from outside').not.toContain('approve=')
})
