import { shellWord } from '../../team/wording.ts'
import type { ConfiguredServer, ServerGrants } from './server-entry.ts'

/**
 * What a person can do about a program that does not start and has no network: most that need one, such as npx to fetch its
 * package, do not say so. Undefined where it has a network.
 */
export function startHint(
  { name, source, isProject }: Pick<ConfiguredServer, 'name' | 'source' | 'isProject'>,
  { network, sandbox }: ServerGrants,
): string | undefined {
  if (network || !sandbox) return undefined
  const word = shellWord(name)
  const how =
    isProject && source !== 'flags'
      ? `deskmates mcp approve ${word} --network`
      : source === 'local'
        ? `deskmates mcp remove ${word}, and add it again with --network`
        : 'write "network": true into its entry'
  return `It has no network. If it needs one, as npx does to fetch a package: ${how}.`
}
