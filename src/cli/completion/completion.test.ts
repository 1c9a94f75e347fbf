import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'

let cli: CommandHarness
beforeEach(async () => {
  cli = commandHarness()
})
afterEach(() => cli.close())

/** The words that are suggested for the last one. */
async function suggested(...words: string[]): Promise<string[]> {
  const text = await cli.ok(['complete', '--', ...words])
  return text.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0]!]))
}

describe('completion', () => {
  it('suggests commands, those of a group, and options', async () => {
    expect(await suggested('se')).toEqual(['send', 'sessions'])
    expect(await suggested('task', 're')).toEqual(['renew', 'release'])
    expect(await suggested('task', 'claim', '--l')).toEqual(['--lease'])
    expect(await suggested('--allowed')).toContain('--allowedTools')
    expect(await suggested('-p', 'hello', '--output-format', '')).toEqual(['text', 'json', 'stream-json'])
    expect(await suggested('completion', 'z')).toEqual(['zsh'])
  })

  it('suggests names of teams, members and tasks, each where it belongs', async () => {
    await cli.ok('team create web')
    await cli.ok(['task', 'add', 'plant a \u001b[31mtree', '--team', 'web'])
    await cli.ok('team join ci --role dev --team web')
    expect(await suggested('status', '')).toEqual(['web'])
    expect(await suggested('-p', 'go', '--team', 'w')).toEqual(['web'])
    expect(await suggested('send', '--team', 'web', 'c')).toEqual(['ci'])
    expect(await suggested('task', 'claim', '--team', 'web', '--as', '')).toEqual(['lead', 'ci'])
    expect(await suggested('send', 'ci', '--team', 'web', '')).toEqual([])
    expect(await cli.ok(['complete', '--', 'task', 'show', '--team', 'web', ''])).toBe(
      '1\tpending: plant a \ufffd[31mtree\n',
    )
  })

  it('suggests nothing where nothing can be read, without an error', async () => {
    expect(await suggested('task', 'show', '--team', 'none', '')).toEqual([])
    expect(await suggested('task', 'nonsense', '')).toEqual([])
    expect(await suggested()).toContain('status')
  })

  it('passes typed words to the program without running what stands in them', async () => {
    const script = await cli.ok('completion bash')
    const typed = join(cli.dir, 'typed')
    const test = `deskmates() { printf '%s\\n' "$@"; }
${script}
COMP_WORDS=(deskmates send 'ci' '$(touch ${typed})' 'la'); COMP_CWORD=3
_deskmates
printf '%s\\n' "\${COMPREPLY[@]}"`
    const out = execFileSync('bash', ['-c', test], { encoding: 'utf8' })
    expect(out).toBe(`complete\n--\nsend\nci\n$(touch ${typed})\n`)
    expect(existsSync(typed)).toBe(false)
  })

  it.for(['zsh', 'fish'])('prints a script that %s can read', async (shell, { skip }) => {
    const script = await cli.ok(['completion', shell])
    const found = ['/bin', '/usr/bin', '/usr/local/bin'].map((folder) => join(folder, shell)).find(existsSync)
    if (found === undefined) skip(`${shell} is not installed`)
    execFileSync(found!, ['-n', '-c', script])
    expect(script).toContain('deskmates complete --')
  })
})
