import { type Client, type RequestOptions, specTypeSchemas, type Tool } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { boundedLine } from './untrusted-text.ts'

/** What a server offers, as it says itself: untrusted. */
export interface ServerOffers {
  readonly tools: readonly Tool[]
  /** Tools that cannot even be read, with the reason. */
  readonly unreadable: readonly { readonly name: string; readonly why: string }[]
  readonly prompts: readonly OfferedPrompt[]
  readonly resources: readonly OfferedResource[]
}

export type OfferedPrompt = z.infer<typeof OfferedPrompt>
export type OfferedResource = z.infer<typeof OfferedResource>

const OfferedPrompt = z.object({
  name: z.string(),
  description: z.string().optional(),
  arguments: z.array(z.object({ name: z.string(), required: z.boolean().optional() })).optional(),
})
const OfferedResource = z.object({ uri: z.string(), name: z.string().optional() })

/** The most entries of each list that are read, over at most so many pages. */
const MAX_ENTRIES = 1000
const MAX_PAGES = 50

/** Asks for all lists that the server has. Each entry is read by itself, so that a broken one leaves the others. */
export async function fetchOffers(client: Client, request: RequestOptions): Promise<ServerOffers> {
  const { tools: hasTools, prompts: hasPrompts, resources: hasResources } = client.getServerCapabilities() ?? {}
  const tools: Tool[] = []
  const unreadable: { name: string; why: string }[] = []
  for (const one of hasTools ? await entriesOf(client, 'tools', request) : []) {
    const read = specTypeSchemas.Tool['~standard'].validate(one)
    if (read instanceof Promise) continue
    if (!read.issues) tools.push(read.value)
    else {
      const [issue] = read.issues
      const at = (issue?.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
      const name = boundedLine((one as { name?: unknown } | null)?.name, 100)
      unreadable.push({ name, why: boundedLine(`${at === '' ? '' : `${at}: `}${issue?.message}`, 300) })
    }
  }
  const prompts = hasPrompts ? await entriesOf(client, 'prompts', request) : []
  const resources = hasResources ? await entriesOf(client, 'resources', request) : []
  return {
    tools,
    unreadable,
    prompts: readable(OfferedPrompt, prompts),
    resources: readable(OfferedResource, resources),
  }
}

async function entriesOf(
  client: Client,
  list: 'tools' | 'prompts' | 'resources',
  request: RequestOptions,
): Promise<unknown[]> {
  const Page = z.object({ [list]: z.array(z.unknown()).optional(), nextCursor: z.string().optional() })
  const entries: unknown[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES && entries.length < MAX_ENTRIES; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = (await client.request({ method: `${list}/list`, params }, Page, request)) as Record<string, unknown>
    entries.push(...((answer[list] as unknown[] | undefined) ?? []).slice(0, MAX_ENTRIES - entries.length))
    const next = answer.nextCursor as string | undefined
    if (next === undefined || next === cursor) break
    cursor = next
  }
  return entries
}

function readable<T>(shape: z.ZodType<T>, entries: readonly unknown[]): T[] {
  return entries.flatMap((entry) => {
    const read = shape.safeParse(entry)
    return read.success ? [read.data] : []
  })
}
