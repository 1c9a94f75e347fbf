import { parse } from 'yaml'
import { z } from 'zod'

export interface ParsedSkill {
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  readonly body: string
}

const Front = z.looseObject({
  name: z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9][\w:.-]{0,63}$/, 'is 1 to 64 letters, digits, - _ : or .'),
  description: z.string().trim().min(1),
  tags: z.union([z.string(), z.array(z.string())]).nullish(),
})

/** `SKILL.md`: YAML between two lines of `---`, then the body. Read as data: nothing in it is executed. A text is what is wrong. */
export function parseSkill(text: string): ParsedSkill | string {
  const [, front, body = ''] = /^\ufeff?---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n(.*))?$/s.exec(text) ?? []
  if (front === undefined) return 'it does not begin with YAML between two lines of ---.'
  let value: unknown
  try {
    value = parse(front, { logLevel: 'error' })
  } catch (error) {
    return `its YAML cannot be read (${(error as Error).message.split('\n')[0]}).`
  }
  const said = Front.safeParse(value)
  if (!said.success) {
    const issues = said.error.issues.map(({ path, message }) => `${path.join('.') || 'YAML'}: ${message}`)
    return `${issues.join('; ')}.`
  }
  if (body.trim() === '') return 'it has no body below the second ---.'
  const { name, description, tags } = said.data
  const list = typeof tags === 'string' ? tags.split(',') : (tags ?? [])
  return { name, description, tags: list.map((tag) => tag.trim()).filter(Boolean), body: body.trim() }
}

/** Files the body names by a relative path: in a link, or in one of the folders a skill may have. */
export function namedFiles(body: string): string[] {
  const prose = body.replace(/^(```|~~~).*?^\1/gms, '')
  const links = [...prose.matchAll(/\]\((?!\w+:|#|\/)([^)\s#]+)/g)].map(([, path]) => path!)
  const bare = [...prose.matchAll(/(?<![\w/.-])(?:\.\/)?((?:scripts|references|assets)\/[\w./-]*\w)/g)].map(
    ([, path]) => path!,
  )
  return [...new Set([...links, ...bare].map((path) => path.replace(/^\.\//, '')))]
}
