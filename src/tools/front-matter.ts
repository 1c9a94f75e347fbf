import { parse } from 'yaml'
import { tooNested } from './yaml-nesting.ts'

/** The YAML at the head of a Markdown file, as data. Throws where it cannot be read. */
export function parseFrontMatter(text: string): unknown {
  if (tooNested(text) !== undefined) throw new Error('it nests too deeply')
  return parse(text, { logLevel: 'error' })
}
