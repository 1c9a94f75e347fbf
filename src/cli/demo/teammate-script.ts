import type { ModelRequest } from '../../models/model.ts'
import { TASK_TEXT } from '../../prompts/task.ts'
import { did, type Entry, entriesOf, messages, TEST, testsIn } from './conversation.ts'
import { answerFrom, craftOf, type Knowledge } from './file-steps.ts'
import { type Answer, COLLEAGUES, NEEDS_PLAN } from './lead-script.ts'

type Call = NonNullable<Answer['calls']>[number]

/** The task a teammate holds, read from its input. */
interface Held {
  readonly id: string
  readonly subject: string
  readonly files: readonly string[]
  readonly before: string
  /** The index of the input that assigned it. */
  readonly at: number
}

/** The next reply of any teammate of the demo, computed from its task, its mail and its tool results. */
export function teammateAnswer(request: ModelRequest): Answer {
  const all = entriesOf(request)
  const stop = messages(all, 'shutdown_request').find(
    ({ request }) => did(all, 'SendMessage', { type: 'shutdown_response', request_id: request }).length === 0,
  )
  if (stop)
    return { calls: [send({ type: 'shutdown_response', request_id: stop.request, approve: true, status: 'clean' })] }
  const replies = replyTo(all)
  const task = heldIn(all)
  const step = task ? nextStep(all, task, request.agent) : { text: 'Nothing is left on my side.' }
  const calls = [...replies, ...(step.calls ?? [])]
  if (calls.length > 0) return { ...(step.text && { text: step.text }), calls }
  return { text: step.text ?? 'Nothing is left on my side.' }
}

/** Answers open questions of teammates: reads the file they ask about, then replies. */
function replyTo(all: readonly Entry[]): Call[] {
  return messages(all, 'message').flatMap(({ from, content, at }) => {
    if (from === 'lead' || !content.endsWith('?')) return []
    const later = all.slice(at)
    if (did(later, 'SendMessage', { recipient: from }).length > 0) return []
    const path = aboutFile(content)
    const [read] = did(later, 'read_file', { path })
    if (!read) return [{ tool: 'read_file', input: { path } }]
    return [send({ recipient: from, content: answerFrom(path, read.result) })]
  })
}

/** The last file a question names is the one it is about. */
function aboutFile(question: string): string {
  return question.match(/[\w-]+(?:\/[\w-]+)*\.\w+/g)?.at(-1) ?? ''
}

function heldIn(all: readonly Entry[]): Held | undefined {
  const { open, close, hold, stillHold, files: listed, result } = TASK_TEXT
  const at = all.findLastIndex((entry) => entry.type === 'input' && entry.text.includes(open))
  const entry = all[at]
  if (entry?.type !== 'input') return undefined
  const [text = ''] = entry.text.slice(entry.text.lastIndexOf(open) + open.length).split(close)
  const [first = '', ...lines] = text.split('\n')
  const id = first.slice(0, first.indexOf('"'))
  const ended = did(all.slice(at), 'TaskUpdate', { taskId: id })
  if (ended.some(({ result }) => /completed|failed/.test(result))) return undefined
  const behind = (...openings: string[]) => {
    const opening = openings.find((one) => lines.some((line) => line.startsWith(one))) ?? openings[0]!
    return lines.find((line) => line.startsWith(opening))?.slice(opening.length) ?? ''
  }
  const files = behind(listed).split(', ').filter(Boolean)
  const before = lines.filter((line) => line.includes(result)).join('\n')
  return { id, subject: behind(`${hold} ${id}: `, `${stillHold} ${id}: `), files, before, at }
}

