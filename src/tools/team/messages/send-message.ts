import { jsonSchemaOf } from '../../define-tool.ts'
import { defineOwnTool, type ToolFactory } from '../../own-tool.ts'
import { deliverMessage } from './deliver-message.ts'
import { messageInput, messageOffer } from './message-input.ts'
import description from './send-message.md'

const usual = sendMessageWith([])

/** With the types of hand-offs that the organisation of the session adds. */
export const sendMessage: ToolFactory<'SendMessage'> = {
  ...{ name: usual.name, roles: usual.roles, spelling: usual.spelling, needsTeam: usual.needsTeam },
  create: ({ routing }) => (routing && routing.addedTypes.length > 0 ? sendMessageWith(routing.addedTypes) : usual),
}

function sendMessageWith(addedTypes: readonly string[]) {
  return defineOwnTool({
    name: 'SendMessage',
    roles: ['lead', 'teammate'],
    spelling: 'team',
    needsTeam: true,
    description,
    input: messageInput(addedTypes),
    synonyms: { to: 'recipient', msg_type: 'type', plan: 'content' },
    schema: jsonSchemaOf('SendMessage', messageOffer(addedTypes)),
    action: () => undefined,
    run: deliverMessage,
  })
}
