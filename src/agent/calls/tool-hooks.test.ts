import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Hooks } from '../../permissions/hooks/hooks.ts'
import { defineTool } from '../../tools/define-tool.ts'
import { isReady, readyCall } from '../../tools/run-call.ts'
import { createToolHooks } from './tool-hooks.ts'

it('a call with a PostToolUse hook runs only when it is durable, even if its tool is read-only', async () => {
  const hooks = { has: (when: string, tool: string) => when === 'PostToolUse' && tool !== 'free' } as Hooks
  const tool = (name: string, more: object) =>
    defineTool({ name, description: 'x', input: z.object({}), ...more, run: () => 'ok' })
  const own = [
    tool('look', { isReadOnly: true }),
    tool('repeat', { isRepeatable: () => true }),
    tool('free', { isReadOnly: true }),
  ]
  const tools = createToolHooks(hooks, { agent: 'lead', fence: async () => {}, emit() {} }).afterCalls(own)
  const ready = await Promise.all(tools.map(({ name }) => readyCall(tools, { name, input: {} })))
  expect(ready.map((call) => isReady(call) && call.isRepeatable)).toEqual([false, false, true])
}) // F39
