/** `1 task`, `2 tasks`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** `A result`, `An error`: how a sentence about it begins. */
export function aOrAn(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'An' : 'A'} ${noun}`
}
