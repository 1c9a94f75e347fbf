import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTeam } from '../../src/journal/team-handle.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { openSession } from '../../src/session/open-session.ts'
import { newestSession } from '../../src/session/session-id.ts'
import { runToEnd } from '../../src/testing/harnesses/session-harness.ts'
import { openWorkspace, type Workspace } from '../../src/workspace.ts'
import { useDatabase } from './database.ts'

const database = useDatabase()
let top: string
let store: string
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-folders-')))
  for (const folder of ['one', 'two', 'shared']) mkdirSync(join(top, folder))
  store = database.place().url
})
afterEach(() => rmSync(top, { recursive: true }))

const env = () => ({ HOME: top, DESKMATES_STATE: join(top, 'state') })
const inDatabase = (folder: string) => openWorkspace({ cwd: join(top, folder), env: env(), store, warn() {} })
const inSharedFolder = (folder: string) =>
  openWorkspace({ cwd: join(top, folder), env: { ...env(), DESKMATES_DIR: join(top, 'shared') }, warn() {} })

async function run(workspace: Workspace, options: { team?: string; here?: boolean } = {}): Promise<string> {
  const model = scriptedModel({ parts: [{ text: 'Done.', times: 'always' }] })
  await using session = await openSession({ workspace, model, sandbox: { mode: 'off' }, env: {}, ...options })
  await runToEnd(session, 'Hello.')
  return session.id
}

describe.each([
  ['a database', inDatabase],
  ['a folder named by DESKMATES_DIR', inSharedFolder],
])('sessions of two folders in %s', (_, open) => {
  it('are found by -c only in the folder they belong to', async () => {
    await using one = await open('one')
    await using two = await open('two')
    const session = await run(one)
    expect(await newestSession(two)).toBeUndefined()
    expect(await newestSession(one)).toBe(session)
    const other = await run(two)
    expect(await newestSession(two)).toBe(other)
    expect(await newestSession(one)).toBe(session)
  }) // T48

  it('named in another folder are refused with their own, unless the user says --here', async () => {
    await using one = await open('one')
    await using two = await open('two')
    const session = await run(one)
    await expect(run(two, { team: session })).rejects.toMatchObject({
      code: 'other_folder',
      message: expect.stringContaining(`belongs to the folder ${join(top, 'one')}; here is ${join(top, 'two')}`),
    })
    expect(await newestSession(one)).toBe(session)
    expect(await run(two, { team: session, here: true })).toBe(session)
    // From then on it belongs there.
    expect(await newestSession(two)).toBe(session)
    expect(await newestSession(one)).toBeUndefined()
    await expect(run(one, { team: session })).rejects.toMatchObject({ code: 'other_folder' })
  }) // T48
})

describe('a session in a folder that holds .teams itself', () => {
  it('belongs to it wherever that folder is moved', async () => {
    const open = () => openWorkspace({ cwd: join(top, 'one'), env: env(), warn() {} })
    await using workspace = await open()
    const session = await run(workspace)
    await using team = await openTeam(workspace.store, session)
    await team.refresh()
    expect(team.state.supervisor.get().folder).toBeUndefined()
    expect(await newestSession(workspace)).toBe(session)
  }) // T48
})
