import { z } from 'zod'
import { numbered } from '../../../prompts/task-state.ts'
import { type MessageView, type TaskView, taskView } from '../../../team/answers/view.ts'
import { nameKey } from '../../../team/name.ts'
import { isRefusal, type Refusal, refuse } from '../../../team/refusal.ts'
import { nextDeadline } from '../../../team/requests/overdue.ts'
import { heldBy, type TeamState } from '../../../team/state.ts'
import { confirmMail, takeMail } from '../mail-delivery.ts'
import { ListedTask, listedTask, OpenRequest, openRequest, ReadMessage, WholeTask, wholeTask } from '../shapes.ts'
import { type ToolCall, teamTool } from '../team-tool.ts'
import { claimableBy, isAssignedTo } from './claimable.ts'
import { mailText, Received } from './mail.ts'
import { openRequests } from './requests.ts'

/** Clients end a call after 60 seconds. */
const MAX_WAIT_SECONDS = 50
/** The journal is read again at least this often: a change may come without a notification. */
const POLL_MS = 2000
const MAX_LISTED = 20

export const waitTool = teamTool({
  name: 'wait_for_news',
  title: 'Wait for mail or a task',
  description: `Waits until a message for you arrives, a task is assigned to you or a task is ready for you, at most ${MAX_WAIT_SECONDS} seconds; call it again when timedOut is true. Name the ids of messages that you have read in received, otherwise they come again; name tasks that you do not want in knownTasks.`,
  input: z.object({
    received: Received,
    knownTasks: z
      .array(z.string().max(64))
      .max(1000)
      .default([])
      .describe('ids of ready tasks that you know already and do not want to be told of again'),
    seconds: z.number().min(0).max(MAX_WAIT_SECONDS).default(MAX_WAIT_SECONDS).describe('how long to wait'),
  }),
  output: z.object({
    timedOut: z.boolean().describe('nothing new within the time'),
    messages: z.array(ReadMessage),
    more: z.number().describe('unread messages that are not in this result'),
    confirmed: z.array(z.string()).describe('those of received that were unread until now'),
    held: WholeTask.nullable().describe('the task that you hold'),
    ready: z.array(ListedTask).describe('tasks that you can claim, those assigned to you first'),
    requests: z.array(OpenRequest).describe('requests that wait for your answer'),
  }),
  async run({ received, knownTasks, seconds }, call) {
    const { team, by, clock, signal } = call
    const confirmed = await confirmMail(team, by, received)
    const known = new Set(knownTasks)
    const end = clock.now() + seconds
    const token = team.state.tokens.get(nameKey(by.name))
    for (;;) {
      await team.ingest()
      await team.refresh()
      // A caller whose token was replaced while it waited gets no more mail.
      const revoked = team.state.tokens.get(nameKey(by.name)) !== token
      if (revoked) return refuse('wrong_token', { problem: 'wrong', member: by.name })
      const arrived = await readArrivals(call, known)
      if (isRefusal(arrived)) return arrived
      const hasArrivals = arrived.messages.length > 0 || arrived.ready.some(({ id }) => !known.has(id))
      if (hasArrivals || clock.now() >= end || signal.aborted) {
        const { messages, more, held, ready } = await team.loadLongTexts(arrived)
        const open = openRequests(team.state).filter(({ to }) => nameKey(to) === nameKey(by.name))
        const requests = (await team.loadLongTexts(open)).map(openRequest)
        const data = {
          ...{ timedOut: !hasArrivals, messages: messages.map((one) => ({ ...one })), more, confirmed, requests },
          ...{ held: held && wholeTask(held), ready: ready.map(listedTask) },
        }
        return {
          data,
          text: hasArrivals ? arrivalsText(arrived, known) : 'No news. Call wait_for_news again to go on waiting.',
        }
      }
      await changedOr(call, nextMoment(team.state, clock.now(), end))
    }
  },
})

interface Arrivals {
  readonly messages: readonly MessageView[]
  readonly more: number
  readonly held: TaskView | null
  readonly ready: readonly TaskView[]
}

async function readArrivals(
  { team, by, runtime, clock }: ToolCall,
  known: ReadonlySet<string>,
): Promise<Arrivals | Refusal> {
  const mail = await takeMail(team, by, runtime)
  if (isRefusal(mail)) return mail
  const { state } = team
  const held = heldBy(state, by.name)
  // A member that holds a task can claim no other; what is assigned to it concerns it all the same.
  const ready = claimableBy(state, by.name, clock.now()).filter((task) => !held || isAssignedTo(task, by.name))
  // Those that are new come first: a list of known ones must not hide them.
  const shown = [...ready.filter(({ id }) => !known.has(id)), ...ready.filter(({ id }) => known.has(id))]
  return {
    ...mail,
    held: held ? taskView(state, held) : null,
    ready: shown.slice(0, MAX_LISTED).map((task) => taskView(state, task)),
  }
}

/** When the lease of another member ends, or the wait. A lease that is over, and not recorded yet, makes nothing ready any more. */
function nextMoment(state: TeamState, now: number, end: number): number {
  const deadline = nextDeadline(state)
  return deadline !== undefined && deadline > now ? Math.min(end, deadline) : end
}

/** Resolves when the team may have changed, at `until` by the clock, or when the caller is gone. */
async function changedOr({ team, clock, signal }: ToolCall, until: number): Promise<void> {
  const over = new AbortController()
  const stop = clock.in(Math.max(0, until - clock.now()), () => over.abort())
  try {
    await team.changed(POLL_MS, AbortSignal.any([over.signal, signal]))
  } finally {
    stop()
  }
}

function arrivalsText({ messages, more, ready }: Arrivals, known: ReadonlySet<string>): string {
  const fresh = ready.filter(({ id }) => !known.has(id))
  return [
    ...(messages.length === 0 ? [] : [mailText(messages, more)]),
    ...fresh.map(
      (task) => `${task.assignee === null ? 'Ready' : 'Assigned to you'}: ${numbered(task)}. Use task_claim.`,
    ),
  ].join('\n')
}
