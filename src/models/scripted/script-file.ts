import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ModelFailure } from '../model.ts'
import type { Script } from './script.ts'

/** A script in a JSON file, or the default export of a program (.js, .mjs). */
export async function scriptFromFile(path: string): Promise<Script> {
  const isProgram = ['.js', '.mjs'].includes(extname(path))
  try {
    if (!isProgram) return JSON.parse(await readFile(path, 'utf8'))
    const program: { default?: Script } = await import(/* @vite-ignore */ pathToFileURL(path).href)
    if (program.default !== undefined) return program.default
  } catch (cause) {
    throw new ModelFailure(
      { model: `scripted:${path}`, fault: 'script', cause },
      `Cannot read the script ${path}: ${cause instanceof Error ? cause.message : cause}. docs/scripted-model.md describes the format.`,
    )
  }
  throw new ModelFailure(
    { model: `scripted:${path}`, fault: 'script' },
    `The script ${path} has no default export. Write \`export default { parts: [ … ] }\`.`,
  )
}
