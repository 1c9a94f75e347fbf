import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { powerCutDisk } from '../../../../test/crash/power-cut-disk.ts'
import { type Disk, realDisk } from '../disk.ts'
import { StateNotWritable } from './state-file.ts'
import { mayWrite, openTrust, UntrustedJournal } from './trust.ts'

let top: string
let warnings: string[]
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'deskmates-trust-'))
  warnings = []
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

const open = (env: NodeJS.ProcessEnv = {}, disk: Disk = realDisk) =>
  openTrust(
    { HOME: join(top, 'home'), DESKMATES_STATE: join(top, 'state'), ...env },
    { disk, clock: { now: () => 1_700_000_000_000 }, warn: (text) => warnings.push(text) },
  )
const teams = () => join(top, 'state/trust/teams')
const onlyFile = () => join(teams(), readdirSync(teams())[0]!)

describe('trust in a team', () => {
  it('is kept for every later process, in a file that only this user can read', () => {
    expect(open().isTeamTrusted('01TEAM')).toBe(false)
    open().trustTeam('01TEAM', 'web', '/repo/.teams/web/journal.jsonl')
    expect(open().isTeamTrusted('01TEAM')).toBe(true)
    expect(open().isTeamTrusted('01OTHER')).toBe(false)
    expect(JSON.parse(readFileSync(onlyFile(), 'utf8'))).toEqual({
      teamId: '01TEAM',
      team: 'web',
      path: '/repo/.teams/web/journal.jsonl',
      at: 1_700_000_000,
    })
    expect(statSync(onlyFile()).mode & 0o777).toBe(0o600)
    expect(statSync(teams()).mode & 0o777).toBe(0o700)
    expect(warnings).toEqual([])
  })

  it('survives a power cut right after it was given', () => {
    const { disk, cut } = powerCutDisk()
    open({}, disk).trustTeam('01TEAM', 'web', '/repo/.teams/web/journal.jsonl')
    cut('lost')
    expect(open().isTeamTrusted('01TEAM')).toBe(true)
  })

  it('depends on the hash of the team id, whatever its characters', () => {
    for (const id of ['../../../escape', 'a/b', '', 'x'.repeat(10_000), '\u0000']) {
      open().trustTeam(id, 'web', '/repo')
      expect(open().isTeamTrusted(id)).toBe(true)
    }
    expect(readdirSync(teams()).every((name) => /^[0-9a-f]{64}\.json$/.test(name))).toBe(true)
  })

  it('is seen by a process that was already running', () => {
    const running = open()
    expect(running.isTeamTrusted('01TEAM')).toBe(false)
    open().trustTeam('01TEAM', 'web', '/repo')
    expect(running.isTeamTrusted('01TEAM')).toBe(true)
  })

  it.each(['', 'not json', '{"team":"web"}', '{"teamId":7}', '[]'])(
    'is lost, and said so, in the broken file %j',
    (text) => {
      open().trustTeam('01TEAM', 'web', '/repo')
      writeFileSync(onlyFile(), text)
      expect(open().isTeamTrusted('01TEAM')).toBe(false)
      expect(warnings).toEqual([expect.stringContaining(`${onlyFile()} cannot be used`)])
      open().trustTeam('01TEAM', 'web', '/repo')
      expect(open().isTeamTrusted('01TEAM')).toBe(true)
    },
  )

  it('is not read from the file of another team', () => {
    open().trustTeam('01TEAM', 'web', '/repo')
    writeFileSync(onlyFile(), '{"teamId":"01OTHER"}')
    expect(open().isTeamTrusted('01TEAM')).toBe(false)
  })

  it('is lost, with a warning, when its file cannot be read', () => {
    open().trustTeam('01TEAM', 'web', '/repo')
    const broken: Disk = {
      ...realDisk,
      readFileSync() {
        throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
      },
    }
    expect(open({}, broken).isTeamTrusted('01TEAM')).toBe(false)
    expect(warnings).toEqual([expect.stringContaining('EACCES')])
  })
})

describe('the folder in which trust is kept', () => {
  it.each([
    ['DESKMATES_STATE', { DESKMATES_STATE: 'state' }, 'state'],
    ['XDG_STATE_HOME', { DESKMATES_STATE: '', XDG_STATE_HOME: 'xdg' }, 'xdg/deskmates'],
    ['home', { DESKMATES_STATE: '' }, 'home/.local/state/deskmates'],
  ])('is a folder below %s', (_name, env, folder) => {
    const absolute = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value && join(top, value)]))
    open(absolute).trustTeam('01TEAM', 'web', '/repo')
    expect(readdirSync(join(top, folder, 'trust/teams'))).toHaveLength(1)
  })

  it('is not a relative XDG_STATE_HOME, which would be in the workspace', () => {
    open({ DESKMATES_STATE: '', XDG_STATE_HOME: 'relative' }).trustTeam('01TEAM', 'web', '/repo')
    expect(readdirSync(join(top, 'home/.local/state/deskmates/trust/teams'))).toHaveLength(1)
  })

  it('is named, with what to do, when it cannot be written', () => {
    writeFileSync(join(top, 'state'), 'a file')
    const trusting = () => open().trustTeam('01TEAM', 'web', '/repo')
    expect(trusting).toThrow(StateNotWritable)
    expect(trusting).toThrow(/DESKMATES_STATE.*DESKMATES_TRUST=1/)
    expect(open().isTeamTrusted('01TEAM')).toBe(false)
  })
})