/** Look, ask, hand in a plan, write, test, complete. What was done since the task was assigned is not repeated. */
function nextStep(all: readonly Entry[], task: Held, me: string): Answer {
  const since = all.slice(task.at)
  const reads = new Set(task.files.flatMap((path) => craftOf(path).reads ?? []))
  const unread = [...reads].filter((path) => did(since, 'read_file', { path }).length === 0)
  if (unread.length > 0) return { calls: unread.map((path) => ({ tool: 'read_file', input: { path } })) }
  const question = ask(all, since, task, me)
  if (question) return question
  const plan = planStep(all, since, task)
  if (plan) return plan
  const known = knowledge(all, since, task)
  for (const path of task.files) {
    const call = craftOf(path).make(known)
    const isWritten = ['write_file', 'edit_file'].some((tool) => did(since, tool, { path }).length > 0)
    if (call && !isWritten) return { calls: [call] }
  }
  const isCode = task.files.some((path) => path.endsWith('.js'))
  const [run] = did(since, 'bash', { command: TEST })
  if (isCode && !run) return { calls: [{ tool: 'bash', input: { command: TEST } }] }
  return { calls: [{ tool: 'TaskUpdate', input: { taskId: task.id, ...outcome(task, run?.result) } }] }
}

/** The colleague that knows is asked once, directly. Without an answer the teammate looks for itself. */
function ask(all: readonly Entry[], since: readonly Entry[], { files }: Held, me: string): Answer | undefined {
  for (const path of files) {
    const { asks } = craftOf(path)
    const isThere = all.some(
      (entry) => entry.type === 'input' && entry.text.includes(COLLEAGUES) && asks && entry.text.includes(asks.who),
    )
    if (!asks || asks.who === me || !isThere) continue
    const at = all.findIndex((entry) => entry.type === 'did' && entry.input.content === asks.question)
    if (at < 0) return { calls: [send({ recipient: asks.who, content: asks.question })] }
    const answer = messages(all, 'message').find((message) => message.at > at && message.from === asks.who)
    const isReminded = since.some((entry) => entry.type === 'input' && entry.text.includes(TASK_TEXT.reminder))
    if (!answer && !isReminded) return { text: `I have asked ${asks.who} and wait for the answer.` }
  }
  return undefined
}

/** A teammate that needs approval hands in a plan for each task, again after a rejection, and waits for the answer. */
function planStep(all: readonly Entry[], since: readonly Entry[], { subject, files }: Held): Answer | undefined {
  const isGated = all.some((entry) => entry.type === 'input' && entry.text.includes(NEEDS_PLAN))
  if (!isGated) return undefined
  const answers = messages(since, 'plan_approval_response')
  if (answers.at(-1)?.approve === 'true') return undefined
  const handedIn = did(since, 'SendMessage', { type: 'plan_approval_request' }).length
  if (handedIn > answers.length) return { text: 'My plan is with lead.' }
  const isWarned = messages(all, 'plan_approval_response').some(({ content }) => /\btest/i.test(content))
  const how = isWarned ? ' Then I run all tests.' : ''
  return { calls: [send({ type: 'plan_approval_request', content: `${subject}: I write ${files.join(', ')}.${how}` })] }
}

function knowledge(all: readonly Entry[], since: readonly Entry[], { subject, before }: Held): Knowledge {
  const reads = did(since, 'read_file').map(({ input, result }) => [String(input.path), unnumbered(result)] as const)
  const answers = messages(all, 'message').flatMap(({ from, content, at }) => {
    const asked = did(all.slice(0, at), 'SendMessage', { recipient: from }).at(-1)
    return asked && !content.endsWith('?') ? [[aboutFile(String(asked.input.content)), content] as const] : []
  })
  return { subject, before, files: new Map(reads), answers: new Map(answers) }
}

function outcome({ files }: Held, tests = ''): Record<string, string> {
  const counts = testsIn(tests)
  if (tests !== '' && (counts?.fail ?? 1) > 0)
    return { status: 'failed', reason: `the tests fail: ${tests.slice(-500)}` }
  return { status: 'completed', result: `${files.join(', ')}${counts ? `; ${counts.pass} tests pass` : ''}` }
}

function send(input: Record<string, unknown>): Call {
  return { tool: 'SendMessage', input }
}

/** A file as it is, without the numbers its lines are shown with. */
function unnumbered(shown: string): string {
  return shown.replace(/^ *\d+\t/gm, '')
}
