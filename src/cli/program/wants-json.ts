/** Whether the caller wants JSON. Read from the raw arguments, because the command line itself may be invalid. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  const words = argv.slice(0, end < 0 ? undefined : end)
  return words.some((word, i) => {
    if (word === '--json') return true
    const [, format = words[i + 1]] = /^--output-format(?:=(.*))?$/.exec(word) ?? [undefined, '']
    return isJson(format)
  })
}

/** Of `--output-format`. */
export function isJson(format: unknown): boolean {
  return format === 'json' || format === 'stream-json'
}
