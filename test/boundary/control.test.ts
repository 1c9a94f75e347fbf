import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openControl } from '../../src/session/control/open-control.ts'
import { entryPath, socketPath } from '../../src/stores/files/identity/control-entry.ts'
import { composedModel } from '../../src/testing/harnesses/composed-model.ts'
import { reader, until } from '../../src/testing/harnesses/control-contract.ts'
import { openWorkspace } from '../../src/workspace.ts'

let place: string
beforeEach(() => {
  // Not in /tmp, which every command sees as empty.
  const top = join(homedir(), '.cache')
  mkdirSync(top, { recursive: true })
  place = realpathSync(mkdtempSync(join(top, 'dm-')))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

/** Every socket and token that it finds under these folders, and what a connection gets. */
const ATTACK = `node -e '
const { readdirSync, readFileSync, statSync } = require("fs"); const { join } = require("path")
const found = (dir) => { try { return readdirSync(dir).flatMap((name) => { const path = join(dir, name)
  try { return statSync(path).isDirectory() ? found(path) : [path] } catch { return [] } }) } catch (error) { return [] } }
for (const path of [...found(process.argv[1]), ...found(process.argv[2]), process.argv[3], process.argv[4]]) {
  if (path.endsWith(".json")) try { console.log("TOKEN " + readFileSync(path, "utf8").includes("token")) } catch (error) { console.log(error.code) }
  if (path.endsWith(".sock")) require("net").connect(path).on("connect", () => { console.log("CONNECTED"); process.exit() }).on("error", (error) => console.log(error.code))
}'`

for (const rule of ['', 'network'])
  it(`a command finds neither the control socket of its session nor the token (rule: '${rule}')`, async ({ skip }) => {
    const root = join(place, 'work')
    // Inside of the workspace, where commands may write, and beside it.
    const env = {
      PATH: process.env.PATH,
      HOME: join(place, 'home'),
      XDG_RUNTIME_DIR: join(root, 'run'),
      DESKMATES_STATE: join(place, 'state'),
    }
    for (const folder of [root, env.HOME, env.XDG_RUNTIME_DIR]) mkdirSync(folder)
    await using workspace = await openWorkspace({ cwd: root, env: { ...env, DESKMATES_DIR: root } })
    const { model } = composedModel(({ turns }) => {
      const { socket, entry } = paths
      const command = `${ATTACK} ${env.XDG_RUNTIME_DIR} ${env.DESKMATES_STATE} ${socket} ${entry}; echo ended`
      return turns.length === 1 ? { calls: [{ tool: 'bash', input: { command } }] } : { text: 'Tried.' }
    })
    await using control = await openControl({
      ...{ workspace, model, env, version: '1.2.3', cwd: root },
      permissions: { mode: 'bypassPermissions', allow: rule === '' ? [] : [rule] },
      socket: { access: 'watch' },
    })
    const journal = workspace.journalOf(control.session)
    const paths = { socket: socketPath(env, journal), entry: entryPath(env, journal) }
    if (control.opened.sandbox !== 'on') skip('bubblewrap does not work here')
    const read = reader(control)
    await control.prompt('Go.')
    await until(() => JSON.stringify(read.of('user')).includes('ended'))
    const results = JSON.stringify(read.of('user').filter((line) => JSON.stringify(line).includes('tool_result')))
    expect(results).toContain('ended')
    expect(results).not.toMatch(/CONNECTED|TOKEN true/)
    expect(results).toContain('ENOENT')
  }) // T3
