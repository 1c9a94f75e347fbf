import { defineTool, jsonSchemaOf } from '../../define-tool.ts'
import { say } from './deliver-message.ts'
import { MessageInput, MessageOffer } from './message-input.ts'
import description from './send-message.md'

export const sendMessage = defineTool({
  name: 'SendMessage',
  description,
  input: MessageInput,
  schema: jsonSchemaOf('SendMessage', MessageOffer),
  action: () => undefined,
  run: say,
})
