import type { ModelRequest } from '../../models/model.ts'
import { askedIn } from '../../models/scripted/conversation.ts'
import type { Script } from '../../models/scripted/script.ts'
import { CREATED_TASK } from '../../tools/team/board/task-create.ts'
import { BOX } from '../../tools/team/board/task-list.ts'
import { did, type Entry, entriesOf, messages, TEST, testsIn } from './conversation.ts'

type Compose = Extract<Script['parts'][number], { compose: unknown }>['compose']
export type Answer = Omit<Awaited<ReturnType<Compose>>, 'delay'>
type Call = NonNullable<Answer['calls']>[number]

interface Step {
  readonly role: string
  readonly subject: string
  readonly files: readonly string[]
}

/** The next reply of the lead of the demo, computed from the prompt, its mail and its tool results. */
export function leadAnswer(request: ModelRequest): Answer {
  const all = entriesOf(request)
  const assignment = all.find((entry) => entry.type === 'input')?.text ?? ''
  const steps = stepsIn(assignment)
  const [team = 'graphql'] = /name: ([\w-]+)\)/.exec(assignment)?.slice(1) ?? []
  const gated = /Plans of ([\w-]+) need approval/.exec(assignment)?.[1]
  const [before, after] = did(all, 'bash', { command: TEST })

  if (!before) return { text: 'First I look whether its tests pass as it is.', calls: [runTests] }
  if ((testsIn(before.result)?.fail ?? 1) > 0)
    return { text: `I stop here: the tests do not pass before we begin.\n${before.result}` }
  if (did(all, 'TeamCreate').length === 0) return { calls: [{ tool: 'TeamCreate', input: { name: team } }] }
  const created = did(all, 'TaskCreate').map(({ result }) => createdTask(result))
  const step = steps[created.length]
  if (step) return { calls: [taskFor(step, created.at(-1))] }
  const roles = [...new Set(steps.map(({ role }) => role))]
  if (did(all, 'Task').length === 0) return { calls: roles.map((role) => teammate(role, roles, role === gated)) }

  const decisions = decidePlans(all)
  if (decisions.length > 0) return { calls: decisions }
  if (!after) return askedIn(request).user === '' ? afterBoard(all) : { calls: [{ tool: 'TaskList', input: {} }] }
  return closing(all, roles, { before: testsIn(before.result)!.pass, after: after.result })
}

/** Parts of its prompts that its teammates look for. */
export const COLLEAGUES = 'Your colleagues:'
export const NEEDS_PLAN = 'Hand in a plan for each task'

const runTests: Call = { tool: 'bash', input: { command: TEST } }

/** The id in the result of TaskCreate. */
function createdTask(result: string): string | undefined {
  return result.startsWith(CREATED_TASK) ? result.slice(CREATED_TASK.length).split(' ')[0] : undefined
}

/** Lines such as `2. backend: Write the schema (src/schema.js)`. */
function stepsIn(text: string): Step[] {
  return [...text.matchAll(/^\d+\. ([\w-]+): (.+?) \(([^)]*)\)$/gm)].map(([, role = '', subject = '', files = '']) => ({
    role,
    subject,
    files: files.split(', '),
  }))
}

function taskFor({ role, subject, files }: Step, behind: string | undefined): Call {
  const description = `Done when ${files.join(', ')} ${files.length === 1 ? 'is' : 'are'} written and all tests pass.`
  const blockedBy = behind === undefined ? [] : [behind]
  return { tool: 'TaskCreate', input: { subject, description, role, files, blockedBy } }
}

function teammate(role: string, roles: readonly string[], isGated: boolean): Call {
  const gate = isGated ? ` ${NEEDS_PLAN} before you change anything.` : ''
  const prompt = `Your tasks come to you by role. ${COLLEAGUES} ${roles.filter((one) => one !== role).join(', ')}.${gate}`
  return { tool: 'Task', input: { name: role, role, prompt, ...(isGated && { require_plan: true }) } }
}

/** A plan that does not say how it is tested is sent back. */
function decidePlans(all: readonly Entry[]): Call[] {
  return messages(all, 'plan_approval_request').flatMap(({ request, content }) => {
    const response = { type: 'plan_approval_response', request_id: request }
    if (request === undefined || did(all, 'SendMessage', response).length > 0) return []
    const feedback = /\btest/i.test(content) ? 'Go ahead.' : 'Say how you will test it, and hand it in again.'
    return [{ tool: 'SendMessage', input: { ...response, approve: /\btest/i.test(content), feedback } }]
  })
}

/** It has looked at the board, or has just done something itself. */
function afterBoard(all: readonly Entry[]): Answer {
  const last = all.at(-1)
  const board = last?.type === 'did' && last.tool === 'TaskList' ? last.result : ''
  const has = (status: keyof typeof BOX) => board.includes(BOX[status])
  const isStuck = has('failed') && !has('in_progress')
  const isDone = has('completed') && !has('pending') && !has('in_progress')
  if (isDone || isStuck) return { text: 'All that could be done is done. Do the tests still pass?', calls: [runTests] }
  return { text: 'The team is at work; I am notified when something happens.' }
}

function closing(all: readonly Entry[], names: readonly string[], tests: { before: number; after: string }): Answer {
  const asked = all.findIndex((entry) => entry.type === 'did' && entry.input.type === 'broadcast')
  if (asked < 0) {
    const content = 'Closing check: all tasks have ended. Reply if you have anything left to do.'
    return { calls: [{ tool: 'SendMessage', input: { type: 'broadcast', content } }] }
  }
  const reports = messages(all, 'result').filter(({ at }) => at > asked)
  const silent = names.filter((name) => !reports.some(({ from }) => from === name))
  if (silent.length > 0) return { text: `I wait for ${silent.join(', ')}.` }
  const requests = did(all, 'SendMessage', { type: 'shutdown_request' })
  if (requests.length === 0)
    return {
      calls: names.map((recipient) => ({
        tool: 'SendMessage',
        input: { type: 'shutdown_request', recipient, reason: 'The work is done. Thank you.' },
      })),
    }
  const answers = messages(all, 'shutdown_response')
  const missing = names.filter((name) => !answers.some(({ from }) => from === name))
  if (missing.length > 0) return { text: `I wait until ${missing.join(', ')} has shut down.` }
  return { text: report(all, tests) }
}

function report(all: readonly Entry[], tests: { before: number; after: string }): string {
  const board = did(all, 'TaskList').at(-1)?.result ?? ''
  const counts = /^\d+ tasks?: .*$/m.exec(board)?.[0] ?? ''
  const { pass, fail } = testsIn(tests.after) ?? { pass: 0, fail: 1 }
  const outcome = fail > 0 ? `${fail} of the tests fail now` : `${tests.before} tests passed before, ${pass} pass now`
  const isWell = fail === 0 && !/pending|in_progress|failed/.test(counts)
  return `${isWell ? 'The app uses GraphQL.' : 'It is not done.'} ${counts} ${outcome}. All teammates have shut down.`
}
