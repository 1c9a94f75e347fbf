import { claiming, provenClaim, withProvider } from './fake-provider.mjs'

/** Its program comes in a package for each platform; the install script of the main package only links it. */
export const client = {
  title: 'Claude Code',
  package(platform, arch) {
    if (!['linux', 'darwin'].includes(platform) || !['x64', 'arm64'].includes(arch)) return undefined
    return { name: `@anthropic-ai/claude-code-${platform}-${arch}`, version: '2.1.326', program: 'claude' }
  },
  async prove({ program, run, server, claimBy }) {
    const config = { mcpServers: { deskmates: { type: 'stdio', ...server('claude') } } }
    const own = ['--mcp-config', JSON.stringify(config), '--strict-mcp-config', '--allowedTools', 'mcp__deskmates']
    const asked = await withProvider(claiming('mcp__deskmates__task_claim'), (url) => {
      const env = {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'sk-ant-test',
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        // All tools at once, when all servers are connected.
        ENABLE_TOOL_SEARCH: 'false',
        MCP_CONNECTION_NONBLOCKING: 'false',
      }
      return claimBy('claude', () => run(program, ['-p', 'Claim a task.', ...own, '--output-format', 'json'], { env }))
    })
    return provenClaim(asked)
  },
}
