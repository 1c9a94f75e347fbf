import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { withProvider } from './fake-provider.mjs'

export const MODEL = 'anthropic/claude-sonnet-4-5'

/** Claude Code and opencode as agents of the Agent Client Protocol. */
export function vendorPackages(platform, arch) {
  if (!['linux', 'darwin'].includes(platform) || !['x64', 'arm64'].includes(arch)) return undefined
  return [
    { name: '@agentclientprotocol/claude-agent-acp', version: '0.99.1', program: 'dist/index.js' },
    { name: `opencode-${platform}-${arch}`, version: '1.18.33', program: 'bin/opencode' },
  ]
}

/** The agent types `claude` and `opencode` of the user's settings: what each program is to ask stands in its variables. */
export function agentTypes({ claude, opencode }) {
  const config = {
    ...{ model: MODEL, small_model: MODEL, share: 'disabled' },
    provider: { anthropic: { options: { baseURL: `${opencode.url}/v1`, apiKey: opencode.key } } },
  }
  const claudeEnv = {
    ANTHROPIC_BASE_URL: claude.url,
    ANTHROPIC_API_KEY: claude.key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
  const opencodeEnv = { OPENCODE_CONFIG_CONTENT: JSON.stringify(config), OPENCODE_DISABLE_MODELS_FETCH: '1' }
  return {
    claude: { acp: { preset: 'claude-code', command: claude.node, args: [claude.program], env: claudeEnv } },
    opencode: { acp: { preset: 'opencode', env: opencodeEnv } },
  }
}

/** A PATH with this program as its installer leaves it: a link in a folder of the home. */
export function installed(program, name, { home, env: { PATH } }) {
  const bin = join(home, '.local', 'bin')
  mkdirSync(bin, { recursive: true })
  try {
    symlinkSync(program, join(bin, name))
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  return [bin, PATH].join(delimiter)
}

/** A provider for each of these models while `work` runs, which gets their addresses by name; returns what each was asked, by name. */
export async function withModels(models, work, urls = {}) {
  const [[name, model], ...rest] = Object.entries(models)
  let others = {}
  const asked = await withProvider(model, async (url) => {
    const known = { ...urls, [name]: url }
    if (rest.length === 0) await work(known)
    else others = await withModels(Object.fromEntries(rest), work, known)
  })
  return { [name]: asked, ...others }
}

/** The records of the transcripts of a team, or of one of its members. */
export function recordsOf(work, team, member) {
  const folder = join(work, '.teams', team, 'transcripts')
  const files = member === undefined ? readdirSync(folder) : [`${member}.jsonl`]
  const lines = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
  return lines.filter(Boolean).map((line) => JSON.parse(line))
}

/** The process groups of vendors' programs that these records name, in the order of their start. */
export function vendorGroups(records) {
  return records.flatMap(({ began }) => (began?.of === 'acp' ? [began.pid] : []))
}
