import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claiming, provenClaim, withProvider } from './fake-provider.mjs'

/** Its program comes in a package for each platform; the install script of the main package only links it. */
export const client = {
  title: 'opencode',
  package(platform, arch) {
    if (!['linux', 'darwin'].includes(platform) || !['x64', 'arm64'].includes(arch)) return undefined
    return { name: `opencode-${platform}-${arch}`, version: '1.18.33', program: 'bin/opencode' }
  },
  async prove({ program, run, server, claimBy, work, env: { DESKMATES_STATE } }) {
    const { command, args } = server('opencode')
    const model = 'anthropic/claude-sonnet-4-5'
    const mcp = { type: 'local', command: [command, ...args], enabled: true, environment: { DESKMATES_STATE } }
    const env = {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    }
    const asked = await withProvider(claiming('deskmates_task_claim'), (url) => {
      const config = {
        ...{ model, small_model: model, autoupdate: false, share: 'disabled', mcp: { deskmates: mcp } },
        provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: 'sk-ant-test' } } },
      }
      writeFileSync(join(work, 'opencode.json'), JSON.stringify(config))
      return claimBy('opencode', () => run(program, ['run', 'Claim a task.'], { env }))
    })
    return provenClaim(asked)
  },
}
