import { z } from 'zod'
import { orUndefined } from '../paths/safe-reads.ts'

/** When a hook runs. */
export const HOOK_EVENTS = ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'Stop'] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

const Hook = z.strictObject({
  type: z.literal('command'),
  command: z
    .string()
    .min(1)
    .meta({ description: 'For the shell; gets JSON on stdin. Exit 2 refuses, with stderr as feedback.' }),
  timeout: z.number().positive().optional().meta({ description: 'Seconds it may take, 60 by default.' }),
  sandbox: z.boolean().optional().meta({
    description: 'false: runs outside of the sandbox, with your rights. Its files must not be writable for agents.',
  }),
})

const Matched = z.strictObject({
  matcher: z
    .string()
    .refine(isPattern, 'is not a regular expression')
    .optional()
    .meta({ description: 'A regular expression for names of tools, such as bash or edit_file|write_file.' }),
  hooks: z.array(Hook),
})

/** In the shape that users of Claude Code know. */
export const HookSettings = z.strictObject(
  Object.fromEntries(HOOK_EVENTS.map((event) => [event, z.array(Matched).optional()])) as {
    [Event in HookEvent]: z.ZodOptional<z.ZodArray<typeof Matched>>
  },
)
export type HookSettings = z.infer<typeof HookSettings>
export type Hook = z.infer<typeof Hook>

/** What a hook that fails or is late means: `open` that it did not matter, `closed` that it refused. */
export const HOOKS_FAIL = ['open', 'closed'] as const
export type HooksFail = (typeof HOOKS_FAIL)[number]

/** The hooks for an event, and for a tool where it is about one. */
export function hooksFor(settings: HookSettings, event: HookEvent, tool?: string): Hook[] {
  return (settings[event] ?? []).flatMap(({ matcher, hooks }) =>
    tool === undefined || means(matcher, tool) ? hooks : [],
  )
}

function means(matcher: string | undefined, tool: string): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*') return true
  const pattern = new RegExp(`^(?:${matcher})$`)
  return [tool, ...(THEIR_NAMES.get(tool) ?? [])].some((name) => pattern.test(name))
}

/** People bring their matchers along. */
const THEIR_NAMES = new Map([
  ['bash', ['Bash']],
  ['read_file', ['Read']],
  ['write_file', ['Write']],
  ['edit_file', ['Edit', 'MultiEdit']],
  ['glob', ['Glob', 'LS']],
  ['grep', ['Grep']],
])

function isPattern(text: string): boolean {
  return text === '*' || orUndefined(() => new RegExp(text)) !== undefined
}
