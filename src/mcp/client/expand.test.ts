import { describe, expect, it } from 'vitest'
import { expandEntry, variablesOf } from './expand.ts'
import type { ServerEntry } from './server-entry.ts'

const reference = (name: string) => `$\{${name}}`
const expand = (value: string, env: Record<string, string>, isProject = false, keys: string[] = []) =>
  expandEntry('tool', { command: 'x', env: { A: value } }, { env, isProject, keys }).env?.A

describe('variables of an entry', () => {
  it('are replaced in every text, with a default where one is given', () => {
    const entry: ServerEntry = {
      ...{ command: reference('BIN'), args: [`--x=${reference('X:-1')}`], cwd: reference('DIR') },
      env: { A: `${reference('X:-a b')}/${reference('BIN')}` },
    }
    const env = { BIN: 'node', DIR: '/srv', X: '' }
    expect(expandEntry('tool', entry, { env, isProject: true })).toEqual({
      ...{ command: 'node', args: ['--x=1'], cwd: '/srv', env: { A: 'a b/node' } },
    })
    expect(variablesOf(entry)).toEqual(['BIN', 'X', 'DIR'])
    const http: ServerEntry = { url: `https://${reference('HOST')}`, headers: { 'X-A': reference('A:-1') } }
    expect(expandEntry('tool', http, { env: { HOST: 'h' }, isProject: true })).toEqual({
      url: 'https://h',
      headers: { 'X-A': '1' },
    })
    expect(variablesOf(http)).toEqual(['HOST', 'A'])
  })

  it('that are missing are an error with the name', () => {
    expect(() => expand(reference('GONE'), {})).toThrow('there is no variable GONE')
  })

  it.each([
    ['ANTHROPIC_API_KEY', 'x'],
    ['GITHUB_TOKEN', 'x'],
    ['DB_PASSWORD', 'x'],
    ['github_token', 'x'],
    ['DATABASE_URL', 'postgres://ada:hunter2@db/x'],
    ['DESKMATES_STATE', '/home/ada/.local/state'],
    ['LAB', 'x'],
  ])('of a project never hold a secret: %s', (name, value) => {
    for (const text of [reference(name), `x${reference(`${name}:-none`)}`]) {
      expect(() => expand(text, { [name]: value }, true, ['LAB'])).toThrow('a file of a project cannot read a secret')
      expect(expand(text, { [name]: value }, false, ['LAB'])).toContain(value)
    }
  })

  it('are not expanded again in their values', () => {
    expect(expand(reference('A'), { A: reference('GITHUB_TOKEN'), GITHUB_TOKEN: 'secret' }, true)).toBe(
      reference('GITHUB_TOKEN'),
    )
  })
})
