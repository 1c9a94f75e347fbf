import type { StandardSchemaV1 } from '@standard-schema/spec'
import { z } from 'zod'
import { defineTool, jsonSchemaOf } from '../define-tool.ts'
import { say } from './messages/deliver-message.ts'
import { MessageInput, MessageOffer } from './messages/message-input.ts'
import prose from './messages/send-message.md'

/** The same message with the names of the simple spelling. */
const { recipient, content, type, ...others } = MessageOffer.shape
const Offer = z.strictObject({ to: recipient, content, msg_type: type, ...others })
const OURS: Readonly<Record<string, string>> = { recipient: 'to', type: 'msg_type' }

export const sendMessageSimple = defineTool<MessageInput>({
  name: 'send_message',
  description: prose.replaceAll('`type`', '`msg_type`').replaceAll('`recipient`', '`to`'),
  input: named(MessageInput),
  schema: jsonSchemaOf('send_message', Offer),
  action: () => undefined,
  run: say,
})

/** What is wrong is said with the names it was written with. */
function named<T>(schema: StandardSchemaV1<unknown, T>): StandardSchemaV1<unknown, T> {
  return {
    '~standard': {
      ...schema['~standard'],
      async validate(value) {
        const checked = await schema['~standard'].validate(value)
        if (!checked.issues) return checked
        const rename = (step: PropertyKey | StandardSchemaV1.PathSegment) => OURS[String(step)] ?? step
        return { issues: checked.issues.map((issue) => ({ ...issue, path: issue.path?.map(rename) })) }
      },
    },
  }
}
