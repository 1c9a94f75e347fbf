import { realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The files that the command of a hook names, by their real paths: they are shown to it inside of the sandbox. */
export function hookScripts(command: string, root: string, home: string | undefined): string[] {
  const words = command.split(/[\s"'`;|&()<>=]+/).filter((word) => word.includes('/'))
  return [...new Set(words.flatMap((word) => realFile(placeOf(word, root, home))))]
}

function placeOf(word: string, root: string, home: string | undefined): string {
  const path = word.replace(/^\$\{?(?:DESKMATES|CLAUDE)_PROJECT_DIR\}?(?=\/)/, root)
  const own = /^(?:~|\$\{?HOME\}?)\/(.*)$/.exec(path)?.[1]
  return own !== undefined && home !== undefined ? join(home, own) : resolve(root, path)
}

function realFile(path: string): string[] {
  try {
    const real = realpathSync(path)
    return statSync(real).isFile() ? [real] : []
  } catch {
    return []
  }
}
