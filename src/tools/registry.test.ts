import { expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { defineOwnTool, type OwnToolDefinition, type ToolName } from './own-tool.ts'
import { type Registry, TOOL_NAMES } from './registry.ts'

const definition = { description: 'Does nothing.', input: z.strictObject({}), run: () => 'done' }

it('accepts no tool without roles, under an unknown name, and no registry that lacks a tool', () => {
  expectTypeOf<OwnToolDefinition<'grep', object>>().toHaveProperty('roles').not.toEqualTypeOf<undefined>()
  expectTypeOf<Omit<OwnToolDefinition<'grep', object>, 'roles'>>().not.toExtend<OwnToolDefinition<'grep', object>>()
  expectTypeOf<'unregistered'>().not.toExtend<ToolName>()
  expectTypeOf<Omit<Registry, 'grep'>>().not.toExtend<Registry>()
  expectTypeOf<Omit<Registry, 'grep'> & { grep: Registry['glob'] }>().not.toExtend<Registry>()
  // @ts-expect-error a tool of ours declares its roles
  expect(defineOwnTool({ ...definition, name: 'grep' }).roles).toBe(undefined)
  expect(new Set(TOOL_NAMES).size).toBe(TOOL_NAMES.length)
})
