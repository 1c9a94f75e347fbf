import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { commandHarness } from '../cli/command-harness.ts'
import { ask, request } from './harness.ts'

const page = readFileSync(new URL('../../docs/scripted-model.md', import.meta.url), 'utf8')

it('the script in docs/scripted-model.md behaves as documented', async () => {
  const [, json] = /```json\n([\s\S]+?)```/.exec(page) ?? []
  const model = scriptedModel(JSON.parse(json!))
  const first = await ask(model)
  expect(first.reply?.turn.content).toMatchObject([
    { text: 'I will look.' },
    { toolName: 'bash', input: { command: 'ls' } },
  ])
  const hello = { role: 'user', content: [{ type: 'text', text: 'HELLO' }] } as const
  for (const agent of ['ada', 'ada', 'bob']) {
    const { reply } = await ask(model, { ...request, agent, turns: [hello as never] })
    expect(reply?.turn.content).toMatchObject([{ text: 'Hello!' }])
  }
})

it('the command in docs/scripted-model.md behaves as documented', async () => {
  const [, line = '', json = ''] = /```\ndeskmates (.+)\n```\n\n```json\n([\s\S]+?)```/.exec(page) ?? []
  const words = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
  const cli = commandHarness()
  try {
    writeFileSync(join(cli.dir, 'demo.json'), json)
    const env = { ...cli.env, PATH: process.env.PATH }
    expect(await cli.ok(words, { env })).toBe('There is a demo.json.\n')
  } finally {
    cli.close()
  }
})
