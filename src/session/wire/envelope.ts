import { z } from 'zod'

/**
 * The lines of `--output-format stream-json`, in the envelope that programs for other agents parse already: a `system`
 * line, then `assistant` and `user` lines with content blocks in Anthropic's shape, then one `result`. Our own additions
 * have types that begin with `deskmates/`.
 */

const text = z.strictObject({ type: z.literal('text'), text: z.string() })
const image = z.strictObject({
  type: z.literal('image'),
  source: z.strictObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
})
const AssistantBlock = z.discriminatedUnion('type', [
  text,
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().optional() }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
])
/** A file that the user attached to a prompt. */
const document = z.strictObject({
  type: z.literal('document'),
  source: z.strictObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
  /** Its path. */
  title: z.string(),
  /** How much of it this is. */
  context: z.string(),
})
const UserBlock = z.discriminatedUnion('type', [
  text,
  image,
  document,
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image]))]),
    is_error: z.boolean(),
  }),
])

const count = z.number().int().nonnegative()
const WireUsage = z.strictObject({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
})

/** On every line: which session, and which of its agents. */
const line = { session_id: z.string(), agent: z.string() }
/** The tool call that started a subagent; null for the lead and teammates. */
const conversation = { ...line, parent_tool_use_id: z.string().nullable() }

const Init = z.strictObject({
  type: z.literal('system'),
  subtype: z.literal('init'),
  ...line,
  cwd: z.string(),
  model: z.string(),
  tools: z.array(z.string()),
  permissionMode: z.string(),
  /** `missing`: commands can alter the team's files. */
  /** Where MCP servers are configured. */
  mcp_servers: z.array(z.object({ name: z.string(), status: z.string() })).optional(),
  /** Prompts of MCP servers that can be typed as commands. */
  slash_commands: z.array(z.object({ name: z.string(), about: z.string() })).optional(),
  sandbox: z.enum(['on', 'off', 'missing']),
  version: z.string(),
})

/** The history was summarised here; all of it stays in the transcript. */
const Boundary = z.strictObject({
  type: z.literal('system'),
  subtype: z.literal('compact_boundary'),
  ...line,
  compact_metadata: z.strictObject({ trigger: z.enum(['auto', 'manual']), pre_tokens: count, post_tokens: count }),
  /** Of the call that wrote the summary. */
  usage: WireUsage,
  cost_usd: z.number().nullable(),
})

const Assistant = z.strictObject({
  type: z.literal('assistant'),
  ...conversation,
  message: z.strictObject({
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(AssistantBlock),
    stop_reason: z.enum(['end_turn', 'tool_use', 'max_tokens', 'refusal']),
    usage: WireUsage,
  }),
  /** US dollars; null where the price of the model is unknown. */
  cost_usd: z.number().nullable(),
})

const User = z.strictObject({
  type: z.literal('user'),
  ...conversation,
  message: z.strictObject({ role: z.literal('user'), content: z.array(UserBlock) }),
  /** The user ended the turn here: the text says so to the model. */
  interrupted: z.literal(true).optional(),
  /** Which blocks a person typed, and the words; missing where that was not recorded. The others are mail and notices. */
  typed: z.array(z.strictObject({ block: count, text: z.string() })).optional(),
})

export const Result = z.strictObject({
  type: z.literal('result'),
  subtype: z.enum([
    'success',
    'error_max_turns',
    'error_max_budget_usd',
    'error_max_output_tokens',
    'error_repeated_failures',
    'error_max_structured_output_retries',
    'error_interrupted',
    'error_during_execution',
  ]),
  is_error: z.boolean(),
  /** The lead's last text; '' if it had none. */
  result: z.string(),
  ...line,
  /** Model calls of the lead. */
  num_turns: count,
  duration_ms: count,
  /** Of all agents; null as soon as the price of one call is unknown. */
  total_cost_usd: z.number().nullable(),
  usage: WireUsage,
  permission_denials: z.array(
    z.strictObject({
      tool_name: z.string(),
      tool_use_id: z.string(),
      tool_input: z.record(z.string(), z.unknown()),
      agent: z.string(),
      reason: z.string(),
    }),
  ),
  /** Tasks that are not completed, by team; only where there are any. */
  tasks_left: z
    .array(z.strictObject({ team: z.string(), pending: count, in_progress: count, failed: count }))
    .optional(),
  /** With a schema for the answer: the value that fits it. */
  structured_output: z.unknown().optional(),
  /** Why it failed and what to do, if `is_error`; then every lost teammate and every failed task, however it ended. */
  errors: z.array(z.string()),
})
export type Result = z.infer<typeof Result>

/** A part of an answer while it streams; the `assistant` line that follows holds all of it. */
const StreamEvent = z.strictObject({
  type: z.literal('stream_event'),
  ...conversation,
  event: z.strictObject({
    type: z.literal('content_block_delta'),
    /** Counts the texts and thoughts of this answer. */
    index: count,
    delta: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text_delta'), text: z.string() }),
      z.strictObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
    ]),
  }),
})

const Waiting = z.strictObject({
  type: z.literal('deskmates/waiting'),
  ...line,
  provider: z.string(),
  seconds: z.number(),
  why: z.string(),
})
const Fallback = z.strictObject({
  type: z.literal('deskmates/fallback'),
  ...line,
  from: z.string(),
  to: z.string(),
  why: z.string(),
})
/** An event of a team, as its journal records it. */
const InTeam = z.strictObject({
  type: z.literal('deskmates/team'),
  ...line,
  team: z.string(),
  event: z.looseObject({ type: z.string() }),
})
const Note = z.strictObject({ type: z.literal('deskmates/note'), ...line, text: z.string() })
const CompactFailed = z.strictObject({ type: z.literal('deskmates/compact_failed'), ...line, why: z.string() })
const Progress = z.strictObject({
  type: z.literal('deskmates/progress'),
  ...line,
  tool_use_id: z.string(),
  text: z.string(),
})

const HookLine = z.strictObject({
  type: z.literal('deskmates/hook'),
  ...line,
  event: z.string(),
  command: z.string(),
  tool: z.string().optional(),
  outcome: z.enum(['passed', 'refused', 'asked', 'failed', 'late']),
  why: z.string().optional(),
})

export const Line = z.discriminatedUnion('type', [
  z.discriminatedUnion('subtype', [Init, Boundary]),
  Assistant,
  User,
  StreamEvent,
  Result,
  Waiting,
  Fallback,
  CompactFailed,
  Progress,
  InTeam,
  Note,
  HookLine,
])
export type Line = z.infer<typeof Line>
export type WireUsage = z.infer<typeof WireUsage>
export type AssistantBlock = z.infer<typeof AssistantBlock>
export type UserBlock = z.infer<typeof UserBlock>
