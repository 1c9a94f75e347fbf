import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { keyVariables, knownProviders } from '../../models/providers/providers.ts'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import { userFolder } from '../../permissions/trust/private-folders.ts'
import { openTrust } from '../../stores/files/identity/trust.ts'
import { findRoot } from '../../stores/files/workspace-root.ts'
import type { PaintedPrompt } from '../../terminal/painted-prompt.ts'
import type { Context } from '../program/context.ts'
import { type Conversation, conversationOf } from './conversation-arguments.ts'
import { instructingFiles } from './instructing-files.ts'

/**
 * Paints the prompt of the conversation before the program behind it is loaded, where it is certain that this command line
 * opens one, and nothing is asked before. Undefined otherwise: then the command decides what the person sees first. It only
 * looks: whatever is wrong is reported by the command, which closes the prompt.
 */
export async function paintFirst(argv: readonly string[], context: Context): Promise<PaintedPrompt | undefined> {
  const { env, cwd, clock, isTerminal, isStdinTerminal } = context
  if (!isTerminal || !isStdinTerminal || env.TERM === 'dumb') return undefined
  const conversation = conversationOf(argv)
  if (conversation === undefined || VARIABLES_THAT_DECIDE.some((name) => env[name])) return undefined
  const folder = folderWithoutQuestion(cwd, env, conversation)
  if (folder === undefined) return undefined
  const { PaintedPrompt } = await import('../../terminal/painted-prompt.ts')
  const prompt = new PaintedPrompt({ project: basename(folder), budget: conversation.budget, env, clock })
  await prompt.paint()
  return prompt
}

/** An agent is refused, and a database may not answer. */
const VARIABLES_THAT_DECIDE = ['DESKMATES_AGENT', 'DESKMATES_STORE']

/** The real path of the project, unless a question about it, about its MCP servers or about the model comes first. */
function folderWithoutQuestion(cwd: string, env: NodeJS.ProcessEnv, { model }: Conversation): string | undefined {
  try {
    const { workspace } = findRoot(cwd, env, env.HOME || homedir())
    let isWarned = false
    const warn = () => {
      isWarned = true
    }
    const trust = openTrust(env, { warn })
    if (isWarned || (instructingFiles(workspace).length > 0 && !isTrusted({ workspace, trust }))) return undefined
    const own = ['settings.json', 'settings.local.json'].map((name) => join(workspace, '.deskmates', name))
    if (existsSync(join(workspace, '.mcp.json')) || own.some((file) => mentions(file, 'mcpServers'))) return undefined
    const settings = [...own, join(userFolder(env), 'settings.json')]
    const hasModel = model !== undefined || hasKey(env) || settings.some((file) => mentions(file, 'model'))
    return hasModel ? realpathSync(workspace) : undefined
  } catch {
    return undefined
  }
}

function hasKey(env: NodeJS.ProcessEnv): boolean {
  return knownProviders.flatMap(keyVariables).some((name) => env[name]?.trim())
}

/** Not parsed: if the file means something else, the question closes the prompt. */
function mentions(file: string, setting: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').includes(`"${setting}"`)
}
