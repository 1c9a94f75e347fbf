import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toolResults, withProvider } from './fake-provider.mjs'

/** A command line for agents of the Agent Client Protocol, made by others, as a client of `deskmates acp`. */
export const client = {
  title: 'acpx',
  node: '22',
  package: () => ({ name: 'acpx', version: '0.19.1', program: 'dist/cli.js' }),
  async prove(world) {
    const allowed = await turn(world, '--approve-all', 'allowed.txt')
    if (readFileSync(join(world.work, 'allowed.txt'), 'utf8') !== 'written\n')
      throw new Error('the file is not as asked')
    expectTurn(allowed, /Wrote 8 bytes/, 'completed')
    const denied = await turn(world, '--deny-all', 'denied.txt')
    if (existsSync(join(world.work, 'denied.txt'))) throw new Error('the file was written although acpx denied it')
    expectTurn(denied, /denied/i, 'failed')
    return [
      'a turn with a permission asked and allowed',
      'a turn with one denied',
      'the diff shown',
      'the results read',
    ]
  },
}

/** A prompt upon which the lead wants to write this file, and acpx answers as told. Returns the messages that acpx saw. */
async function turn({ node, program, run, cli }, answer, path) {
  const agent = [process.execPath, cli, 'acp', '-m', 'anthropic/claude-sonnet-4-5']
    .map((word) => JSON.stringify(word))
    .join(' ')
  const words = ['--agent', agent, answer, '--format', 'json', 'exec', 'Write the file.']
  let printed = ''
  const asked = await withProvider(writing(path), async (url) => {
    const env = { ANTHROPIC_BASE_URL: `${url}/v1`, ANTHROPIC_API_KEY: 'sk-ant-test' }
    printed = await run(node, [program, ...words], { env, mayFail: answer === '--deny-all' })
  })
  const messages = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return { path, messages, results: asked.flatMap((request) => toolResults(request.messages)) }
}

/** A model that writes this file once, and then ends its turn. */
function writing(path) {
  return ({ messages }) =>
    toolResults(messages).length === 0
      ? { tool: 'write_file', input: { path, content: 'written\n' } }
      : { text: 'That is all.' }
}

function expectTurn({ path, messages, results }, result, status) {
  const updates = messages.flatMap(({ params }) => params?.update ?? [])
  const ids = updates.flatMap(({ sessionUpdate: kind, toolCallId }) => (kind === 'tool_call' ? [toolCallId] : []))
  const asked = messages.filter(({ method }) => method === 'session/request_permission')
  const answers = messages.filter(({ result: answer }) => answer?.outcome)
  const facts = {
    'one call, with its diff': ids.length === 1 && JSON.stringify(asked[0]?.params.toolCall.content).includes(path),
    'one question about it, answered once':
      asked.length === 1 && asked[0].params.toolCall.toolCallId === ids[0] && answers.length === 1,
    [`the call ${status}`]: updates.some(({ toolCallId, status: now }) => toolCallId === ids[0] && now === status),
    'the result read by the model': results.some((text) => result.test(text)),
    'the words of the lead': updates.some(({ content }) => content?.text?.includes('That is all.')),
    'the end of the turn': messages.some(({ result: answer }) => answer?.stopReason === 'end_turn'),
    'no update before its session is known': firstUpdate(messages) > knownAt(messages),
  }
  for (const [what, holds] of Object.entries(facts))
    if (!holds) throw new Error(`${path}: not seen: ${what}, in ${JSON.stringify(messages).slice(-3000)}`)
}

function firstUpdate(messages) {
  return messages.findIndex(({ method }) => method === 'session/update')
}

function knownAt(messages) {
  return messages.findIndex(({ result }) => result?.sessionId !== undefined)
}
