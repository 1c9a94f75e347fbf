import { resolve } from 'node:path'
import type { ToolCallUpdate } from '@agentclientprotocol/sdk'
import { bounded, boundedLine } from '../../mcp/client/untrusted-text.ts'

/** A tool call as the vendor's program describes it, from all messages about it. Anything in it may be missing or wrong. */
export type VendorCall = Partial<ToolCallUpdate>

/** The name under which the program knows our MCP server. */
export const TEAM_SERVER = 'deskmates'

const MAX_INPUT_CHARACTERS = 20_000
const MAX_RESULT_CHARACTERS = 20_000
const MAX_PATHS = 100

/** Later messages about a call add to what is known of it. */
export function joined(known: VendorCall | undefined, more: VendorCall): VendorCall {
  const given = Object.entries(bounds(more)).filter(([, value]) => value !== undefined && value !== null)
  return { ...known, ...Object.fromEntries(given) }
}

/** The most that is kept of an input: its command and its paths count whole, or it counts as unknown. */
const MAX_JUDGED_CHARACTERS = 1_000_000

/** What is used of a message about a call. A message may have megabytes, and a program makes thousands of calls. */
function bounds({
  toolCallId,
  title,
  name,
  kind,
  status,
  locations,
  content,
  rawInput,
  rawOutput,
}: VendorCall): VendorCall {
  const input = isObject(rawInput) ? boundedInput(rawInput) : undefined
  return {
    ...{ toolCallId, status },
    // Without all that it touches it is a call that does not say what it does.
    kind: isObject(rawInput) && input === undefined ? 'other' : kind,
    title: short(title, 2000),
    name: short(name, 200),
    rawInput: input,
    locations: Array.isArray(locations)
      ? locations.slice(0, MAX_PATHS + 1).map((one) => ({ path: short(one?.path, 10_000) ?? '' }))
      : undefined,
    content: Array.isArray(content) ? content.slice(0, MAX_PARTS).map(boundedPart) : undefined,
    rawOutput: rawOutput === undefined ? undefined : outputText(rawOutput).slice(0, MAX_RESULT_CHARACTERS + 1),
  } as VendorCall
}

const MAX_PARTS = 200

function boundedPart(part: NonNullable<VendorCall['content']>[number]) {
  if (part?.type === 'diff') return { type: part.type, path: short(part.path, 10_000) ?? '' }
  if (part?.type !== 'content') return { type: 'other' }
  const { type, text } = (part.content ?? {}) as { type?: unknown; text?: unknown }
  return { type: part.type, content: { type: short(type, 30), text: short(text, MAX_RESULT_CHARACTERS + 1) } }
}

/** All of it if it is small, else what our rules judge; undefined where that alone is too much. */
function boundedInput(input: Record<string, unknown>): Record<string, unknown> | undefined {
  const size = (value: unknown) => JSON.stringify(value)?.length ?? 0
  if (size(input) <= MAX_INPUT_CHARACTERS) return input
  const judged = (name: string) => ['command', 'server', 'tool', ...PATH_MEMBERS].includes(name)
  const names = Object.keys(input).filter((name, i) => judged(name) || i < MAX_MEMBERS)
  const kept = Object.fromEntries(names.map((name) => [name, judged(name) ? input[name] : '…']))
  return size(kept) <= MAX_JUDGED_CHARACTERS ? kept : undefined
}

/** The most members of a large input whose names are kept. */
const MAX_MEMBERS = 50

function short(text: unknown, length: number): string | undefined {
  return typeof text === 'string' ? text.slice(0, length) : undefined
}

/** Whether it says by now what it does. Programs announce a call while the model still writes its input. */
export function isDescribed(call: VendorCall): boolean {
  const { status, kind, rawInput } = call
  if (status !== undefined && status !== null && status !== 'pending') return true
  if (kind === 'execute') return commandOf(call) !== undefined
  if (kind === 'edit' || kind === 'delete' || kind === 'move' || kind === 'read')
    return pathsOf(call, '/')?.length !== 0
  return isObject(rawInput) && Object.keys(rawInput).length > 0
}

/** How the call stands in the transcript. No tool of ours has such a name. */
export function toolNameOf({ kind, name }: VendorCall): string {
  const [category, own] = [kind, name].map((part) => boundedLine(part, 60).replace(/[^\w-]/g, ''))
  return `acp__${category || 'other'}${own ? `__${own}` : ''}`
}

