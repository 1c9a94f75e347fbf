import { describe, expect, it } from 'vitest'
import { serverKey, serverNameFault, toolName } from './names.ts'

describe('the name of a server in the names of its tools', () => {
  it.each([
    ['github', 'github'],
    ['my server', 'my_server'],
    ['a__b', 'a_b'],
    ['__a__', 'a'],
    ['a.b/c', 'a_b_c'],
    ['…', undefined],
    ['', undefined],
  ])('%j becomes %j', (name, key) => expect(serverKey(name)).toBe(key))

  it('is short, and stays different from others', () => {
    const [one, two] = [serverKey(`${'x'.repeat(80)}1`), serverKey(`${'x'.repeat(80)}2`)]
    expect(one).not.toBe(two)
    expect(one).toHaveLength(32)
  })
})

describe('the name of a server in a file', () => {
  it.for(['my server', 'my.server', 'Ümläut', 'a'.repeat(100), 'c; rm -rf ~'])('may be %s', (name) => {
    expect(serverNameFault(name)).toBeUndefined()
  })

  it.for(['', '…', 'a\n  runs: nothing', 'a\u001b[2J', 'a\u202eb', ' a', 'a  b', 'a\tb', 'a'.repeat(101)])(
    'cannot be %j: a person decides by it',
    (name) => {
      expect(serverNameFault(name)).toMatch(/^its name has /)
    },
  )
})

describe('the name of a tool', () => {
  it('has 64 characters at most, and no tool of ours is called so', () => {
    expect(toolName('x', 'bash')).toBe('mcp__x__bash')
    expect(toolName('x', 'a b\u001b[2J')).toBe('mcp__x__a_b_2J')
    expect(toolName('x', '../..')).toBeUndefined()
    const long = toolName('x'.repeat(32), 'y'.repeat(500))!
    expect(long).toMatch(/^mcp__x{32}__y+-[0-9a-f]{6}$/)
    expect(long).toHaveLength(64)
  })
})
