import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { saveRules } from './save-rules.ts'
import { parseSettings } from './settings-file.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dm-rules-'))
  path = join(folder, 'settings.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

const RULE = 'bash(npm publish)'
const read = () => readFileSync(path, 'utf8')

describe('saving a rule', () => {
  it('makes the file where there is none, readable by the user only', () => {
    path = join(folder, 'new', 'settings.json')
    expect(saveRules(path, [RULE])).toEqual([RULE])
    expect(JSON.parse(read())).toEqual({ permissions: { allow: [RULE] } })
    expect([statSync(path).mode & 0o077, statSync(join(folder, 'new')).mode & 0o077]).toEqual([0, 0])
  })

  it.for([
    ['no permissions', '{\n  // mine\n  "model": "a/b", // why\n  "future": [1, 2]\n}\n'],
    ['no allow rules', '{ "permissions": { "mode": "plan" /* careful */ } }'],
    ['an empty list', '{ "permissions": { "allow": [] } }'],
    ['a list of comments', '{ "permissions": { "allow": [\n  // none yet\n] } }'],
    ['a list on one line', '{ "permissions": { "allow": ["bash(ls *)"], "deny": ["read_file(.env)"] } }'],
    ['a trailing comma', '{\n  "permissions": {\n    "allow": [\n      "bash(ls *)", // lists\n    ],\n  },\n}\n'],
    ['no trailing comma', '{\n  "permissions": {\n    "allow": [\n      "bash(ls *)" // lists\n    ]\n  }\n}\n'],
    ['Windows line ends', '{\r\n  "permissions": {\r\n    "allow": [\r\n      "bash(ls *)"\r\n    ]\r\n  }\r\n}\r\n'],
    ['tabs and a comment before the comma', '{\n\t"permissions": {\n\t\t"allow": ["bash(ls *)" /* , */ , ]\n\t}\n}'],
    ['a byte order mark', '\ufeff{"permissions":{"allow":["bash(ls *)"]}}'],
    ['nothing', '{}'],
    ['keys that are only numbers', '{ "permissions": { "allow": ["bash(ls *)"], "9": 1, "1": 2 } }'],
  ])('adds to a file with %s and keeps all else of it', ([, before]) => {
    writeFileSync(path, before!)
    expect(saveRules(path, [RULE, 'edit_file(//shop/a "b".txt)'])).toHaveLength(2)
    const after = read()
    const values = parseSettings(after, path).values
    expect(values.permissions?.allow?.slice(-2)).toEqual([RULE, 'edit_file(//shop/a "b".txt)'])
    // What was written stays, in its order.
    let at = 0
    for (const piece of before!.match(/"[^"]*"|\/\/[^\n]*|\/\*.*?\*\//g) ?? []) {
      at = after.indexOf(piece, at)
      expect(at, piece).toBeGreaterThan(-1)
    }
    if (before!.includes('\r')) expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(saveRules(path, [RULE])).toEqual([])
    expect(read()).toBe(after)
  })

  it('refuses a file that is invalid, and leaves it alone', () => {
    for (const text of ['', '{ "permissions": ', '{ "permissions": { "allow": "all" } }', '[1]']) {
      writeFileSync(path, text)
      expect(() => saveRules(path, [RULE])).toThrow(path)
      expect(read()).toBe(text)
    }
    expect(readdirSync(folder)).toEqual(['settings.json'])
  })

  it('keeps the mode of the file, and a link to it', () => {
    const real = join(folder, 'dotfiles.json')
    writeFileSync(real, '{}')
    chmodSync(real, 0o640)
    symlinkSync(real, path)
    saveRules(path, [RULE])
    expect(readFileSync(real, 'utf8')).toContain(RULE)
    expect(statSync(real).mode & 0o777).toBe(0o640)
    expect(existsSync(path)).toBe(true)
    expect(readdirSync(folder).sort()).toEqual(['dotfiles.json', 'settings.json'])
  })
})
