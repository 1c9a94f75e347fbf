import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toolHarness } from '../../testing/harnesses/tool-harness.ts'
import { createExcerpt } from './excerpt.ts'
import { createOutputs } from './outputs.ts'

const place = (changes: object = {}) => {
  const { root } = toolHarness()
  const folder = join(root, '.teams/web/outputs/ada')
  return { root, folder, outputs: createOutputs({ folder, root, limit: 1000, ...changes }) }
}

describe('an output', () => {
  it('that fits is returned as it is, and makes no file', async () => {
    const { root, outputs } = place()
    expect(await outputs.fit('x'.repeat(1000), 'bash')).toEqual({ text: 'x'.repeat(1000) })
    expect(readdirSync(root)).toEqual([])
  })

  it('that does not fit is kept whole for this user only, under a number that counts on', async () => {
    const { root, folder, outputs } = place()
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, '7-bash.txt'), '')
    const { text, outputPath } = await outputs.fit(`begin ${'x'.repeat(5000)} end`, 'bash')
    expect(text).toMatch(/^begin x+\n\n\[\d+ of 5010 bytes are left out here\. All of it is in \S+: .*\]\n\nx+ end$/)
    expect(text).toContain(`All of it is in ${outputPath}:`)
    expect(outputPath).toContain('.teams/web/outputs/ada/8-bash.txt')
    expect(readFileSync(join(folder, '8-bash.txt'), 'utf8')).toBe(`begin ${'x'.repeat(5000)} end`)
    expect(statSync(join(folder, '8-bash.txt')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(root, '.teams/.gitignore'), 'utf8')).toBe('*\n')
    await outputs.fit('y'.repeat(5000), '../../evil name')
    expect(readdirSync(folder)).toContain('9--evil-name.txt')
  }) // F15, A34

  it('without end does not fill the disk, and says so', () => {
    const { folder, outputs } = place({ keep: 3000 })
    const output = outputs.open('bash')
    for (let i = 0; i < 100; i++) output.write(Buffer.from(`${String(i).padStart(99)}\n`))
    output.close()
    output.close()
    output.write(Buffer.from('late'))
    expect(output.text()).toContain('But only its first 3000 bytes were kept.')
    expect(output.text().endsWith(' 99\n')).toBe(true)
    expect(statSync(join(folder, '1-bash.txt')).size).toBe(3000)
  })

  it('that cannot be kept is shown as far as it can be', async () => {
    const { folder, outputs } = place()
    mkdirSync(dirname(folder), { recursive: true })
    writeFileSync(folder, 'a file in the way')
    const { text, outputPath } = await outputs.fit('x'.repeat(2000), 'bash')
    expect(text).toMatch(/But the rest could not be kept \(.*\)\./)
    expect(outputPath).toBeUndefined()
  })

  it('keeps whole characters in head and tail, without colours and NUL bytes, however it comes in', () => {
    const text = fc.array(fc.constantFrom('a', 'ü', '€', '𝒳', '\n', '\0', '\u001b[31m'), { maxLength: 400 })
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 50 }), (parts, step) => {
        const bytes = Buffer.from(parts.join(''))
        const excerpt = createExcerpt(100)
        for (let at = 0; at < bytes.length; at += step) excerpt.add(bytes.subarray(at, at + step))
        const shown = excerpt.text('')
        expect(shown).not.toMatch(/[\ufffd\0]/)
        if (bytes.length <= 100) expect(excerpt.whole()).toEqual(new Uint8Array(bytes))
        else expect([excerpt.whole(), shown.includes('bytes are left out')]).toEqual([undefined, true])
      }),
    )
  })
})
