import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { TeamError } from '../team/errors.ts'
import type { Tool, ToolContext, ToolResult } from './tool.ts'

export interface ToolDefinition<Input> {
  readonly name: string
  readonly description: string
  readonly input: StandardSchemaV1<unknown, Input>
  /** Needed only where the library of `input` cannot produce it. */
  readonly schema?: { readonly [key: string]: unknown }
  readonly isReadOnly?: Tool<Input>['isReadOnly']
  readonly isRepeatable?: Tool<Input>['isRepeatable']
  readonly isParallel?: Tool<Input>['isParallel']
  /** What the permission check sees. By default the use of this tool by its name. */
  readonly action?: Tool<Input>['action']
  /** An exception becomes an error result. A string is a result too. */
  run(input: Input, context: ToolContext): Promise<ToolResult | string> | ToolResult | string
}

/** Creates a tool. An exception of `run` becomes an error result, unless the call was aborted. */
export function defineTool<Input>(definition: ToolDefinition<Input>): Tool<Input> {
  const { name, input, run } = definition
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw new NoTool(name, 'its name must be 1 to 64 of A-Z a-z 0-9 _ -')
  return {
    name,
    description: definition.description.trim(),
    input,
    schema: definition.schema ?? jsonSchemaOf(name, input),
    isReadOnly: definition.isReadOnly,
    isRepeatable: definition.isRepeatable,
    isParallel: definition.isParallel,
    action: definition.action ?? (() => ({ kind: 'use', tool: name })),
    async run(value, context) {
      context.signal.throwIfAborted()
      try {
        const result = await run(value, context)
        return typeof result === 'string' ? { text: result } : result
      } catch (error) {
        context.signal.throwIfAborted()
        return failed(error)
      }
    },
  }
}

export function failed(error: unknown): ToolResult {
  return { text: error instanceof Error ? error.message || error.name : String(error), isError: true }
}

export class NoTool extends TeamError {
  readonly code = 'no_tool'
  constructor(name: string, why: string, cause?: unknown) {
    super(`The tool ${JSON.stringify(name)} cannot be defined: ${why}.`, { cause })
  }
}

/** The JSON Schema of an input, for the model. */
export function jsonSchemaOf(name: string, input: StandardSchemaV1): { readonly [key: string]: unknown } {
  const standard = input['~standard'] as StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>
  if (!standard.jsonSchema)
    throw new NoTool(name, `${standard.vendor} does not provide the JSON Schema of its input. Pass it as \`schema\``)
  try {
    const { $schema: _, ...schema } = standard.jsonSchema.input({ target: 'draft-07' })
    return schema
  } catch (error) {
    throw new NoTool(name, 'its input cannot be converted to JSON Schema. Pass it as `schema`', error)
  }
}
