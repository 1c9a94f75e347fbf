import { describe, expect, it } from 'vitest'
import { Line, Result } from '../../src/session/wire/envelope.ts'
import { Settings } from '../../src/settings/settings.ts'
import { parseSettings } from '../../src/settings/settings-file.ts'
import { readPage } from './page.ts'

describe('docs/events.md', () => {
  const page = readPage('docs/events.md')

  it('names every type of line and every way a run ends', () => {
    const types = Line.options.map((line) => [...('shape' in line ? line : line.options[0]).shape.type.values][0])
    for (const word of [...types, ...Result.shape.subtype.options]) expect(page.text).toContain(`| \`${word}\` |`)
    for (const member of Object.keys(Result.shape)) expect(page.text, member).toContain(member)
  })

  it('shows a result line that has the documented shape', () => {
    const [shown = ''] = page.blocks('json')
    expect(Result.safeParse(JSON.parse(shown))).toMatchObject({ success: true })
  })
})

describe('docs/settings.md', () => {
  const page = readPage('docs/settings.md')

  it('shows valid settings, and names every key', () => {
    const [shown = ''] = page.blocks('json')
    expect(parseSettings(shown, 'settings.md').unknown).toEqual([])
    for (const key of Object.keys(Settings.shape).filter((key) => key !== '$schema'))
      expect(page.text, key).toMatch(new RegExp(`^\\| .*\`${key}`, 'm'))
  })
})
