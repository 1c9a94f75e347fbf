import { jsonSchemaOf } from '../../define-tool.ts'
import { defineOwnTool } from '../../own-tool.ts'
import { deliverMessage } from './deliver-message.ts'
import { MessageInput, MessageOffer } from './message-input.ts'
import description from './send-message.md'

export const sendMessage = defineOwnTool({
  name: 'SendMessage',
  roles: ['lead', 'teammate'],
  spelling: 'team',
  needsTeam: true,
  description,
  input: MessageInput,
  synonyms: { to: 'recipient', msg_type: 'type', plan: 'content' },
  schema: jsonSchemaOf('SendMessage', MessageOffer),
  action: () => undefined,
  run: deliverMessage,
})
