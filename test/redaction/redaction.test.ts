import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../src/redaction/redactor.ts'
import { HARMLESS, IN_CONTEXT, PRIVATE_KEY_BLOCK, SAMPLES } from './samples.ts'

const VALUES = { DEPLOY_TOKEN: 'blue-elephant', MY_SECRET_PHRASE: 'two words "quoted"', db_password: 'päss/wörd&1' }
const redactor = createRedactor({
  ...VALUES,
  HOME: '/home/grace',
  DEBUG_KEYS: 'true',
  SHORT_KEY: 'abc',
  PATH: '/usr/bin:/bin',
})

/** In two pieces, cut at every place. */
function* cuts(text: string): Generator<string> {
  for (let at = 0; at <= text.length; at++) {
    const stream = redactor.stream()
    yield stream.write(text.slice(0, at)) + stream.write(text.slice(at)) + stream.end()
  }
}

const inPieces = (text: string) => {
  const stream = redactor.stream()
  return [...text].map((piece) => stream.write(piece)).join('') + stream.end()
}

describe('text that leaves the process', () => {
  it('contains none of more than 100 known key formats, wherever it is split', () => {
    expect(new Set(SAMPLES).size).toBeGreaterThan(100)
    const leaks: string[] = []
    for (const secret of SAMPLES) {
      for (const text of [`use ${secret} now\n`, JSON.stringify({ text: `first\n${secret}\nlast` })]) {
        const clean = redactor.text(text)
        if (clean.includes(secret) || !clean.includes('[redacted]')) leaks.push(`whole: ${secret}`)
        for (const shown of cuts(text)) if (shown !== clean) leaks.push(`cut: ${secret}: ${shown}`)
        if (inPieces(text) !== clean) leaks.push(`pieces: ${secret}`)
      }
    }
    expect(leaks.slice(0, 10)).toEqual([])
  })

  it('contains no value of a secret variable, plain, in JSON, in a URL or cut off, wherever it is split', () => {
    for (const value of Object.values(VALUES)) {
      for (const form of [value, JSON.stringify(value), encodeURIComponent(value)]) {
        const text = `it is ${form}, so`
        const clean = redactor.text(text)
        expect(clean).toContain('[redacted]')
        expect(clean).not.toContain(form)
        for (const shown of cuts(text)) expect(shown).toBe(clean)
        expect(inPieces(text)).toBe(clean)
      }
    }
    expect(redactor.text('it begins with blue-ele…')).toBe('it begins with [redacted]…')
  })

  it('contains no password, header or assignment, and keeps the words before it', () => {
    for (const { before, secret, behind } of IN_CONTEXT) {
      const text = `see ${before}${secret}${behind} there\n`
      const clean = redactor.text(text)
      expect(clean).not.toContain(secret.replace(/^x:/, ''))
      expect(clean).toContain(`[redacted]${behind}`)
      for (const shown of cuts(text)) expect(shown).toBe(clean)
      expect(inPieces(text)).toBe(clean)
    }
  }) // T18

  it('contains none of them in a file, indented, with line numbers, or in JSON inside JSON', () => {
    const file = IN_CONTEXT.map(({ before, secret, behind }) => before + secret + behind).join('\n')
    const lines = file.split('\n')
    const forms = [
      file,
      lines.map((line) => `  ${line}`).join('\n'),
      lines.map((line, i) => `${String(i + 1).padStart(6)}\t${line}`).join('\n'),
      JSON.stringify({ file }),
      JSON.stringify({ numbered: lines.map((line, i) => `${String(i + 1).padStart(6)}\t${line}`).join('\n') }),
      JSON.stringify({ inner: JSON.stringify({ file }) }),
    ]
    for (const form of forms) {
      const clean = redactor.text(form)
      expect(IN_CONTEXT.filter(({ secret }) => clean.includes(secret.replace(/^x:/, '')))).toEqual([])
      expect(inPieces(form)).toBe(clean)
    }
  }) // T18

  it('contains no private key, as a file, in JSON, with line numbers, or without its end', () => {
    const lines = PRIVATE_KEY_BLOCK.split('\n')
    const forms = [
      PRIVATE_KEY_BLOCK,
      JSON.stringify({ key: PRIVATE_KEY_BLOCK }),
      lines.map((line, i) => `${String(i + 1).padStart(6)}\t${line}`).join('\n'),
      lines.slice(0, -2).join('\n'),
    ]
    for (const form of forms) {
      const text = `before\n${form}\nafter.\n`
      const clean = redactor.text(text)
      for (const line of lines.slice(1, 5)) expect(clean).not.toContain(line.slice(0, 20))
      expect(clean).toContain('before\n')
      for (const shown of cuts(text)) expect(shown).toBe(clean)
    }
  })

  it('is otherwise unchanged: hashes, ids, images, code and lock files', () => {
    const picture = Buffer.from(
      Array.from({ length: 60_000 }, (_, i) => (i * i * 31 + (i >> 3) * 7 + i) & 255),
    ).toString('base64')
    const texts = [
      ...[readFileSync('package-lock.json', 'utf8'), readFileSync('src/supervisor/lead/open-lead.ts', 'utf8')],
      ...['README.md', 'docs/settings.md', 'src/redaction/redactor.ts', 'src/models/providers/providers.ts'].map(
        (path) => readFileSync(path, 'utf8'),
      ),
      `commit ${'0123456789abcdef'.repeat(4).slice(0, 40)}\nuuid ${randomUUID()}\nsha512-${picture.slice(0, 86)}==`,
      `{"type":"image","data":"${picture}"}`,
      ...HARMLESS,
    ]
    for (const text of texts) {
      expect(redactor.text(text)).toBe(text)
      expect(text.length > 20_000 ? text : inPieces(text)).toBe(text)
      const stream = redactor.stream()
      let shown = ''
      for (let at = 0; at < text.length; at += 997) shown += stream.write(text.slice(at, at + 997))
      expect(shown + stream.end()).toBe(text)
    }
  })

  it('is passed on at once when it cannot begin a secret', () => {
    const stream = redactor.stream()
    expect(stream.write('one line\n')).toBe('one line\n')
    expect(stream.write('three words ')).toBe('three words ')
    expect(stream.write('ha')).toBe('')
    expect(stream.write('lf ')).toBe('half ')
  })
})
