import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { proven } from './claude-code.client.mjs'
import { startProvider, toolResults } from './fake-provider.mjs'

/** Its program comes in a package for each platform; the install script of the main package only links it. */
export const client = {
  title: 'opencode',
  package(platform, arch) {
    if (!['linux', 'darwin'].includes(platform) || !['x64', 'arm64'].includes(arch)) return undefined
    return { name: `opencode-${platform}-${arch}`, version: '1.18.33', program: 'bin/opencode' }
  },
  async prove({ program, run, server, claimBy, work, env: { DESKMATES_STATE } }) {
    await using provider = await startProvider(({ tools, messages }) => {
      const tool = tools.find((name) => name === 'deskmates_task_claim')
      return tool && toolResults(messages).length === 0 ? { tool } : { text: 'done' }
    })
    const { command, args } = server('opencode')
    const model = 'anthropic/claude-sonnet-4-5'
    const config = {
      ...{ model, small_model: model, autoupdate: false, share: 'disabled' },
      provider: { anthropic: { options: { baseURL: `${provider.url}/v1`, apiKey: 'sk-ant-test' } } },
      mcp: {
        deskmates: { type: 'local', command: [command, ...args], enabled: true, environment: { DESKMATES_STATE } },
      },
    }
    writeFileSync(join(work, 'opencode.json'), JSON.stringify(config))
    const env = {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    }
    await claimBy('opencode', () => run(program, ['run', 'Claim a task.'], { env }))
    return proven(provider)
  },
}