/** What is kept of its input, for people who read the transcript. */
export function inputOf(call: VendorCall): Record<string, unknown> {
  const title = boundedLine(call.title, 500)
  const command = commandOf(call)
  const about = { title, ...(command !== undefined && { command: bounded(command, MAX_INPUT_CHARACTERS) }) }
  const raw = isObject(call.rawInput) ? JSON.stringify(call.rawInput) : undefined
  if (raw === undefined || raw.length > MAX_INPUT_CHARACTERS) return about
  return { ...about, input: JSON.parse(raw) }
}

/** What the call returned, as text. */
export function resultOf(call: VendorCall): string {
  const parts = (Array.isArray(call.content) ? call.content : []).slice(0, MAX_PARTS).map((part) => {
    if (part?.type === 'content' && part.content?.type === 'text')
      return bounded(part.content.text, MAX_RESULT_CHARACTERS)
    if (part?.type === 'diff') return `Changed ${boundedLine(part.path, 500)}.`
    return part?.type === 'content' ? `[${boundedLine(part.content?.type, 30)}]` : ''
  })
  const text = parts.filter(Boolean).join('\n')
  if (text !== '') return bounded(text, MAX_RESULT_CHARACTERS)
  return call.rawOutput === undefined ? '(no output)' : bounded(outputText(call.rawOutput), MAX_RESULT_CHARACTERS)
}

function outputText(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
}

/** The command line that it wants to run; undefined where the program does not say it. Titles are for people only. */
export function commandOf({ rawInput }: VendorCall): string | undefined {
  if (!isObject(rawInput)) return undefined
  const { command } = rawInput
  if (typeof command === 'string' && command.trim() !== '') return command
  const isList = Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string')
  return isList ? command.map(quoted).join(' ') : undefined
}

function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

const PATH_MEMBERS = ['file_path', 'filePath', 'filepath', 'path', 'notebook_path', 'abs_path', 'source', 'destination']

/** Every path that any message about the call names, as absolute paths; undefined where there are too many to judge. */
export function pathsOf({ locations, content, rawInput }: VendorCall, root: string): string[] | undefined {
  const named = [
    ...(Array.isArray(locations) ? locations : []).map((location) => location?.path),
    ...(Array.isArray(content) ? content : []).map((part) => (part?.type === 'diff' ? part.path : undefined)),
    ...(isObject(rawInput) ? PATH_MEMBERS.map((member) => rawInput[member]) : []),
  ].filter((path): path is string => typeof path === 'string' && path !== '' && !path.includes('\0'))
  const paths = [...new Set(named.map((path) => resolve(root, path)))]
  return paths.length > MAX_PATHS ? undefined : paths
}

/**
 * The tool of ours that this call means; undefined where it is any other. Only where the program names the tool, not in the
 * title of a command or an edit, whose words a model chooses.
 */
export function teamToolOf({ name, title, kind, rawInput }: VendorCall, tools: readonly string[]): string | undefined {
  if (isObject(rawInput) && isServerCall(title, rawInput)) return tools.find((tool) => tool === rawInput.tool)
  if (kind !== undefined && kind !== null && kind !== 'other') return undefined
  if (isObject(rawInput) && 'command' in rawInput) return undefined
  const called = typeof name === 'string' && name !== '' ? name : title
  return tools.find((tool) => namesOf(tool).includes(called ?? ''))
}

/** As programs name a tool of our server: Claude Code, opencode, others, and Gemini CLI. */
function namesOf(tool: string): string[] {
  const prefixes = [`mcp__${TEAM_SERVER}__`, `${TEAM_SERVER}_`, `${TEAM_SERVER}.`, `${TEAM_SERVER}/`]
  return [...prefixes.map((prefix) => `${prefix}${tool}`), `${tool} (${TEAM_SERVER} MCP Server)`]
}

/** As Codex describes the call of a tool of ours: as a command, with what it calls as its input and nothing else. */
function isServerCall(title: unknown, rawInput: Record<string, unknown>): boolean {
  if (rawInput.server !== TEAM_SERVER || title !== `mcp.${TEAM_SERVER}.${rawInput.tool}`) return false
  return Object.keys(rawInput).every((key) => ['server', 'tool', 'arguments'].includes(key))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
