import { mkdirSync, mkdtempSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byDescriptor, byIdentity, openAt } from './spot.ts'

const folder = () => realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-spot-')))

describe.each([
  ['by descriptor', byDescriptor],
  ['by identity', byIdentity],
])('a spot held %s', (_, open) => {
  it('knows where it really is, and whether it is a link', () => {
    const root = folder()
    writeFileSync(join(root, 'real'), 'x')
    symlinkSync('real', join(root, 'link'))
    using followed = open(join(root, 'link'), true)
    expect([followed.real, followed.stats.isFile()]).toEqual([join(root, 'real'), true])
    using itself = open(join(root, 'link'), false)
    expect(itself.stats.isSymbolicLink()).toBe(true)
    expect(() => open(join(root, 'gone'), true)).toThrow('ENOENT')
  })

  it('never opens something else than it holds', () => {
    const root = folder()
    mkdirSync(join(root, 'elsewhere'))
    writeFileSync(join(root, 'file'), 'held')
    writeFileSync(join(root, 'elsewhere/file'), 'other')
    using spot = open(join(root, 'file'), true)
    renameSync(join(root, 'elsewhere/file'), join(root, 'file'))
    if (open === byIdentity) expect(() => openAt(spot, 0)).toThrow('was replaced while it was being opened')
    // The file itself is gone by now, and still it is the one that opens.
    else expect(openAt(spot, 0)).toBeGreaterThan(0)
  })
})
