import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** A page of ours, and the code blocks of one language in it. */
export function readPage(name: string) {
  const text = readFileSync(join(project, name), 'utf8')
  const blocks = (language: string) =>
    [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
      .filter(([, found]) => found === language)
      .map(([, , body]) => body ?? '')
  /** From one heading to the next of the same or a higher level. */
  const section = (heading: string) => {
    const level = /^#+/.exec(heading)?.[0].length ?? 1
    const from = text.indexOf(`\n${heading}\n`)
    if (from < 0) throw new Error(`${name} has no section ${heading}`)
    const rest = text.slice(from + heading.length + 2)
    const end = rest.search(new RegExp(`^#{1,${level}} `, 'm'))
    return end < 0 ? rest : rest.slice(0, end)
  }
  return { text, blocks, section }
}
