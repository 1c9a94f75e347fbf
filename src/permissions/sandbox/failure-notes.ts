import { patternFor } from '../rules/hints.ts'
import { readLine } from '../shell/read-line.ts'
import type { SandboxedStart } from './sandbox.ts'

/** What a command that failed inside of the sandbox may have missed, for the model to act on. */
export function failureNotes(command: string, output: string, { hasNetwork }: SandboxedStart): string[] {
  const notes: string[] = []
  if (!hasNetwork && NO_NETWORK.test(output)) {
    const pattern = readLine(command)
      .steps.flatMap((step) => patternFor(step) ?? [])
      .at(-1)
    const rule = pattern === undefined ? 'network' : `network(${pattern})`
    notes.push(`[no network: sandbox; allow with --allowedTools '${rule}']`)
  }
  if (/Read-only file system|EROFS/.test(output))
    notes.push('[sandbox: only the workspace and /tmp can be written, and not what decides what agents may do]')
  return notes
}

/** How programs report that they have no network. */
const NO_NETWORK =
  /could ?n[o']t resolve|temporary failure in name resolution|name or service not known|network is unreachable|EAI_AGAIN|ENOTFOUND|ENETUNREACH|getaddrinfo|no address associated|failed to connect|could not connect|ECONNREFUSED|connection refused|unable to resolve|dns error|failed to lookup/i
