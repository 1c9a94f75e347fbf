/**
 * How much of the requests of a team a provider with breakpoints (Anthropic) reads from its cache: the bytes of a request
 * that equal the previous request of the same conversation, up to a breakpoint that both have. A conversation is known by its
 * system prompt; its first request counts as not cached.
 */
export function cachedShare(bodies) {
  const conversations = new Map()
  const requests = bodies.map((body) => {
    const blocks = blocksOf(body)
    const key = JSON.stringify(blocks.filter(({ place }) => place === 'system').map(({ text }) => text))
    const previous = conversations.get(key)
    conversations.set(key, blocks)
    return {
      body,
      conversation: key,
      bytes: bytesOf(blocks),
      previousBytes: previous === undefined ? 0 : bytesOf(previous),
      cachedBytes: previous === undefined ? 0 : cachedBytes(previous, blocks),
      breakpoints: blocks.filter(({ isBreakpoint }) => isBreakpoint).length,
    }
  })
  const sum = (key) => requests.reduce((total, request) => total + request[key], 0)
  return { requests, bytes: sum('bytes'), cachedBytes: sum('cachedBytes') }
}

/** In the order in which the provider caches them: tools, system prompt, messages. A breakpoint is not content. */
function blocksOf({ tools = [], system = [], messages }) {
  const placed = (place, blocks) => blocks.map((block) => ({ place, block }))
  const all = [
    ...placed('tools', tools),
    ...placed('system', system),
    ...messages.flatMap(({ role, content }) => placed(role, content)),
  ]
  return all.map(({ place, block: { cache_control: mark, ...block } }) => ({
    place,
    text: JSON.stringify(block),
    isBreakpoint: mark !== undefined,
  }))
}

function cachedBytes(previous, blocks) {
  let bytes = 0
  let cached = 0
  for (const [at, { place, text, isBreakpoint }] of blocks.entries()) {
    if (previous[at]?.text !== text || previous[at].place !== place) break
    bytes += Buffer.byteLength(text)
    if (isBreakpoint && previous[at].isBreakpoint) cached = bytes
  }
  return cached
}

function bytesOf(blocks) {
  return blocks.reduce((total, { text }) => total + Buffer.byteLength(text), 0)
}
