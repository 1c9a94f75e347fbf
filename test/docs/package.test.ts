import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { project, readPage } from './page.ts'

const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))

const [, repository = ''] = /^git\+(https:\/\/.*)\.git$/.exec(manifest.repository.url) ?? []

/** What a user gets, as npm says. */
function packed(): string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [{ files }] = JSON.parse(execFileSync('npm', args, { cwd: project, encoding: 'utf8', stdio: 'pipe' }))
  return files.map(({ path }: { path: string }) => path)
}

describe('the package', () => {
  it('names its repository and where to report problems', () => {
    const { homepage, bugs, keywords } = manifest
    expect(repository).toMatch(/^https:\/\/[^/]+\/[^/]+\/deskmates$/)
    expect([homepage, bugs.url]).toEqual([`${repository}#readme`, `${repository}/issues`])
    expect(keywords.length).toBeGreaterThan(4)
  }) // T42

  it('holds every file that a shipped document links to, and no internal page', () => {
    const files = packed()
    const pages = files.filter((path) => path.endsWith('.md'))
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/decisions/0001-a-journal.md']))
    const dead = pages.flatMap((page) =>
      linksOf(readPage(page).text)
        .filter((link) => !leadsSomewhere(link, page, files))
        .map((link) => `${page}: ${link}`),
    )
    expect(dead).toEqual([])
    expect(files.filter((path) => /coverage|progress/.test(path))).toEqual([])
  }) // T42

  it('recognises dead links in every form of Markdown', () => {
    const text =
      '[a](gone.md#x) <b>[c]: ../out.md\n![d](https://example.com/d.png) [e](#no-such-heading)\n`[f](code.md)`'
    expect(linksOf(text)).toEqual(['gone.md#x', 'https://example.com/d.png', '#no-such-heading'])
    expect(linksOf('[c]: ../out.md "title"\n')).toEqual(['../out.md'])
    const files = ['docs/a.md', 'README.md']
    expect(leadsSomewhere('a.md', 'README.md', files)).toBe(false)
    expect(leadsSomewhere('docs/a.md', 'README.md', files)).toBe(true)
    expect(leadsSomewhere('../README.md', 'docs/a.md', files)).toBe(true)
    expect(leadsSomewhere('../../x.md', 'docs/a.md', files)).toBe(false)
    expect(leadsSomewhere(`${repository}/blob/main/AGENTS.md`, 'README.md', files)).toBe(true)
    expect(leadsSomewhere(`${repository}/blob/main/gone.md`, 'README.md', files)).toBe(false)
  }) // T42

  it('declares the test packages as optional peers, in the versions of the install command', () => {
    for (const name of ['vitest', 'fast-check']) {
      expect(manifest.peerDependencies[name]).toBe('^4.0.0')
      expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true })
    }
  }) // T42
})

/** Inline and reference links of a page, outside code. */
function linksOf(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)/g)]
  const references = [...prose.matchAll(/^\[[^\]]+\]:\s*<?([^\s>]+)/gm)]
  return [...inline, ...references].map(([, link = '']) => link)
}

/** In the package, where a path is relative to its page; in the repository, where it is an address there. */
function leadsSomewhere(link: string, page: string, files: readonly string[]): boolean {
  const [path = '', heading] = link.split('#')
  const file = `${repository}/blob/main/`
  if (path.startsWith(file)) return existsSync(join(project, path.slice(file.length)))
  if (/^[a-z]+:/.test(path)) return true
  const target = path === '' ? page : posix.join(posix.dirname(page), path)
  if (!files.includes(target)) return false
  return heading === undefined || headingsOf(readPage(target).text).includes(heading)
}

/** The names that GitHub gives to headings. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
