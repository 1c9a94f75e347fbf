import { describe, expect, it } from 'vitest'
import { firstOverlap, normalisePattern } from './reservation.ts'

const overlap = (a: string, b: string) => {
  const [left, right] = [normalisePattern(a), normalisePattern(b)]
  if (left === undefined || right === undefined) throw new Error(`${a} or ${b} is no pattern`)
  const found = firstOverlap([left], [right]) !== undefined
  expect(firstOverlap([right], [left]) !== undefined, `${b} against ${a}`).toBe(found)
  return found
}

describe('a pattern of files', () => {
  it('is a path inside the workspace, written in one way', () => {
    const same = {
      'src/a.ts': 'src/a.ts',
      './src//a.ts': 'src/a.ts',
      'src/./b/../a.ts': 'src/a.ts',
      'src/api/': 'src/api/',
      ' src/a.ts ': 'src/a.ts',
      '.': '.',
      './': '.',
      'a/..': '.',
      'Ada\u0301': 'Adá',
      '...': '...',
      'a..b/c': 'a..b/c',
      'app/[id]/page.tsx': 'app/[id]/page.tsx',
    }
    for (const [given, normal] of Object.entries(same)) expect(normalisePattern(given), given).toBe(normal)
    const outside = [
      '',
      ' ',
      '/',
      '/etc/passwd',
      ' /etc/passwd',
      '..',
      '../x',
      'a/../../b',
      './..',
      '\0',
      'a\0b',
      '../',
      '\t/x',
    ]
    for (const given of outside) expect(normalisePattern(given), JSON.stringify(given)).toBeUndefined()
    expect(normalisePattern(`${'a/'.repeat(5000)}b`)).toBeUndefined()
  }) // C44
})

describe('two patterns of files', () => {
  it('overlap when a file may match both', () => {
    const pairs = [
      ['src/a.ts', 'src/a.ts'],
      ['src/a.ts', './src/../src/a.ts'],
      ['src/api/', 'src/api/users.ts'],
      ['src/api', 'src/api/users/deep/er.ts'],
      ['src/api/', 'src/api'],
      ['src/api/**', 'src/api/users.ts'],
      ['src/', 'src/api/'],
      ['.', 'anything/at/all'],
      ['**', 'a'],
      ['src/**/*.ts', 'src/a.ts'],
      ['src/**/*.ts', 'src/x/y/a.ts'],
      // src/a.js might be a folder.
      ['src/**/*.ts', 'src/a.js'],
      ['**/test/**', 'a/b/test/c.ts'],
      ['**/a/**/b', 'x/a/y/z/b'],
      ['src/*.ts', 'src/a.ts'],
      ['src/*', 'src/a/b.ts'],
      ['src/a?.ts', 'src/ab.ts'],
      ['src/[ab].ts', 'src/a.ts'],
      ['src/{a,b}.ts', 'src/b.ts'],
      ['src/{a,{b,c}}.ts', 'src/c.ts'],
      ['src/{api/users,web}/x.ts', 'src/api/users/x.ts'],
      ['src/{a,{b,c/d}}/x.ts', 'src/c/d/x.ts'],
      ['{src,test}/a.ts', 'test/a.ts'],
      ['src/@(a|b).ts', 'src/a.ts'],
      ['src/@(a|+(b|c)).ts', 'src/cc.ts'],
      ['src/@(a/b|c)/x.ts', 'src/a/b/x.ts'],
      ['src/!(a).ts', 'src/b.ts'],
      ['src/*.ts', 'src/a*'],
      ['src/a*c', 'src/*bc'],
      ['*/a', 'b/*'],
      ['**/a/**', '**/b/**'],
      ['README.md', 'readme.MD'],
      ['Ada\u0301.txt', 'ADÁ.txt'],
      ['app/[id]/page.tsx', 'app/[id]/page.tsx'],
      ['app/[id]/page.tsx', 'app/[id]/'],
      ['app/[id]/', 'app/x/page.tsx'],
      ['app/[...slug]/page.tsx', 'app/[...slug]/page.tsx'],
      ['app/[[...slug]]/page.tsx', 'app/[[...slug]]/'],
      ['app/(group)/page.tsx', 'app/(group)/'],
      ['a b/c', 'a b/'],
      ['a/**/../b', 'a/x/b'],
      ['a$b', 'a$b'],
      ['a{b', 'a{b'],
      ['a[b', 'a[b'],
    ] as const
    for (const [a, b] of pairs) expect(overlap(a, b), `${a} and ${b}`).toBe(true)
  }) // C43, C44

  it('do not overlap when no file can match both', () => {
    const pairs = [
      ['src/a.ts', 'src/b.ts'],
      ['src/api/', 'src/apis/users.ts'],
      ['src/api/users.ts', 'src/api/user.ts'],
      ['src/api', 'test/api'],
      ['src/*.ts', 'src/a.js'],
      ['src/*.ts', 'test/a.ts'],
      ['src/**/a.ts', 'test/x/a.ts'],
      ['src/a?.ts', 'src/abc.ts'],
      ['src/{a,b}/x.ts', 'test/a/x.ts'],
      ['{src,test}/a.ts', 'src/b.ts'],
      ['src/a.ts', 'src/a/b.js.ts/../../c.ts'],
      ['app/[id]/page.tsx', 'app/users/page.tsx'],
      ['app/(group)/page.tsx', 'app/group/page.tsx'],
      ['a.b', 'axb'],
      ['a+b', 'aab'],
      ['a$', 'a'],
      ['a*.ts', 'b*.ts'],
    ] as const
    for (const [a, b] of pairs) expect(overlap(a, b), `${a} and ${b}`).toBe(false)
  }) // C43, C44

  it('are compared quickly, however they are written', () => {
    const stars = `${'a*'.repeat(40)}b`
    expect(overlap(stars, 'a'.repeat(200))).toBe(false)
    expect(overlap(`${'**/a/'.repeat(40)}b`, `${'a/'.repeat(200)}c`)).toBe(true)
    expect(overlap('a/'.repeat(2000), `${'a/'.repeat(2000)}b`)).toBe(true)
  }) // F15
})
