import { expect, it } from 'vitest'
import { ACP_PRESETS, type AcpEntry } from '../../tools/subagents/acp-entry.ts'
import { vendorProgram } from './vendor-program.ts'

it('lets the variables of an entry count before those of its preset, and keeps the others', () => {
  const env = { ANTHROPIC_BASE_URL: 'http://localhost:1', ENABLE_TOOL_SEARCH: 'true' }
  const { entry, mode, credentials } = vendorProgram({ name: 'claude', acp: { preset: 'claude-code', env } })
  expect(entry).toMatchObject({ command: 'claude-agent-acp', env })
  expect(entry.env).toMatchObject({ DISABLE_AUTOUPDATER: '1' })
  expect(mode).toBe('default')
  expect(credentials.files).toEqual(['.claude/.credentials.json'])
})

it('offers the tools of the board and the mail to Claude Code from the first prompt on', () => {
  const { entry } = vendorProgram({ name: 'claude', acp: 'claude-code' })
  expect(entry.env).toMatchObject({ ENABLE_TOOL_SEARCH: 'false', MCP_CONNECTION_NONBLOCKING: 'false' })
})

it('has opencode ask, and load no settings and plugins that agents can write', () => {
  const { entry } = vendorProgram({ name: 'opencode', acp: 'opencode' })
  expect(entry.env).toMatchObject({ OPENCODE_PERMISSION: '{"*":"ask"}', OPENCODE_DISABLE_PROJECT_CONFIG: '1' })
})

it('has every preset load nothing from the workspace, unless the settings of the user say otherwise', () => {
  const switches = (acp: AcpEntry, isProject = false) => {
    const { meta, entry, usesProjectSettings } = vendorProgram({ name: 'any', acp, isProject })
    return { usesProjectSettings, meta, off: Object.keys(entry.env ?? {}).filter((name) => /PROJECT/.test(name)) }
  }
  const claude = { claudeCode: { options: { settingSources: [], strictMcpConfig: true } } }
  expect(switches('claude-code')).toEqual({ usesProjectSettings: false, meta: claude, off: [] })
  expect(switches('opencode').off).toEqual(['OPENCODE_DISABLE_PROJECT_CONFIG'])
  expect(vendorProgram({ name: 'any', acp: 'gemini' }).hiddenFiles).toEqual(['.env'])
  for (const preset of ACP_PRESETS) {
    const acp = { preset, projectSettings: true }
    expect(switches(acp), preset).toEqual({ usesProjectSettings: true, meta: undefined, off: [] })
    expect(switches(acp, true), preset).toEqual(switches(preset))
  }
})

it('gives no preset a key of our own providers', () => {
  const ours = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY', 'OPENROUTER_API_KEY']
  for (const acp of ACP_PRESETS)
    for (const key of ours) expect(vendorProgram({ name: 'any', acp }).credentials.env, acp).not.toContain(key)
})
