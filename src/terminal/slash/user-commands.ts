import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isInside } from '../../permissions/paths/places.ts'
import { openSpot } from '../../permissions/paths/spot.ts'

/** A prompt that a person wrote down as a command. */
export interface UserCommand {
  readonly name: string
  readonly args: string
  readonly about: string
  /** With `$ARGUMENTS` where the arguments go. */
  readonly prompt: string
}

const FOLDERS: readonly string[] = ['.deskmates/commands', '.claude/commands']
const MAX_COMMANDS = 200
const MAX_BYTES = 64 * 1024

/**
 * The commands of a folder: a trusted project, or the user's home. Of the front matter only the texts of the help count;
 * tools, models or permissions that it names grant nothing.
 */
export function readUserCommands(root: string): UserCommand[] {
  const commands: UserCommand[] = []
  for (const folder of FOLDERS) {
    for (const file of filesIn(join(root, folder))) {
      const name = basename(file, '.md').toLowerCase()
      if (commands.length >= MAX_COMMANDS || commands.some((command) => command.name === name)) continue
      const text = readInside(join(root, folder, file), root)
      if (text !== undefined) commands.push(parseUserCommand(name, text))
    }
  }
  return commands
}

export function parseUserCommand(name: string, text: string): UserCommand {
  const [, front = '', body = text] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text) ?? []
  const field = (key: string) => new RegExp(`^${key}:[ \\t]*["']?(.*?)["']?[ \\t]*$`, 'm').exec(front)?.[1] ?? ''
  return {
    name,
    args: field('argument-hint'),
    about: field('description') || 'command of this project',
    prompt: body.trim(),
  }
}

export function commandPrompt({ prompt }: UserCommand, args: string): string {
  if (!prompt.includes('$ARGUMENTS')) return args === '' ? prompt : `${prompt}\n\n${args}`
  return prompt.replaceAll('$ARGUMENTS', () => args)
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^[A-Za-z][\w.-]{0,63}\.md$/.test(name))
      .sort()
  } catch {
    // Most folders have none.
    return []
  }
}

/** Undefined for what is not a small file of this folder. */
function readInside(path: string, root: string): string | undefined {
  try {
    using spot = openSpot(path)
    if (!spot.stats.isFile() || spot.stats.size > MAX_BYTES || !isInside(realpathSync(root), spot.real))
      return undefined
    return readFileSync(spot.at, 'utf8')
  } catch {
    return undefined
  }
}
