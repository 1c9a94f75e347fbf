/**
 * Six teammates that hold a task each, and their lead, which deletes the team as soon as all of them work. They answer a request to
 * stop in every way: dan and fay never do.
 */
const ANSWERS = {
  ada: { approve: true, status: 'clean', artifacts_committed: true },
  bob: { approve: false, content: 'Not yet.' },
  cy: { approved: true, final_status: 'in_progress', pending_work: ['the docs'] },
  eve: { approve: true, status: 'error', content: 'the build is broken' },
}
const NAMES = ['ada', 'bob', 'cy', 'dan', 'eve', 'fay']

const call = (tool, input) => ({ tool, input })
const working = new Set()
let allWork
const everyone = new Promise((resolve) => {
  allWork = resolve
})

export default {
  parts: [
    {
      agent: 'lead',
      when: { user: 'Go' },
      calls: [
        call('TeamCreate', { name: 'web' }),
        ...NAMES.map((name) => call('TaskCreate', { subject: `part of ${name}`, description: '' })),
        ...NAMES.map((name, i) => call('Task', { name, prompt: 'Work.', task_id: String(i + 1) })),
      ],
    },
    {
      agent: 'lead',
      when: { result: /fay/ },
      compose: async () => {
        await everyone
        return { calls: [call('TeamDelete', { name: 'web' })] }
      },
    },
    { agent: 'lead', times: 'always', text: 'I see.' },
    { agent: NAMES, times: 'always', compose: work },
  ],
}

async function work({ agent, turns }, signal) {
  if (working.add(agent).size === NAMES.length) allWork()
  const text = JSON.stringify(turns.filter(({ role }) => role !== 'assistant'))
  if (!(agent in ANSWERS))
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const request_id = [...text.matchAll(/shutdown_request\\" request_id=\\"(r\d+)/g)].at(-1)?.[1]
  // By its conversation: an answer that urgent mail interrupted was not given, and the model is asked again.
  const hasAnswered = turns.some(
    (turn) => turn.role === 'assistant' && JSON.stringify(turn).includes(`"${request_id}"`),
  )
  if (request_id === undefined || hasAnswered) {
    if (hasAnswered && agent !== 'bob') return { calls: [writes(`${agent}-later.txt`)] }
    await new Promise((resolve) => setTimeout(resolve, 25))
    return { calls: [call('TaskList', {})] }
  }
  const answer = call('SendMessage', { type: 'shutdown_response', to: 'lead', request_id, ...ANSWERS[agent] })
  // One begins something new in the same answer.
  return { calls: agent === 'cy' ? [answer, writes('cy-new.txt')] : [answer] }
}

function writes(path) {
  return call('write_file', { path, content: '' })
}
