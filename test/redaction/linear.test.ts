import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../src/redaction/redactor.ts'

const redactor = createRedactor({ DEPLOY_TOKEN: 'blue-elephant', PASS_PHRASE: 'two words here' })

/** Texts that make a careless pattern look at the same place again and again; each repeated until it is long. */
const FAMILIES: readonly string[] = [
  '-----BEGIN RSA PRIVATE KEY-----\n',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\n',
  '-----BEGIN ',
  '-----',
  'Private-Lines: 1\n',
  'a=',
  'a:',
  'key=',
  'KEY',
  'token',
  'password',
  'password ',
  'PASSWORD_',
  'PASSWORD="',
  'password: "a',
  'DB_PASSWORD=\\',
  '://',
  '://a:',
  'https://a:b',
  'x://y@',
  'eyJ',
  'eyJ-',
  '-eyJhbGciOi.',
  'eyJhbGciOiJI.eyJhbGciOiJI.',
  'ghp_',
  '-sk-ant-',
  'sig=%',
  'tskey-a-',
  'xapp-1-A-',
  'Authorization: Basic ',
  'Bearer ',
  'Cookie: a=',
  ' -u a:',
  'curl -u ',
  ' -p',
  ' --token',
  'login a password ',
  '\\',
  '"',
  '…',
  'blue-eleph…',
  'blue-',
  'two words ',
  ' ',
  '\n',
  'a',
]

/** Time on the processor, the least of several measurements: what else runs on the machine only adds to it. */
function millisecondsOf(work: () => void): number {
  const times = Array.from({ length: 2 }, () => {
    const began = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

/** Below this a measurement shows the clock and the garbage collector, not the text. */
const NOTICEABLE = 15

/** A measurement that seems to show too much is taken again: only what is slow stays slow. */
function growth(work: (size: number) => void, size: number): string {
  let result = ''
  for (let tries = 0; tries < 12; tries++) {
    const twice = millisecondsOf(() => work(2 * size))
    if (twice < NOTICEABLE) return 'linear'
    const once = millisecondsOf(() => work(size))
    if (twice <= 2.5 * once) return 'linear'
    result = `${once.toFixed(1)} ms, ${twice.toFixed(1)} ms for twice as much`
  }
  return result
}

const repeated = (piece: string, size: number) => piece.repeat(Math.ceil(size / piece.length))

describe('the duration of redaction', () => {
  it('grows linearly with the text, whatever the text repeats', () => {
    const slow = FAMILIES.map((piece) => [piece, growth((size) => redactor.text(repeated(piece, size)), 34_000)])
    expect(slow.filter(([, result]) => result !== 'linear')).toEqual([])
  }, 60_000) // T16

  it('grows linearly with a text that comes in small pieces', () => {
    const stream = (piece: string, size: number) => {
      const stream = redactor.stream()
      const text = repeated(piece, size)
      for (let at = 0; at < text.length; at += 61) stream.write(text.slice(at, at + 61))
      stream.end()
    }
    const some = FAMILIES.filter((_, i) => i % 4 === 0)
    const slow = some.map((piece) => [piece, growth((size) => stream(piece, size), 50_000)])
    expect(slow.filter(([, result]) => result !== 'linear')).toEqual([])
  }, 60_000) // T16
})
