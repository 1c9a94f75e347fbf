import type { StandardSchemaV1 } from '@standard-schema/spec'
import { z } from 'zod'
import { jsonSchemaOf } from './define-tool.ts'
import type { OwnTool, Role, ToolFactory, ToolName } from './own-tool.ts'
import { withCanonicalNames } from './parameter-names.ts'
import { task } from './subagents/task.ts'
import spawnTeammate from './team/members/spawn-teammate.md'
import broadcast from './team/messages/broadcast.md'
import { sendMessage } from './team/messages/send-message.ts'
import type { Tool } from './tool.ts'

/** The names of the simple spelling for tools of the team spelling. */
export const SIMPLE_NAMES = {
  send_message: aliasOf(sendMessage, {
    name: 'send_message',
    roles: ['lead', 'teammate'],
    rename: { recipient: 'to', type: 'msg_type' },
  }),
  broadcast: aliasOf(sendMessage, {
    name: 'broadcast',
    roles: ['lead'],
    description: broadcast,
    input: z.strictObject({ content: z.string().min(1) }),
    fixed: { type: 'broadcast' },
  }),
  spawn_teammate: aliasOf(task, {
    name: 'spawn_teammate',
    roles: ['lead'],
    description: spawnTeammate,
    input: z.strictObject({
      name: z.string().min(1),
      role: z.string().min(1).describe('one word, like backend or tester; it takes tasks for that role'),
      prompt: z.string().min(1).describe('what it is there for, and all it has to know'),
      task_id: z.string().min(1).optional().describe('the task it begins with'),
      require_plan: z.boolean().optional().describe('its plan has to be approved first'),
    }),
  }),
} as const

type Names = Readonly<Record<string, string>>

/** Another name for a tool in the simple spelling, as data: the operation stays that of the tool. */
interface Alias<Name extends ToolName = ToolName> {
  readonly name: Name
  readonly roles: readonly Role[]
  /** Undefined: that of the tool, with the new names of its parameters. */
  readonly description?: string | undefined
  /** New names of parameters, by their names in the tool. */
  readonly rename?: Names | undefined
  /** The parameters it offers; undefined: all those of the tool. */
  readonly input?: StandardSchemaV1<unknown, object> | undefined
  /** Parameters that it sets itself, besides `input`. */
  readonly fixed?: Readonly<Record<string, unknown>> | undefined
}

function aliasOf<Name extends ToolName>(entry: OwnTool, alias: Alias<Name>): OwnTool<Name>
function aliasOf<Name extends ToolName>(entry: ToolFactory, alias: Alias<Name>): ToolFactory<Name>
function aliasOf(entry: OwnTool | ToolFactory, alias: Alias): OwnTool | ToolFactory {
  const { name, roles } = alias
  const offered = { name, roles, spelling: 'simple', needsTeam: true } as const
  if (!('create' in entry)) return { ...applyAlias(entry, alias), ...offered }
  return {
    ...offered,
    create(options) {
      const tool = entry.create({ ...options, spelling: 'team' })
      return tool && applyAlias(tool, alias)
    },
  }
}

function applyAlias(tool: Tool, alias: Alias): Tool {
  const { name, rename = {}, input } = alias
  return {
    ...tool,
    name,
    description: alias.description?.trim() ?? renameInText(tool.description, rename),
    input: aliasInput(tool.input, alias),
    schema: input ? jsonSchemaOf(name, input) : renameProperties(tool.schema, rename),
  }
}

/** Checks what the alias offers, then what the tool needs; errors name parameters as the alias does. */
function aliasInput(input: Tool['input'], { rename = {}, fixed, input: offered }: Alias): Tool['input'] {
  const synonyms = Object.fromEntries(Object.entries(rename).map(([name, renamed]) => [renamed, name]))
  const { validate, version, vendor } = withCanonicalNames(input, synonyms)['~standard']
  const renamed = (step: PropertyKey | StandardSchemaV1.PathSegment) => rename[String(step)] ?? step
  return {
    '~standard': {
      version,
      vendor,
      async validate(value) {
        const accepted = await offered?.['~standard'].validate(value)
        if (accepted?.issues) return accepted
        const checked = await validate(accepted ? { ...accepted.value, ...fixed } : value)
        if (!checked.issues) return checked
        return { issues: checked.issues.map((issue) => ({ ...issue, path: issue.path?.map(renamed) })) }
      },
    },
  }
}

function renameInText(text: string, rename: Names): string {
  return Object.entries(rename).reduce((done, [from, to]) => done.replaceAll(`\`${from}\``, `\`${to}\``), text)
}

function renameProperties(schema: Tool['schema'], rename: Names): Tool['schema'] {
  const properties = Object.entries(schema.properties as object).map(([name, value]) => [rename[name] ?? name, value])
  const required = (schema.required as readonly string[] | undefined)?.map((name) => rename[name] ?? name)
  return { ...schema, properties: Object.fromEntries(properties), ...(required && { required }) }
}
