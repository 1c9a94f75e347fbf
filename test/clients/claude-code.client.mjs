import { startProvider, toolResults } from './fake-provider.mjs'

/** Its program comes in a package for each platform; the install script of the main package only links it. */
export const client = {
  title: 'Claude Code',
  package(platform, arch) {
    if (!['linux', 'darwin'].includes(platform) || !['x64', 'arm64'].includes(arch)) return undefined
    return { name: `@anthropic-ai/claude-code-${platform}-${arch}`, version: '2.1.326', program: 'claude' }
  },
  async prove({ program, run, server, claimBy }) {
    await using provider = await startProvider(({ tools, messages }) => {
      const tool = tools.find((name) => name === 'mcp__deskmates__task_claim')
      return tool && toolResults(messages).length === 0 ? { tool } : { text: 'done' }
    })
    const config = { mcpServers: { deskmates: { type: 'stdio', ...server('claude') } } }
    const env = {
      ANTHROPIC_BASE_URL: provider.url,
      ANTHROPIC_API_KEY: 'sk-ant-test',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // All tools at once, when all servers are connected.
      ENABLE_TOOL_SEARCH: 'false',
      MCP_CONNECTION_NONBLOCKING: 'false',
    }
    const own = ['--mcp-config', JSON.stringify(config), '--strict-mcp-config', '--allowedTools', 'mcp__deskmates']
    await claimBy('claude', () => run(program, ['-p', 'Claim a task.', ...own, '--output-format', 'json'], { env }))
    return proven(provider)
  },
}

/** What the model was offered and told. */
export function proven({ requests }) {
  const results = requests.flatMap(({ messages }) => toolResults(messages))
  if (!results.some((text) => text.includes('in_progress'))) throw new Error(`the model read ${results.join()}`)
  const most = Math.max(...requests.map(({ tools }) => tools.filter((name) => /deskmates/.test(name)).length))
  return [`${most} tools listed`, 'a claim by its model', 'the result read']
}
