import { z } from 'zod'

/** One rule for teams and members, safe in every path. Two names that differ only in case are one name. */
export const Name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)

/** `lead` leads, `user` is the person at the command line, `all` addresses all members. None of them can join. */
const RESERVED: readonly string[] = ['lead', 'user', 'all']

export function isName(text: string): boolean {
  return Name.safeParse(text).success
}

export function isReserved(name: string): boolean {
  return RESERVED.includes(nameKey(name))
}

/** What a name is looked up by. */
export function nameKey(name: string): string {
  return name.toLowerCase()
}

/** Says why a text is not a name, as a sentence. */
export function nameRule(text: string): string {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
  return `${shown} is not a name: use 1 to 64 of A-Z a-z 0-9 _ -, beginning with a letter or digit.`
}
