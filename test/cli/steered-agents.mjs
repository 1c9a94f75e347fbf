/** The function `steer` of the running test answers for every agent. */
export default { parts: [{ times: 'always', compose: (request, signal) => globalThis.steer(request, signal) }] }
