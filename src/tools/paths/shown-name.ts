/** A path as one line: names may hold line breaks and worse. */
export function shownName(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\u0000-\u001f\u007f]/.test(path) ? JSON.stringify(path) : path
}
