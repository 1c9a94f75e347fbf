import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { project, readPage } from './page.ts'

const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))

/** What a user gets, as npm says. */
function packed(): string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [{ files }] = JSON.parse(execFileSync('npm', args, { cwd: project, encoding: 'utf8', stdio: 'pipe' }))
  return files.map(({ path }: { path: string }) => path)
}

describe('the package', () => {
  it('says where it comes from and where problems go', () => {
    const { repository, homepage, bugs, keywords } = manifest
    const [, home = ''] = /^git\+(https:\/\/.*)\.git$/.exec(repository.url) ?? []
    expect(home).toMatch(/^https:\/\/[^/]+\/[^/]+\/deskmates$/)
    expect([homepage, bugs.url]).toEqual([`${home}#readme`, `${home}/issues`])
    expect(keywords.length).toBeGreaterThan(4)
  }) // T42

  it('holds every page that the README links to by a relative path, and none that is for us alone', () => {
    const files = packed()
    const links = [...readPage('README.md').text.matchAll(/\]\((?!https:)([^)#]+)[^)]*\)/g)].map(
      ([, path = '']) => path,
    )
    expect(links.length).toBeGreaterThan(5)
    expect(links.filter((path) => !files.includes(path))).toEqual([])
    expect(files).not.toContain('docs/coverage.md')
  }) // T42

  it('says which packages its test suites need beside it', () => {
    const peers = Object.keys(manifest.peerDependencies)
    expect(peers).toEqual(expect.arrayContaining(['vitest', 'fast-check']))
    expect(readPage('README.md').text).toContain('npm install -D vitest fast-check')
  }) // T42
})
