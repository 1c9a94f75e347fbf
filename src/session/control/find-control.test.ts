import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTeam } from '../../journal/team-handle.ts'
import { entryPath, readEntry, writeEntry } from '../../stores/files/identity/control-entry.ts'
import { composedModel } from '../../testing/harnesses/composed-model.ts'
import { reader, until } from '../../testing/harnesses/control-contract.ts'
import { openWorkspace, type Workspace } from '../../workspace.ts'
import { findControl } from './find-control.ts'
import { openControl } from './open-control.ts'

let dir: string
let env: Record<string, string>
let workspace: Workspace
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'dm-find-')))
  env = { HOME: dir, DESKMATES_STATE: join(dir, 'state'), DESKMATES_DIR: dir }
  mkdirSync(join(dir, '.teams'), { recursive: true })
  workspace = await openWorkspace({ cwd: dir, env })
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
})

const open = (warn: (text: string) => void = () => {}) =>
  openControl({
    ...{ workspace, env, warn, team: 'web', version: '1.2.3', cwd: dir },
    model: composedModel(() => ({ text: 'So it is.' })).model,
    sandbox: { mode: 'off', isAnnounced: true },
    socket: { access: 'watch' },
  })
const find = (team = 'web') => findControl(workspace, team, env)

describe('the session of a team', () => {
  it('is found by its name and controlled, and its presence names the socket', async () => {
    await using own = await open()
    await using control = await find('WEB')
    expect(control.session).toBe(own.session)
    const read = reader(control)
    await control.prompt('Is it so?')
    await until(() => read.texts().includes('So it is.'))
    const presence = join(dir, '.teams/web/presence')
    const [file] = readdirSync(presence)
    expect(JSON.parse(readFileSync(join(presence, file!), 'utf8'))).toMatchObject({
      control: readEntry(entryPath(env, workspace.journalOf('web')))!.socket,
    })
  })

  it('is not found where there is none, and not reached where none runs: the error says what to do', async () => {
    await expect(find('shop')).rejects.toThrow('There is no team shop here. See: deskmates sessions')
    await (await open())[Symbol.asyncDispose]()
    await expect(find()).rejects.toThrow('web is not running. Resume it: deskmates -r web')
  })

  it('is not reached on another host', async () => {
    await (await open())[Symbol.asyncDispose]()
    await using team = await openTeam(workspace.store, 'web')
    const runtime = 'r-0123456789ab-0123456789ab-1-1-1'
    await team.run({ type: 'supervise', runtime, force: true })
    await expect(find()).rejects.toThrow(/another host.*deskmates send lead/)
  })

  it('is not reached through what the workspace says, or through the entry of another process', async () => {
    await using own = await open()
    const path = entryPath(env, workspace.journalOf('web'))
    const entry = readEntry(path)!
    writeEntry(path, { ...entry, runtime: 'r-other' })
    await expect(find()).rejects.toThrow(/older version.*deskmates status --team web/)
    writeFileSync(path, '{')
    await expect(find()).rejects.toThrow(/older version/)
    writeEntry(path, { ...entry, protocol: 2, version: '9.0.0' })
    await expect(find()).rejects.toThrow(/version 9\.0\.0.*deskmates -r web/)
    expect(own.session).toBe('web')
  })

  it('works without a socket where none can be made, and warns of it', async () => {
    const warnings: string[] = []
    writeFileSync(join(dir, 'run'), '')
    env.XDG_RUNTIME_DIR = join(dir, 'run')
    await using own = await open((text) => warnings.push(text))
    expect(await own.interrupt('lead')).toBe(false)
    expect(warnings).toEqual([expect.stringMatching(/^Other processes cannot reach this session: /)])
  })
})
