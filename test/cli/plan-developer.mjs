/** A script for plan runs: a developer writes the first file of each task and completes it. All it knows is its conversation. */
export default { parts: [{ times: 'always', compose: ({ turns }) => develop(turns) }] }

const HELD = /(?:<task id=\\"|still hold task )(\d\d-\d\d\/T\d+)/g

export function develop(turns) {
  const texts = turns.map((turn) => JSON.stringify(turn))
  const at = texts.findLastIndex((text, i) => turns[i].role !== 'assistant' && text.match(HELD))
  if (at === -1) return { text: 'Fine.' }
  const id = [...texts[at].matchAll(HELD)].at(-1)[1]
  const since = texts.slice(at + 1).join('')
  const file = texts.join('').match(new RegExp(`<task id=\\\\"${id}.*?\\\\nFiles: ([^,\\\\]+)`))?.[1]
  const step = turns.length
  if (file !== undefined && !since.includes('write_file'))
    return {
      text: 'On it.',
      calls: [{ tool: 'write_file', id: `w${step}`, input: { path: file, content: `${id}\n` } }],
    }
  if (since.includes('TaskUpdate')) return { text: 'Done.' }
  const input = { taskId: id, status: 'completed', result: `${id} is done` }
  return { text: 'Finished.', calls: [{ tool: 'TaskUpdate', id: `u${step}`, input }] }
}
