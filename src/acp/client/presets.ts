import type { AcpPreset } from '../../tools/subagents/acp-entry.ts'

/** A program of another vendor that is known here. */
export interface Preset {
  readonly title: string
  readonly command: string
  readonly args: readonly string[]
  /** Always set for it. */
  readonly env: Readonly<Record<string, string>>
  /** What has it ignore its settings in the workspace, besides that its sandbox does not show most of them. */
  readonly ignoresProject: ProjectSwitch
  /** The mode in which it asks before it changes something; undefined where it asks without one. */
  readonly mode?: string
  readonly credentials: Credentials
  /** How a person installs it, and signs in. */
  readonly install: string
}

/** How a program is told to load nothing from the workspace. */
export interface ProjectSwitch {
  /** Files of the workspace that its sandbox does not show either. */
  readonly files?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** `_meta` of the session, for programs that take it from there. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** What a program signs in with. It gets nothing else that is secret. */
export interface Credentials {
  /** Variables of the user's environment. None of them is a key that our own providers use. */
  readonly env: readonly string[]
  /** Files in the home folder of the user, which it can read and not change. */
  readonly files: readonly string[]
  /** A variable that it signs in with only where it is told to, and how it calls that. */
  readonly method?: { readonly variable: string; readonly id: string }
}

export const PRESETS: Readonly<Record<AcpPreset, Preset>> = {
  'claude-code': {
    title: 'Claude Code',
    command: 'claude-agent-acp',
    args: [],
    env: {
      DISABLE_AUTOUPDATER: '1',
      // The tools of the board and the mail are there from its first prompt on, and need not be searched for.
      ENABLE_TOOL_SEARCH: 'false',
      MCP_CONNECTION_NONBLOCKING: 'false',
      // No person reads what it would suggest to type next.
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
    },
    // Neither those of the workspace nor those in its own home, which it can write itself.
    ignoresProject: { meta: { claudeCode: { options: { settingSources: [], strictMcpConfig: true } } } },
    mode: 'default',
    credentials: {
      env: ['CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_EXECUTABLE'],
      files: ['.claude/.credentials.json'],
    },
    install: 'npm install -g @agentclientprotocol/claude-agent-acp, and sign in with claude /login',
  },
  opencode: {
    title: 'opencode',
    command: 'opencode',
    args: ['acp'],
    env: {
      // Without this it does everything without asking.
      OPENCODE_PERMISSION: '{"*":"ask"}',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    },
    // Agents can write opencode.json and .opencode, whose plugins would run with its credentials.
    ignoresProject: { env: { OPENCODE_DISABLE_PROJECT_CONFIG: '1' } },
    credentials: { env: ['OPENCODE_API_KEY'], files: ['.local/share/opencode/auth.json'] },
    install: 'npm install -g opencode-ai, and sign in with opencode auth login',
  },
  gemini: {
    title: 'Gemini CLI',
    command: 'gemini',
    args: ['--acp'],
    // In a folder that it does not trust it starts no MCP server, ours included.
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    // Only its sandbox keeps .gemini away from it; and .env, which says whom it asks, and with which key.
    ignoresProject: { files: ['.env'] },
    mode: 'default',
    credentials: {
      env: ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION'],
      files: ['.gemini/oauth_creds.json', '.gemini/google_accounts.json', '.gemini/installation_id'],
    },
    install: 'npm install -g @google/gemini-cli, and sign in with gemini',
  },
  codex: {
    title: 'Codex',
    command: 'codex-acp',
    args: [],
    env: {},
    // It trusts the folder of every session: only its sandbox keeps .codex away from it.
    ignoresProject: {},
    mode: 'read-only',
    credentials: {
      env: ['CODEX_API_KEY'],
      files: ['.codex/auth.json'],
      method: { variable: 'CODEX_API_KEY', id: 'api-key' },
    },
    install: 'npm install -g @agentclientprotocol/codex-acp, and sign in with codex login',
  },
}
