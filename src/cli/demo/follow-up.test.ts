import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { followUps, ownCommand } from './follow-up.ts'

it('names the command as it is reached from here, quoted where a shell would split it', () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates follow-')))
  try {
    const [cli, own] = [join(top, 'dist', 'cli.js'), join(top, 'bin', 'deskmates')]
    for (const file of [cli, own]) {
      mkdirSync(dirname(file))
      writeFileSync(file, '')
    }
    const first = (cwd: string, env = {}) => followUps({ cli, cwd, env, dir: '/t/x', team: 'graphql' })[0]
    expect(first(top)).toBe('bin/deskmates --cwd /t/x --team graphql task list')
    expect(first(dirname(cli))).toMatch(/^'.*\/deskmates follow-.*\/bin\/deskmates' --cwd/)
    expect(first(top, { DESKMATES_DIR: '/elsewhere' })).toMatch(/^env -u DESKMATES_DIR bin\/deskmates /)
    expect(ownCommand(cli)).toBe(`'${own}' 'what to do'`)
    rmSync(own)
    expect(ownCommand(cli)).toBe("deskmates 'what to do'")
    expect(first(top)).toMatch(/^deskmates --cwd/)
  } finally {
    rmSync(top, { recursive: true })
  }
})
