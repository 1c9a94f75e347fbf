import type { Origin } from '../../settings/layers.ts'
import { oneLine, table } from '../output/format.ts'
import { print, printJsonArray, printMessage } from '../output/print.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { readSettings } from '../workspace/read-settings.ts'

export const configList: SubCommand<object> = {
  example: `$ deskmates config list
$ deskmates config list --json`,
  define() {},
  async run(call) {
    await using workspace = await openStore(call)
    const { origins } = await readSettings(call, workspace)
    const shown = origins.map(withoutSecret)
    if (call.globals.json) return await printJsonArray(call, shown)
    if (shown.length === 0) await printMessage(call, 'No settings. See docs/settings.md.')
    const rows = shown.map(({ key, value, source, path }) => [
      key,
      source,
      `${oneLine(JSON.stringify(value))}${path === undefined ? '' : `  ${path}`}`,
    ])
    await print(call, table(call, ['key', 'from', 'value'], rows))
  },
}

/** Keys are not printed: another person may see the terminal. */
function withoutSecret(origin: Origin): Origin {
  if (origin.key.startsWith('mcpServers.')) return { ...origin, value: withoutValues(origin.value) }
  return /^providers\..+\.(key|headers\..+)$/.test(origin.key) ? { ...origin, value: '(hidden)' } : origin
}

/** An MCP server: what it sets and sends may be keys. */
function withoutValues(entry: unknown): unknown {
  const hidden = Object.entries(entry as object).map(([key, value]) => {
    if (key !== 'env' && key !== 'headers') return [key, value]
    return [key, Object.fromEntries(Object.keys(value as object).map((name) => [name, '(hidden)']))]
  })
  return Object.fromEntries(hidden)
}
