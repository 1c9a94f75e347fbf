import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { serveAcp } from '../../acp/agent/serve-acp.ts'
import { openControl } from '../../session/control/open-control.ts'
import { configuredServers } from '../../session/mcp/configured-servers.ts'
import type { SessionOptions } from '../../session/session-options.ts'
import { createPlace, openMemoryStore } from '../../stores/memory/store.ts'
import { type Compose, composedModel } from './composed-model.ts'
import { workspaceOn } from './session-harness.ts'

type Answer = (request: RequestPermissionRequest) => RequestPermissionOutcome | Promise<RequestPermissionOutcome>

const ends = new Set<() => Promise<void>>()

/** To call after each test. */
export async function closeEditors(): Promise<void> {
  for (const end of ends) await end()
  ends.clear()
}

/** An editor and our program, connected by streams, on a scripted model and a store in memory. */
export function editor(
  compose: Compose,
  answer: Answer = () => select('allow_once'),
  options: Partial<SessionOptions> = {},
) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-acp-')))
  const place = createPlace()
  const { model, requests } = composedModel(compose)
  const [toAgent, toEditor] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()]
  const stop = new AbortController()
  const served = serveAcp({
    input: toAgent.readable,
    output: toEditor.writable,
    version: '1.2.3',
    signal: stop.signal,
    async open({ id, cwd, servers }) {
      const workspace = workspaceOn(await openMemoryStore(place), root)
      const sandbox = { mode: 'off' } as const
      const sources = { workspace, env: { HOME: root, DESKMATES_STATE: join(root, 'state') }, cwd, editor: servers }
      const mcpServers = configuredServers({ ...sources, settings: { origins: [] } }).servers
      return openControl({ workspace, model, version: '1.2.3', sandbox, env: {}, team: id, mcpServers, ...options })
    },
    list: async (cwd) => [{ sessionId: 's-1', cwd, title: 'Count the words' }],
  })
  const updates: SessionUpdate[] = []
  const asked: RequestPermissionRequest[] = []
  /** All that the editor has received, as it was written. */
  let received = ''
  const decoder = new TextDecoder()
  const reader = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      received += decoder.decode(bytes, { stream: true })
      controller.enqueue(bytes)
    },
  })
  const connection = client({ name: 'test editor' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params)
      return { outcome: await answer(params) }
    })
    .connect(ndJsonStream(toAgent.writable, toEditor.readable.pipeThrough(reader)))
  ends.add(async () => {
    stop.abort()
    await served
    connection.close()
  })
  const of = <Kind extends SessionUpdate['sessionUpdate']>(kind: Kind) =>
    updates.filter((one): one is Extract<SessionUpdate, { sessionUpdate: Kind }> => one.sessionUpdate === kind)
  const texts = (kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk') =>
    of(kind)
      .map(({ content }) => (content.type === 'text' ? content.text : ''))
      .join('')
  return { agent: connection.agent, root, requests, updates, asked, of, texts, served, received: () => received }
}

export const select = (optionId: string): RequestPermissionOutcome => ({ outcome: 'selected', optionId })
export const say = (text: string) => [{ type: 'text' as const, text }]
export const prompt = (agent: ClientContext, sessionId: string, text: string) =>
  agent.request<PromptResponse>(methods.agent.session.prompt, { sessionId, prompt: say(text) })

export async function begin(agent: ClientContext, cwd: string): Promise<string> {
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
  return (await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId
}
