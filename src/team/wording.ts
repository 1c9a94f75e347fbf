/** `1 task`, `2 tasks`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** `A result`, `An error`: how a sentence about it begins. */
export function aOrAn(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'An' : 'A'} ${noun}`
}

/** The first `length` characters, with a sign that there are more. Never half of a character. */
export function beginning(text: string, length: number): string {
  if (text.length <= length) return text
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(length - 1))
  return `${text.slice(0, isHalf ? length - 1 : length)}…`
}

/** A text as one word of a command line that a person copies. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** Text of others as one line of ours: it cannot begin a line or an element of its own. */
export function oneLine(text: string, length: number): string {
  return beginning(text.replace(/\s+/g, ' ').replaceAll('<', '&lt;').trim(), length)
}
