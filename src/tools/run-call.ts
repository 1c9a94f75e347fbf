import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ToolOffer } from '../models/model.ts'
import type { Action } from '../permissions/permission.ts'
import { failed } from './define-tool.ts'
import type { MailFile, Tool, ToolContext, ToolResult } from './tool.ts'

/** A call as the model wrote it. */
export interface ToolCall {
  readonly name: string
  /** An object, or the text the model wrote where that is not one (`malformedInput`). */
  readonly input: unknown
}

/** A valid call, before its permission check. */
export interface ReadyCall {
  readonly tool: Tool
  readonly action: Action | undefined
  readonly isParallel: boolean
  /** May run again after a power cut. */
  readonly isRepeatable: boolean
  run(context: ToolContext): Promise<ToolResult>
}

/**
 * What a model sees of these tools. Returns the same array for the same tools, so that a provider converts it only once
 * for all teammates.
 */
export function offer(tools: readonly Tool[]): readonly ToolOffer[] {
  const at = recentOffers.findIndex(
    (known) => known.length === tools.length && known.every((one, i) => isOfferOf(one, tools[i]!)),
  )
  const found = recentOffers[at] ?? tools.map(({ name, description, schema }) => ({ name, description, schema }))
  recentOffers = [found, ...recentOffers.filter((known) => known !== found)].slice(0, MAX_OFFERS)
  return found
}

/** Most recently used first. */
let recentOffers: readonly (readonly ToolOffer[])[] = []
/** A lead, a teammate and some types of agents. */
const MAX_OFFERS = 8

function isOfferOf({ name, description, schema }: ToolOffer, tool: Tool): boolean {
  return schema === tool.schema && description === tool.description && name === tool.name
}

/** Carries out one call. Throws only when it was aborted: everything else is a result that pairs with the call. */
export async function runCall(tools: readonly Tool[], call: ToolCall, context: ToolContext): Promise<ToolResult> {
  const ready = await readyCall(tools, call)
  return isReady(ready) ? ready.run(context) : ready
}

/** Finds the tool and checks its input, so that permission can be checked before it runs; else returns the error. */
export async function readyCall(tools: readonly Tool[], call: ToolCall): Promise<ReadyCall | ToolResult> {
  const tool = tools.find(({ name }) => name === call.name)
  if (!tool) return wrong(`Unknown tool: ${call.name}. Known tools: ${tools.map(({ name }) => name).join(', ')}.`)
  const parsed = parse(call.input)
  if (parsed === undefined) {
    return wrong(`The input of ${tool.name} is not a JSON object: ${excerpt(call.input)}. Call it again with one.`)
  }
  try {
    const checked = await tool.input['~standard'].validate(parsed)
    if (checked.issues) return wrong(`Invalid input for ${tool.name}: ${checked.issues.map(issueText).join('; ')}.`)
    const input = checked.value
    return {
      tool,
      action: tool.action?.(input),
      isParallel: tool.isReadOnly || (tool.isParallel?.(input) ?? false),
      isRepeatable: tool.isRepeatable?.(input) ?? tool.isReadOnly ?? false,
      run: (context) => caught(tool, input, context),
    }
  } catch (error) {
    return wrong(`${tool.name} could not check its input: ${failed(error).text}`)
  }
}

export function isReady(call: ReadyCall | ToolResult): call is ReadyCall {
  return 'run' in call
}

/** Tools of users may throw. */
async function caught(tool: Tool, input: unknown, context: ToolContext): Promise<ToolResult> {
  // Directly before the effect: hooks, permission questions or a suspended process may have taken any time.
  if (!tool.isReadOnly) await context.fence()
  context.signal.throwIfAborted()
  try {
    return await asResult(await tool.run(input, context), tool.name, context)
  } catch (error) {
    context.signal.throwIfAborted()
    return failed(error)
  }
}

function wrong(text: string): ToolResult {
  return { text, isError: true }
}

function parse(input: unknown): object | undefined {
  let value = input
  if (typeof input === 'string') {
    try {
      // Some models send an empty text for an empty input.
      value = input.trim() === '' ? {} : JSON.parse(input)
    } catch {
      return undefined
    }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

function issueText({ message, path }: StandardSchemaV1.Issue): string {
  const keys = (path ?? []).map((step) => String(typeof step === 'object' ? step.key : step))
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`
}

function excerpt(input: unknown): string {
  const text = typeof input === 'string' ? input : (JSON.stringify(input) ?? String(input))
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** The most text and image data in one result: more does not fit into a log record or a model request. */
const MAX_TEXT_BYTES = 1024 * 1024
const MAX_IMAGE_CHARACTERS = 10 * 1024 * 1024

/**
 * Converts what a tool returned into a result that fits into the conversation. Tools of users may return objects,
 * nothing, or too much.
 */
async function asResult(returned: unknown, name: string, { outputs }: ToolContext): Promise<ToolResult> {
  const result: ToolResult = isResult(returned) ? returned : { text: inWords(returned) }
  const { text, isError, images = [], mail, files, task, handOver, outputPath } = result
  const isShown = images.reduce((sum, { data }) => sum + data.length, 0) <= MAX_IMAGE_CHARACTERS
  const shown = isShown
    ? text
    : `${text}\n[the images are left out: together they are too large. Request fewer at once]`
  const isLong = Buffer.byteLength(shown) > MAX_TEXT_BYTES
  return {
    text: shown,
    ...(typeof outputPath === 'string' && { outputPath }),
    ...(isLong && (await outputs.fit(shown, name))),
    ...(isError !== undefined && { isError }),
    ...(isShown && images.length > 0 && { images }),
    ...(typeof task === 'string' && { task }),
    ...((handOver === 'done' || handOver === 'none' || handOver === 'due') && { handOver }),
    ...(Array.isArray(files) && { files: files.filter(isMailFile) }),
    ...(Array.isArray(mail) && { mail: mail.filter((id) => typeof id === 'string') }),
  }
}

function isMailFile(value: unknown): value is MailFile {
  const { message, path } = (value ?? {}) as Partial<MailFile>
  return typeof message === 'string' && typeof path === 'string'
}

function isResult(returned: unknown): returned is ToolResult {
  return typeof returned === 'object' && returned !== null && 'text' in returned && typeof returned.text === 'string'
}

function inWords(returned: unknown): string {
  if (typeof returned === 'string') return returned
  return returned === undefined ? '(no result)' : (JSON.stringify(returned) ?? String(returned))
}
