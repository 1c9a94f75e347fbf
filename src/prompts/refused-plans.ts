/** What the author of plan files reads that are not valid: they come back to it with file, line and fix. */
export function refusedPlansText(lines: readonly string[]): string {
  return `Your plan files were not accepted. Correct each of these in its file, then end your turn:\n${lines.map((line) => `- ${line}\n`).join('')}`
}
