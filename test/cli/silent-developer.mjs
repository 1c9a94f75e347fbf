import { work } from '../../examples/engineering/agents.mjs'

/** The agents of the example, except that the model of a developer that is a teammate sends nothing. */
export default { parts: [{ times: 'always', compose: ({ agent, turns }, signal) => answer(agent, turns, signal) }] }

/** How many requests wait for an answer: the test moves its clock while one does. */
globalThis.silentRequests = 0

function answer(agent, turns, signal) {
  if (!agent.startsWith('dev-') || agent.includes('/')) return work(turns)
  globalThis.silentRequests++
  return new Promise((_, reject) =>
    signal.addEventListener(
      'abort',
      () => {
        globalThis.silentRequests--
        reject(signal.reason)
      },
      { once: true },
    ),
  )
}