describe('trust in a folder', () => {
  it('covers its present content only', () => {
    open().trustFolder('/repo', 'hash 1')
    expect(open().isFolderTrusted('/repo', 'hash 1')).toBe(true)
    expect(open().isFolderTrusted('/repo', 'hash 2')).toBe(false)
    expect(open().isFolderTrusted('/other', 'hash 1')).toBe(false)
    open().trustFolder('/repo/', 'hash 2')
    expect(open().isFolderTrusted('/repo', 'hash 2')).toBe(true)
    expect(open().isFolderTrusted('/repo', 'hash 1')).toBe(false)
  })
})

describe('a folder that the user does not trust', () => {
  it('is known as that while it says the same, and can be trusted later', () => {
    open().declineFolder('/repo', 'hash 1')
    expect(open().isFolderDeclined('/repo', 'hash 1')).toBe(true)
    expect(open().isFolderDeclined('/repo', 'hash 2')).toBe(false)
    expect(open().isFolderDeclined('/other', 'hash 1')).toBe(false)
    expect(open().isFolderTrusted('/repo', 'hash 1')).toBe(false)
    open().trustFolder('/repo', 'hash 1')
    expect(open().isFolderTrusted('/repo', 'hash 1')).toBe(true)
  })
})

describe('writing to a journal', () => {
  it('is allowed to its creator, wherever the folder moves', () => {
    mayWrite(open(), '/repo')('web', '01TEAM', true)
    mayWrite(open(), '/repo')('web', '01TEAM', false)
    mayWrite(open(), '/moved')('web', '01TEAM', false)
  })

  it('is refused for a journal made elsewhere until the user trusts it', () => {
    const write = () => mayWrite(open(), '/clone')('web', '01FOREIGN', false)
    expect(write).toThrow(UntrustedJournal)
    expect(write).toThrow(/^\/clone\/\.teams\/web\/journal\.jsonl .*cloned repository.* deskmates trust --team web$/)
    open().trustTeam('01FOREIGN', 'web', '/clone/.teams/web/journal.jsonl')
    expect(write).not.toThrow()
  })

  it('begins only after the trust of its creator was saved', () => {
    writeFileSync(join(top, 'state'), 'a file')
    expect(() => mayWrite(open(), '/repo')('web', '01TEAM', true)).toThrow(StateNotWritable)
  })

  it('reads the trust file once, not for every record', () => {
    mayWrite(open(), '/repo')('web', '01TEAM', true)
    let reads = 0
    const counting: Disk = {
      ...realDisk,
      readFileSync(path) {
        reads += 1
        return realDisk.readFileSync(path)
      },
    }
    const hook = mayWrite(open({}, counting), '/repo')
    for (let record = 0; record < 100; record++) hook('web', '01TEAM', false)
    expect(reads).toBe(1)
  })
})

describe('DESKMATES_TRUST', () => {
  it('trusts everything with 1, even where nothing can be saved', () => {
    writeFileSync(join(top, 'state'), 'a file')
    const trust = open({ DESKMATES_TRUST: '1' })
    expect(trust.isTeamTrusted('01FOREIGN')).toBe(true)
    expect(trust.isFolderTrusted('/repo', 'any')).toBe(true)
    mayWrite(trust, '/repo')('web', '01FOREIGN', false)
    mayWrite(trust, '/repo')('web', '01OURS', true)
  })

  it('still saves the trust of new teams, for later commands without it', () => {
    mayWrite(open({ DESKMATES_TRUST: '1' }), '/repo')('web', '01OURS', true)
    expect(open().isTeamTrusted('01OURS')).toBe(true)
  })

  it.each([undefined, '', '0'])('trusts nothing with %j', (value) => {
    expect(open({ DESKMATES_TRUST: value }).isTeamTrusted('01TEAM')).toBe(false)
    expect(warnings).toEqual([])
  })

  it.each(['yes', 'true', '2'])('trusts nothing with %j either, with a warning', (value) => {
    expect(open({ DESKMATES_TRUST: value }).isTeamTrusted('01TEAM')).toBe(false)
    expect(warnings).toEqual([expect.stringContaining(`DESKMATES_TRUST=${value}`)])
  }) // F40
})
