import { z } from 'zod'
import { messageText, readingTimeText } from '../../../prompts/message.ts'
import type { MessageView } from '../../../team/answers/view.ts'
import type { Effect } from '../../../team/message.ts'
import { isRefusal, type Refusal, refuse } from '../../../team/refusal.ts'
import { memberNamed, type TeamState } from '../../../team/state.ts'
import { confirmMail, takeMail } from '../mail-delivery.ts'
import { OpenRequest, openRequest, ReadMessage } from '../shapes.ts'
import { type ToolCall, type ToolOutput, teamTool } from '../team-tool.ts'

export const Received = z
  .array(z.string().max(512))
  .max(1000)
  .default([])
  .describe('ids of the messages that you got from an earlier call: only now they count as delivered')

const sent = z.object({
  id: z.string().nullable(),
  deliveries: z.array(z.object({ to: z.string(), outcome: z.string(), reason: z.string().nullable() })),
  request: OpenRequest.nullable(),
})
type Sent = z.input<typeof sent>

const messageSend = teamTool({
  name: 'message_send',
  title: 'Send a message',
  description:
    'Sends a message to a member of the team, or to user, the person. With type plan_approval_request it asks the lead to approve your plan; the answer comes as a message.',
  input: z.object({
    to: z.string().describe('the name of a member, lead or user'),
    content: z.string(),
    type: z
      .string()
      .optional()
      .describe('message (the default), plan_approval_request, or a hand-off type such as dev_blocker'),
  }),
  output: sent,
  async run({ to, content, type }, call) {
    if (type === 'plan_approval_request') return requestApproval(call, to, content)
    if (to.toLowerCase() === 'all' || type === 'broadcast') return refuse('invalid', { problem: 'broadcast_to_all' })
    return deliver(call, { to, content, ...(type !== undefined && { type: type as 'message' }) })
  },
})

const messageBroadcast = teamTool({
  name: 'message_broadcast',
  title: 'Write to all members',
  description:
    'Sends a message to every other member of the team. Prefer message_send: each recipient spends tokens on it.',
  input: z.object({ content: z.string() }),
  output: sent,
  run: ({ content }, call) => deliver(call, { to: 'all', content, type: 'broadcast' }),
})

const inbox = teamTool({
  name: 'inbox',
  title: 'Read your mail',
  description:
    'Returns your unread messages at once. They stay unread until a later call of inbox or wait_for_news names their ids in received.',
  input: z.object({ received: Received }),
  output: z.object({
    messages: z.array(ReadMessage),
    more: z.number().describe('unread messages that are not in this result'),
    confirmed: z.array(z.string()).describe('those of received that were unread until now'),
  }),
  async run({ received }, { team, by, runtime }) {
    const confirmed = await confirmMail(team, by, received)
    await team.ingest()
    const mail = await takeMail(team, by, runtime)
    if (isRefusal(mail)) return mail
    const { messages, more } = mail
    return { data: { messages: messages.map((one) => ({ ...one })), more, confirmed }, text: mailText(messages, more) }
  },
})

export const mailTools = [messageSend, messageBroadcast, inbox]

/** The messages as a model reads them, and what to do so that they do not come again. */
export function mailText(messages: readonly MessageView[], more: number): string {
  if (messages.length === 0) return more === 0 ? 'No unread mail.' : `${more} unread, which another reader of you has.`
  const ids = JSON.stringify(messages.map(({ id }) => id))
  const rest = more === 0 ? '' : ` ${more} more wait.`
  const words = messages.map((message) => messageText(message, message.external === true))
  return [...words, `[Name them in your next call of inbox or wait_for_news: received ${ids}.${rest}]`].join('\n')
}

async function deliver(
  { team, by }: ToolCall,
  message: { to: string; content: string; type?: 'message' | 'broadcast' },
): Promise<ToolOutput<Sent> | Refusal> {
  const effects = await team.send(message, { by })
  if (isRefusal(effects)) return effects
  const deliveries = effects.map(delivery)
  const isFailure = deliveries.length === 0 || deliveries.every(({ outcome }) => outcome === 'bounced')
  const lines = deliveries.map((one) => deliveryText(team.state, one))
  if (lines.length === 0) lines.push('There are no other members.')
  return { data: { id: effects[0]?.id ?? null, deliveries, request: null }, text: lines.join('\n'), isFailure }
}

async function requestApproval(
  { team, by }: ToolCall,
  to: string,
  content: string,
): Promise<ToolOutput<Sent> | Refusal> {
  const answer = await team.run({ type: 'request.open', kind: 'plan_approval', to, content }, { by })
  if (isRefusal(answer)) return answer
  const { request, effects = [] } = answer
  const data = {
    id: effects[0]?.id ?? null,
    deliveries: effects.map(delivery),
    request: request ? openRequest(request) : null,
  }
  return {
    data,
    text: `Plan sent to ${request?.to} (request ${request?.id}, pending). wait_for_news returns the answer.`,
  }
}

function delivery({ to, outcome, reason }: Effect): Sent['deliveries'][number] {
  return { to, outcome, reason: reason ?? null }
}

function deliveryText(state: TeamState, { to, outcome, reason }: Sent['deliveries'][number]): string {
  if (outcome !== 'queued') return `Not delivered to ${to}: ${reason ?? outcome}.`
  return `Sent to ${to} (${readingTimeText(memberNamed(state, to), false)}).`
}
