import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rulesToSave } from '../../permissions/rules/saved-rules.ts'
import { loadSettings } from '../../settings/load-settings.ts'
import { saveRules, userSettingsFile } from '../../settings/save-rules.ts'
import { createPlace, openMemoryStore } from '../../stores/memory/store.ts'
import { controlHarness, reader, until } from '../../testing/harnesses/control-contract.ts'
import { workspaceOn } from '../../testing/harnesses/session-harness.ts'

const calls = {
  'a command': [{ tool: 'bash', input: { command: 'touch made.txt' } }],
  'a command that writes a file': [{ tool: 'bash', input: { command: 'echo text > made.txt' } }],
  'a new file': [{ tool: 'write_file', input: { path: 'src/made.txt', content: 'text' } }],
}

/** A session of a new process in this folder, with the settings of this user. */
async function session(root: string, home: string, wanted: (typeof calls)[keyof typeof calls]) {
  const env = { HOME: home }
  const { settings } = loadSettings({ workspace: root, env, isTrusted: () => false, managed: join(home, 'none') })
  const harness = await controlHarness(
    ({ turns }) => (turns.at(-1)?.role === 'user' ? { calls: wanted } : { text: 'So it is.' }),
    {
      workspace: workspaceOn(await openMemoryStore(createPlace()), root),
      permissions: settings.permissions ?? {},
    },
  )
  return { ...harness, seen: reader(harness.own) }
}

describe('a rule that was saved', () => {
  it.for(Object.keys(calls))('for %s is not asked about again, then and after a restart', async (about) => {
    const wanted = calls[about as keyof typeof calls]
    const [root, home] = ['root', 'home'].map((name) => realpathSync(mkdtempSync(join(tmpdir(), `dm-${name}-`)))) as [
      string,
      string,
    ]
    {
      await using first = (await session(root, home, wanted)).own
      const seen = reader(first)
      await first.prompt('go')
      await until(() => seen.question() !== undefined)
      const question = seen.question()!
      const rules = question.about.kind === 'permission' ? rulesToSave(question.about, root) : []
      expect(rules.join()).not.toMatch(/^write_file$|^bash$/)
      expect(saveRules(userSettingsFile({ HOME: home }), rules)).toEqual(rules)
      expect(await first.answer(question.id, { allowed: true, saved: true })).toBe('accepted')
      await until(() => seen.run()?.state === 'settled' && seen.of('deskmates/run').length > 2)
      await first.prompt('again')
      await until(() => seen.of('deskmates/run').filter(({ state }) => state === 'settled').length === 3)
      expect(seen.of('deskmates/question')).toHaveLength(1)
    }
    const { own: second, seen } = await session(root, home, wanted)
    await using _ = second
    await second.prompt('go')
    await until(() => seen.of('deskmates/run').filter(({ state }) => state === 'settled').length === 2)
    expect(seen.of('deskmates/question')).toEqual([])
  })

  it('is not made where a pattern would mean more than the file', () => {
    const about = (path: string) =>
      ({ action: { kind: 'write', tool: 'write_file', path }, rules: ['write_file'] }) as const
    expect(rulesToSave(about('src/a.js'), '/shop')).toEqual(['edit(//shop/src/a.js)'])
    for (const path of ['src/*', 'a?.js', '[ab].js', '{a,b}', 'a\\b'])
      expect(rulesToSave(about(path), '/shop')).toEqual([])
    expect(rulesToSave({ ...about('src/a.js'), rules: [] }, '/shop')).toEqual([])
  })
})
