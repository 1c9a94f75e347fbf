import { z } from 'zod'
import { nameKey } from '../../../team/name.ts'
import { isRefusal } from '../../../team/refusal.ts'
import { type Request, ShutdownStatus } from '../../../team/request.ts'
import type { TeamState } from '../../../team/state.ts'
import { oneLine } from '../../../team/wording.ts'
import { OpenRequest, openRequest } from '../shapes.ts'
import { teamTool } from '../team-tool.ts'

const requests = teamTool({
  name: 'requests',
  title: 'Open requests',
  description: 'Lists the requests that wait for your answer, and yours that wait for an answer of others.',
  input: z.object({}),
  output: z.object({ toAnswer: z.array(OpenRequest), waiting: z.array(OpenRequest) }),
  isReadOnly: true,
  async run(_, { team, by }) {
    const open = await team.loadLongTexts(openRequests(team.state))
    const toAnswer = open.filter(({ to }) => nameKey(to) === nameKey(by.name))
    const waiting = open.filter(({ from }) => nameKey(from) === nameKey(by.name))
    const lines = [...toAnswer.map(requestText), ...waiting.map(requestText)]
    const data = { toAnswer: toAnswer.map(openRequest), waiting: waiting.map(openRequest) }
    return { data, text: lines.join('\n') || 'No open requests.' }
  },
})

const requestAnswer = teamTool({
  name: 'request_answer',
  title: 'Answer a request',
  description:
    'Approves or rejects a request that was sent to you, such as a request to shut down. Agree to shut down when your work is in a safe state, and say what is left.',
  input: z.object({
    id: z.string().max(32).describe('of the request, such as r3'),
    approve: z.boolean(),
    feedback: z.string().optional().describe('a comment for the member that asked'),
    status: ShutdownStatus.optional().describe('of a shutdown: how you leave your work'),
    pendingWork: z.array(z.string()).optional().describe('of a shutdown: what is left to do'),
    artifactsCommitted: z.boolean().optional().describe('of a shutdown: whether your files are committed'),
  }),
  output: z.object({ request: OpenRequest }),
  async run({ id, approve, feedback, status, pendingWork, artifactsCommitted }, { team, by }) {
    const given = {
      ...(feedback !== undefined && { feedback }),
      ...(status !== undefined && { status }),
      ...(pendingWork !== undefined && { pendingWork }),
      ...(artifactsCommitted !== undefined && { artifactsCommitted }),
    }
    const answer = await team.run({ type: 'request.answer', id, approve, ...given }, { by })
    if (isRefusal(answer)) return answer
    const { request } = answer
    if (!request) throw new Error(`Request ${id} was answered and cannot be seen.`)
    return { data: { request: openRequest(request) }, text: `Request ${id} of ${request.from}: ${request.state}.` }
  },
})

export const requestTools = [requests, requestAnswer]

/** In the order they were opened. */
export function openRequests(state: TeamState): Request[] {
  return [...state.requests.values()]
    .filter((request) => request.state === 'pending')
    .sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))
}

function requestText({ id, kind, from, to, content }: Request): string {
  return `${id} (${kind}) from ${from} to ${to}: ${oneLine(content, 200)}`
}
