import { describe, expect, it } from 'vitest'
import { firstWord, parseInput } from './parse-input.ts'

const parse = (text: string) => parseInput(text, ['Alice', 'bob'])

describe('a typed line', () => {
  it('does nothing when it is empty', () => {
    expect(parse(' \n ')).toEqual({ kind: 'nothing' })
  })

  it.for(['exit', 'quit', 'q', ' Exit '])('leaves with %s', (text) => {
    expect(parse(text)).toEqual({ kind: 'leave' })
  }) // A87

  it('is a prompt when a word that leaves is only a part of it', () => {
    expect(parse('quit the old API')).toEqual({ kind: 'prompt', text: 'quit the old API' })
  })

  it('is mail when it begins with the name of a member, in any case', () => {
    expect(parse('@alice please look')).toEqual({ kind: 'mail', to: 'Alice', text: 'please look' })
    expect(parse('@bob: two\nlines')).toEqual({ kind: 'mail', to: 'bob', text: 'two\nlines' })
    expect(parse('@all stop')).toEqual({ kind: 'mail', to: 'all', text: 'stop' })
  }) // B75

  it('is a prompt when @ names a file or an unknown member', () => {
    expect(parse('@src/a.ts explain')).toEqual({ kind: 'prompt', text: '@src/a.ts explain' })
    expect(parse('@carol hello')).toEqual({ kind: 'prompt', text: '@carol hello' })
  })

  it('is a command with its arguments after a slash, and a path is a prompt', () => {
    expect(parse('/team add dora tester')).toEqual({ kind: 'slash', name: 'team', rest: 'add dora tester' })
    expect(parse('/usr/bin/env is what?')).toEqual({ kind: 'prompt', text: '/usr/bin/env is what?' })
  })

  it('is a shell command of the user after an exclamation mark', () => {
    expect(parse('!git status')).toEqual({ kind: 'shell', command: 'git status' })
    expect(parse('!')).toEqual({ kind: 'prompt', text: '!' })
  })

  it('is divided into its first word and the rest', () => {
    expect(firstWord('  add  dora the tester')).toEqual(['add', 'dora the tester'])
    expect(firstWord('')).toEqual(['', ''])
  })
})
