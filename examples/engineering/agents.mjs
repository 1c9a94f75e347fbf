/**
 * The scripted agents of the example: each writes the files of its task, and completes it. All they know is their
 * conversation, as with any model. Two of them are in trouble as teammates: see `troubled`.
 */
export default {
  parts: [{ times: 'always', compose: ({ agent, turns }) => (isTeammate(agent) && troubled(turns)) || work(turns) }],
}

/** One-shot agents have the name of the member that holds their task before theirs: `dev-1-errand/dev-1`. */
function isTeammate(agent) {
  return !agent.includes('/')
}

/**
 * The developer of task 03-01/T4 loses its model whenever it works: it disappears, and so it does when it is brought back.
 * The developer of 03-03/T1, in the frontend, writes to the lead of the backend first, which is not allowed.
 */
function troubled(turns) {
  const text = strings(turns).join('\n')
  const held = [...text.matchAll(HELD)].at(-1)?.[1]
  if (held === '03-01/T4') return { error: { fault: 'request', message: 'the model of this developer is gone' } }
  if (held !== '03-03/T1' || text.includes('I ask the backend')) return undefined
  const input = { recipient: 'yolo-lead', content: 'Which fields does a user have?' }
  return { text: 'I ask the backend', calls: [{ tool: 'SendMessage', id: `m${turns.length}`, input }] }
}

const HELD = /(?:<task id="|still hold task )(\d+(?:-\d\d\/T\d+)?)/g

export function work(turns) {
  const texts = turns.map((turn) => strings(turn).join('\n'))
  const at = texts.findLastIndex((text, i) => turns[i].role !== 'assistant' && text.match(HELD))
  if (at === -1) return { text: 'Fine.' }
  const id = [...texts[at].matchAll(HELD)].at(-1)[1]
  const begin = texts.join('\n').lastIndexOf(`<task id="${id}"`)
  const task = texts.join('\n').slice(begin)
  const since = texts.slice(at + 1).join('\n')
  const files = filesOf(task).filter((file) => !since.includes(`wrote ${file}`))
  const step = turns.length
  const [file] = files
  if (file !== undefined)
    return {
      text: `I wrote ${file}`,
      calls: [{ tool: 'write_file', id: `w${step}`, input: { path: file, content: contentOf(file, id, task) } }],
    }
  if (since.includes('is finished')) return { text: 'Done.' }
  const input = { taskId: id, status: 'completed', result: `Task ${id} is done` }
  return { text: `Task ${id} is finished`, calls: [{ tool: 'TaskUpdate', id: `u${step}`, input }] }
}

/** What a task of a step leaves behind, or the first file of a task of a plan. */
function filesOf(task) {
  const [, left] = /Leave behind:\n((?:- .*\n?)+)/.exec(task) ?? []
  if (left !== undefined)
    return [...left.matchAll(/^- (\S+)/gm)].map(([, file]) => file).filter((file) => !file.includes('*'))
  const [, file] = /\nFiles: ([^,\s<]+)/.exec(task) ?? []
  return file === undefined ? [] : [file]
}

const ARTEFACTS = {
  'critique.jsonl': { id: 'C1', cat: 'gap', sev: 'minor', q: 'What happens without users?' },
  'test-plan.jsonl': { id: 'T1', tf: ['test/users.test.ts'], tc: 2, red: true },
  'code-review.jsonl': { plan: '03-01', r: 'approve', cycle: 1 },
  'verification.jsonl': { tier: 'standard', r: 'PASS', ps: 2, fl: 0, tt: 2 },
  'qa-code.jsonl': { r: 'PASS', tests: { ps: 2, fl: 0 } },
  'security-audit.jsonl': { r: 'PASS', findings: 0, critical: 0 },
}

/** A review of one plan has the plan before its name, or says which one it is about; departments have prefixes of their own. */
function contentOf(file, id, task) {
  const [, plan = /Plans: (\d\d-\d\d)/.exec(task)?.[1], name] = /^(?:(\d\d-\d\d)\.)?(?:fe-|ux-)?(.+)$/.exec(
    file.split('/').at(-1),
  )
  const artefact = ARTEFACTS[name]
  if (!artefact) return `${id}\n`
  return `${JSON.stringify('plan' in artefact ? { ...artefact, plan } : artefact)}\n`
}

function strings(value) {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : []
}
