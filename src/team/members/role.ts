import { z } from 'zod'

const MAX_ROLE_LENGTH = 64

/** Controls, direction marks, zero-width and other characters that a reader does not see. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

/** What a member does in the team, in free words: `frontend dev`. Kept as it was written, with single spaces. */
export const Role = z.string().refine(isRole, { error: ({ input }) => roleRule(String(input)) })

export function isRole(text: string): boolean {
  const length = [...normalRole(text)].length
  return length >= 1 && length <= MAX_ROLE_LENGTH && !INVISIBLE.test(text)
}

/** As it is written down: composed characters, single spaces, none at its ends. */
export function normalRole(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{Zs}+/gu, ' ')
    .trim()
}

/** What a role is compared by: case and the number of spaces do not matter. */
export function roleKey(role: string): string {
  const known = keys.get(role)
  if (known !== undefined) return known
  const key = normalRole(role).toLowerCase()
  if (keys.size >= MAX_REMEMBERED_KEYS) keys.clear()
  keys.set(role, key)
  return key
}

/** Every idle member asks for tasks of its role after every change. */
const keys = new Map<string, string>()
const MAX_REMEMBERED_KEYS = 1000

/** Says why a text is not a role. */
export function roleRule(text: string): string {
  const shown = JSON.stringify([...text].slice(0, 80).join('')).replace(
    new RegExp(INVISIBLE, 'gu'),
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  )
  return `${shown} is not a role: use 1 to ${MAX_ROLE_LENGTH} printable characters on one line, such as 'frontend dev'.`
}
