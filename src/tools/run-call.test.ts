import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toolHarness } from '../testing/harnesses/tool-harness.ts'
import { defineTool } from './define-tool.ts'
import { isReady, offer, readyCall, runCall } from './run-call.ts'

const add = defineTool({
  name: 'add',
  description: 'adds\n',
  input: z.object({ a: z.number(), list: z.array(z.object({ b: z.number() })).default([]) }),
  run: ({ a, list }) => String(list.reduce((sum, { b }) => sum + b, a)),
})
const run = (name: string, input: unknown, tools = [add]) => runCall(tools, { name, input }, toolHarness())

describe('a call', () => {
  it('runs the tool with what its schema makes of the input', async () => {
    expect(await run('add', { a: 1, list: [{ b: 2 }] })).toEqual({ text: '3' })
    expect(await run('add', '{"a":1}')).toEqual({ text: '1' })
  })

  it('of an unknown tool returns the names of the known tools', async () => {
    expect(await run('subtract', {})).toEqual({ text: 'Unknown tool: subtract. Known tools: add.', isError: true })
    expect((await run('toString', {})).text).toContain('Unknown tool: toString')
  }) // A13

  it('with input that is not an object or does not match the schema names the wrong field', async () => {
    for (const input of ['{"a":', '[]', 'null', 7, undefined, null]) {
      const { text, isError } = await run('add', input)
      expect([isError, text]).toEqual([true, expect.stringContaining('is not a JSON object')])
    }
    expect((await run('add', '')).text).toMatch(/^Invalid input for add: a: /)
    expect((await run('add', { a: 1, list: [{ b: 'x' }] })).text).toMatch(/^Invalid input for add: list\.0\.b: /)
  })

  it('always returns a text, whatever a tool of the user returns', async () => {
    const loop: Record<string, unknown> = {}
    loop.self = loop
    const returned: [unknown, string][] = [
      [undefined, '(no result)'],
      [null, 'null'],
      [{ ok: true, text: 7 }, '{"ok":true,"text":7}'],
      [[1, 2], '[1,2]'],
      [7, '7'],
    ]
    for (const [value, text] of returned)
      expect(await run('add', { a: 1 }, [{ ...add, run: async () => value as never }])).toEqual({ text })
    const endless = await run('add', { a: 1 }, [{ ...add, run: async () => loop as never }])
    expect(endless).toMatchObject({ isError: true, text: expect.stringContaining('circular') })
  }) // F10

  it('keeps a result that is too large for the log in a file and names the file', async () => {
    const context = toolHarness()
    const large = { ...add, run: async () => ({ text: 'x'.repeat(20_000_000) }) }
    const { text } = await runCall([large], { name: 'add', input: { a: 1 } }, context)
    expect(text.length).toBeLessThan(100_000)
    expect(text).toContain('outputs/ada/1-add.txt')
    const images = Array.from({ length: 3 }, () => ({ data: 'A'.repeat(6_000_000), mediaType: 'image/png' }))
    const seen = await run('add', { a: 1 }, [{ ...add, run: async () => ({ text: 'three', images }) }])
    expect(seen).toEqual({ text: expect.stringContaining('too large. Request fewer') })
  })

  it('turns an exception of a tool into a result and throws only on abort', async () => {
    const context = toolHarness()
    const tools = [
      defineTool({
        name: 'boom',
        description: 'x',
        input: z.object({}),
        run: () => {
          throw new Error('the fuse is short')
        },
      }),
      { ...add, name: 'raw', run: () => Promise.reject('a text') },
    ]
    expect(await runCall(tools, { name: 'boom', input: {} }, context)).toEqual({
      text: 'the fuse is short',
      isError: true,
    })
    expect(await runCall(tools, { name: 'raw', input: { a: 1 } }, context)).toEqual({ text: 'a text', isError: true })
    context.stop.abort(new Error('enough'))
    for (const tool of tools)
      await expect(runCall(tools, { name: tool.name, input: { a: 1 } }, context)).rejects.toThrow('enough')
  })
})

describe('a call that waited', () => {
  it('does not run when its agent was taken over meanwhile, unless the tool is read-only', async () => {
    let ran = 0
    const tool = (isReadOnly: boolean) =>
      defineTool({ name: 'act', description: 'x', input: z.object({}), isReadOnly, run: () => `ran ${++ran} times` })
    const context = { ...toolHarness(), fence: () => Promise.reject(new Error('taken over')) }
    await expect(runCall([tool(false)], { name: 'act', input: {} }, context)).rejects.toThrow('taken over')
    expect(ran).toBe(0)
    expect(await runCall([tool(true)], { name: 'act', input: {} }, context)).toEqual({ text: 'ran 1 times' })
  }) // T47
})

describe('a tool of the user', () => {
  it('uses the given JSON Schema, or the one of its schema library', () => {
    expect(offer([add])).toMatchObject([
      { name: 'add', description: 'adds', schema: { type: 'object', required: ['a'] } },
    ])
    const standard = {
      version: 1,
      vendor: 'own',
      validate: (value: unknown) => ({ value: value as { n: number } }),
    } as const
    const own = {
      name: 'own',
      description: 'x',
      input: { '~standard': standard },
      run: ({ n }: { n: number }) => `${n}`,
    }
    expect(() => defineTool(own)).toThrow('own does not provide the JSON Schema of its input. Pass it as `schema`')
    expect(defineTool({ ...own, schema: { type: 'object' } }).schema).toEqual({ type: 'object' })
    expect(() => defineTool({ ...own, name: 'no good' })).toThrow('its name must be')
    const big = { name: 'big', description: 'x', input: z.object({ n: z.bigint() }), run: () => '' }
    expect(() => defineTool(big)).toThrow('its input cannot be converted to JSON Schema')
  })

  it('is checked by its name, unless it declares an action', async () => {
    const ready = await readyCall([add], { name: 'add', input: { a: 1 } })
    expect(isReady(ready) && [ready.action, ready.isParallel]).toEqual([{ kind: 'use', tool: 'add' }, false])
  })
})
