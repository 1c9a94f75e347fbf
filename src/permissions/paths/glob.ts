/** One step of a path pattern: a name with wildcards, or `**` for any number of steps. */
type Step = '**' | readonly Sign[]
type Sign = { readonly kind: 'one' | 'any' } | { readonly kind: 'text'; readonly text: string } | CharacterSet
interface CharacterSet {
  readonly kind: 'set'
  readonly isNegated: boolean
  readonly members: string
}

/** A pattern of paths as in a `.gitignore`, ready to be compared. */
export type Glob = readonly (readonly Step[])[]

const MOST_ALTERNATIVES = 64

/** Undefined for a pattern of another kind: `!(x)`, `@(x)`, braces without end or too many of them. */
export function parseGlob(pattern: string): Glob | undefined {
  if (/[!@+?*]\(/.test(pattern)) return undefined
  return expandBraces(pattern)?.map((one) => one.split('/').filter(Boolean).map(parseStep))
}

/** Whether the pattern means these steps, or a folder they are in. */
export function fitsGlob(glob: Glob, steps: readonly string[]): boolean {
  return glob.some((pattern) => fitsSteps(pattern, steps))
}

/**
 * Greedy, as for a single name: behind `**` each piece is taken at its first place. All further steps of the path may
 * follow, because a folder means what is in it.
 */
function fitsSteps(pattern: readonly Step[], steps: readonly string[]): boolean {
  let at = 0
  let star: { readonly pattern: number; at: number } | undefined
  let i = 0
  while (i < pattern.length) {
    const step = pattern[i]!
    if (step === '**') {
      // At the end it stands for the folder and what is in it.
      if (i === pattern.length - 1) return true
      star = { pattern: ++i, at }
    } else if (at < steps.length && fitsName(step, steps[at]!)) {
      i++
      at++
    } else if (star && star.at < steps.length) {
      star.at++
      i = star.pattern
      at = star.at
    } else return false
  }
  return true
}

function fitsName(signs: readonly Sign[], name: string): boolean {
  let at = 0
  let star: { readonly sign: number; at: number } | undefined
  let i = 0
  for (;;) {
    const sign = signs[i]
    if (sign?.kind === 'any') {
      star = { sign: ++i, at }
      continue
    }
    const taken = sign === undefined ? (at === name.length ? 0 : -1) : lengthOf(sign, name, at)
    if (sign === undefined && taken === 0) return true
    if (taken > 0) {
      i++
      at += taken
    } else if (star && star.at < name.length) {
      star.at++
      i = star.sign
      at = star.at
    } else return false
  }
}

function lengthOf(sign: Exclude<Sign, { kind: 'any' }> | Sign, name: string, at: number): number {
  if (sign.kind === 'text') return name.startsWith(sign.text, at) ? sign.text.length : -1
  if (at >= name.length) return -1
  if (sign.kind === 'set') return isMember(sign, name[at]!) ? 1 : -1
  return 1
}

function isMember({ members, isNegated }: CharacterSet, sign: string): boolean {
  for (let i = 0; i < members.length; i++) {
    const isRange = members[i + 1] === '-' && i + 2 < members.length
    if (isRange ? sign >= members[i]! && sign <= members[i + 2]! : sign === members[i]) return !isNegated
    if (isRange) i += 2
  }
  return isNegated
}

function parseStep(text: string): Step {
  if (text === '**') return '**'
  const signs: Sign[] = []
  let literal = ''
  const flush = () => {
    if (literal !== '') signs.push({ kind: 'text', text: literal })
    literal = ''
  }
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!
    const end = sign === '[' ? text.indexOf(']', at + 2) : -1
    if (sign === '\\' && at + 1 < text.length) literal += text[++at]
    else if (sign === '*' || sign === '?') {
      flush()
      if (sign === '?') signs.push({ kind: 'one' })
      else if (signs.at(-1)?.kind !== 'any') signs.push({ kind: 'any' })
    } else if (end !== -1) {
      flush()
      const inside = text.slice(at + 1, end)
      const isNegated = /^[!^]/.test(inside)
      signs.push({ kind: 'set', isNegated, members: isNegated ? inside.slice(1) : inside })
      at = end
    } else literal += sign
  }
  flush()
  return signs
}

function expandBraces(pattern: string): string[] | undefined {
  const begin = pattern.indexOf('{')
  if (begin === -1) return [pattern]
  const parts: string[] = []
  let depth = 0
  let from = begin + 1
  for (let at = begin; at < pattern.length; at++) {
    const sign = pattern[at]
    if (sign === '{') depth++
    if (sign === '}') depth--
    if (depth === 0 || (depth === 1 && sign === ',')) {
      parts.push(pattern.slice(from, at))
      from = at + 1
    }
    if (depth > 0) continue
    const [head, tail] = [pattern.slice(0, begin), pattern.slice(at + 1)]
    const all = parts.map((part) => expandBraces(head + part + tail))
    if (all.includes(undefined) || all.flat().length > MOST_ALTERNATIVES) return undefined
    return all.flat() as string[]
  }
  return undefined
}
