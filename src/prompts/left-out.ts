/** How an agent reads what was left out of a text: all of it is in a file. */
export function allInFileText(path: string): string {
  return `All of it is in ${path}: see more with read_file (offset, limit) or grep.`
}

export function bytesLeftOutText(left: number, total: number, where: string): string {
  return `[${left} of ${total} bytes are left out here. ${where}]`
}

export function charactersLeftOutText(left: number, total: number, path: string): string {
  return `[${left} of ${total} characters are left out here. ${allInFileText(path)}]`
}

export function partsLeftOutText(parts: number, path: string): string {
  return `[${parts} parts of this turn are left out here, because they do not fit. ${allInFileText(path)}]`
}

/** Stands in place of an old tool result. */
export function movedResultText(tool: string, tokens: number, paths: readonly string[]): string {
  return `[Output of ${tool}: about ${tokens} tokens were moved to a file. Read it again with read_file: ${paths.join(', ')}]`
}
