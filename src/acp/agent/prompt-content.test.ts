import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { methods, type NewSessionResponse } from '@agentclientprotocol/sdk'
import { afterEach, describe, expect, it } from 'vitest'
import { begin, closeEditors, editor, prompt, say } from '../../testing/harnesses/acp-editor.ts'
import { composedModel } from '../../testing/harnesses/composed-model.ts'

afterEach(closeEditors)

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const SERVER = fileURLToPath(new URL('../../../test/mcp/raw-server.mjs', import.meta.url))

describe('an editor', () => {
  it('gives files of a prompt by their paths, and embedded texts whole', async () => {
    const { agent, root, requests } = editor(() => ({ text: 'Read.' }))
    const sessionId = await begin(agent, root)
    await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        ...say('Compare'),
        { type: 'resource_link', name: 'a.txt', uri: 'file:///tmp/a%20b.txt' },
        { type: 'resource', resource: { uri: 'file:///tmp/c.txt', text: 'the text of c' } },
      ],
    })
    const turn = JSON.stringify(requests[0]!.turns.at(-1))
    expect(turn).toContain('/tmp/a b.txt')
    expect(turn).toContain('the text of c')
  })

  it('gives images of a prompt to the model, by what their bytes are', async () => {
    const { agent, root, requests } = editor(() => ({ text: 'Seen.' }))
    const initialized = await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
    expect(initialized.agentCapabilities?.promptCapabilities).toEqual({ image: true, embeddedContext: true })
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: root, mcpServers: [] })
    const data = PNG.toString('base64')
    await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: 'image', data, mimeType: 'image/jpeg', uri: 'file:///tmp/shot.png' },
        { type: 'resource', resource: { uri: 'file:///tmp/other.png', mimeType: 'image/png', blob: data } },
      ],
    })
    const parts = requests[0]!.turns.at(-1)!.content.flatMap((part) => (part.type === 'file' ? [part] : []))
    expect(parts).toMatchObject([
      { mediaType: 'image/png', data, filename: 'shot.png' },
      { mediaType: 'image/png', data, filename: 'other.png' },
    ])
  })

  it.for([
    ['is no image', Buffer.from('<svg/>'), /image 1 is no image that models can see/],
    ['is too large', Buffer.concat([PNG, Buffer.alloc(4 << 20)]), /image 1 has 4\.0 MB; an image may have 3\.5 MB/],
    ['is empty', Buffer.alloc(0), /has no data in base64/],
  ] as const)('is told that an attached file %s, and nothing is sent', async ([, bytes, words]) => {
    const { agent, root, requests } = editor(() => ({ text: 'Seen.' }))
    const sessionId = await begin(agent, root)
    const image = { type: 'image' as const, data: bytes.toString('base64'), mimeType: 'image/png' }
    const asked = agent.request(methods.agent.session.prompt, { sessionId, prompt: [...say('Look'), image] })
    await expect(asked).rejects.toThrow(words)
    expect(requests).toEqual([])
  })

  it('is told that images together are too large', async () => {
    const { agent, root, requests } = editor(() => ({ text: 'Seen.' }))
    const sessionId = await begin(agent, root)
    const data = Buffer.concat([PNG, Buffer.alloc(3 << 20)]).toString('base64')
    const images = Array.from({ length: 3 }, () => ({ type: 'image' as const, data, mimeType: 'image/png' }))
    const asked = agent.request(methods.agent.session.prompt, { sessionId, prompt: images })
    await expect(asked).rejects.toThrow(/may be 20, and have 8\.0 MB together/)
    expect(requests).toEqual([])
  })

  it('is told that the model accepts no images', async () => {
    const { model, requests } = composedModel(() => ({ text: 'Seen.' }))
    const { agent, root } = editor(() => ({ text: '' }), undefined, { model: { ...model, acceptsImages: false } })
    const sessionId = await begin(agent, root)
    const image = { type: 'image' as const, data: PNG.toString('base64'), mimeType: 'image/png' }
    const asked = agent.request(methods.agent.session.prompt, { sessionId, prompt: [image] })
    await expect(asked).rejects.toThrow(/accepts no images/)
    expect(requests).toEqual([])
  })

  it('names files whose names read like mentions by their addresses; embedded texts name none', async () => {
    const { agent, root, requests } = editor(() => ({ text: 'Read.' }))
    const sessionId = await begin(agent, root)
    writeFileSync(join(root, 'shot.png'), PNG)
    await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: 'resource_link', name: 'a', uri: 'file:///mcp__notes__prompt' },
        { type: 'resource_link', name: 'b', uri: pathToFileURL(join(root, 'x @shot.png')).href },
        { type: 'resource', resource: { uri: 'file:///tmp/c.txt', text: 'see @shot.png' } },
      ],
    })
    const { content } = requests[0]!.turns.at(-1)!
    expect(content.filter(({ type }) => type === 'file')).toEqual([])
    expect(JSON.stringify(content)).toContain('<file:///mcp__notes__prompt>')
    expect(JSON.stringify(content)).toContain('x%20%40shot.png>')
  })

  it('passes MCP servers in, whose tools the lead uses after a permission', async () => {
    const { agent, root, asked, requests } = editor(({ turns }) =>
      turns.at(-1)?.role === 'user'
        ? { calls: [{ tool: 'mcp__notes__env', input: { name: 'GREETING' } }] }
        : { text: 'Called.' },
    )
    const initialized = await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
    expect(initialized.agentCapabilities?.mcpCapabilities).toEqual({ http: true })
    const env = [{ name: 'GREETING', value: 'good morning' }]
    const { sessionId } = await agent.request<NewSessionResponse>(methods.agent.session.new, {
      cwd: root,
      mcpServers: [{ name: 'notes', command: process.execPath, args: [SERVER], env }],
    })
    await prompt(agent, sessionId, 'Greet.')
    expect(asked).toMatchObject([{ toolCall: { name: 'mcp__notes__env' } }])
    expect(JSON.stringify(requests.at(-1)!.turns.at(-1))).toContain('good morning')
  })
})
