import { appendFileSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { noteWritten, watchCommand } from './watch-command.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-watch-')))
  mkdirSync(join(root, 'src/api/node_modules'), { recursive: true })
  for (const name of ['src/api/a.ts', 'src/api/b.ts', 'src/c.ts']) writeFileSync(join(root, name), 'old')
})

describe('watching the reserved files around a command', () => {
  it('finds changed and new files that a pattern reserves, in any case of letters, and no others', () => {
    using watch = watchCommand({ root, agent: 'ada' }, ['SRC/api/**/*.ts'])
    expect(watch.changed()).toEqual([])
    for (const name of ['src/api/a.ts', 'src/api/new.ts', 'src/c.ts', 'src/api/node_modules/x.ts'])
      appendFileSync(join(root, name), 'x')
    expect(watch.changed()).toEqual(['src/api/a.ts', 'src/api/new.ts'])
  }) // T33

  it('finds a file of the same size whose time of writing was set back', () => {
    const file = join(root, 'src/api/a.ts')
    utimesSync(file, 1, 1)
    using watch = watchCommand({ root, agent: 'ada' }, ['src/api'])
    const { ctimeNs } = lstatSync(file, { bigint: true })
    // The clock of the file system advances in steps of a few milliseconds.
    for (let i = 0; i < 1_000_000 && lstatSync(file, { bigint: true }).ctimeNs === ctimeNs; i++) {
      writeFileSync(file, 'new')
      utimesSync(file, 1, 1)
    }
    expect(watch.changed()).toEqual(['src/api/a.ts'])
  }) // T33

  it('leaves out what a file tool wrote meanwhile, and names the members whose commands overlap', () => {
    using first = watchCommand({ root, agent: 'ada' }, ['src/api'])
    using second = watchCommand({ root, agent: 'Bob' }, [])
    appendFileSync(join(root, 'src/api/a.ts'), 'x')
    noteWritten(root, join(root, 'src/api/a.ts'))
    appendFileSync(join(root, 'src/api/b.ts'), 'x')
    expect([first.changed(), second.changed()]).toEqual([['src/api/b.ts'], []])
    expect([[...first.others], [...second.others]]).toEqual([['bob'], ['ada']])
  }) // T33
})
