import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Entry {
  resolved?: string
  optionalDependencies?: Record<string, string>
}

const lockFile: { packages: Record<string, Entry> } = read('package-lock.json')

it('holds an entry for every optional dependency it names, or npm ci would leave platforms out', () => {
  const missing = Object.entries(lockFile.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !placesFor(name, path).some((place) => place in lockFile.packages))
      .map((name) => `${path} -> ${name}`),
  )
  expect(missing).toEqual([])
})

it('names no registry, so that each user installs from their own', () => {
  const named = Object.entries(lockFile.packages).filter(([, entry]) => entry.resolved !== undefined)
  expect(named.map(([path]) => path)).toEqual([])
})

it('has no pre or post scripts, which ignore-scripts would skip without a word', () => {
  const { scripts }: { scripts: Record<string, string> } = read('package.json')
  expect(Object.keys(scripts).filter((name) => /^(pre|post)/.test(name))).toEqual([])
})

/** Where a package required from `path` may lie: beside it, or in any node_modules above. */
function placesFor(name: string, path: string): string[] {
  const own = `${path === '' ? '' : `${path}/`}node_modules/${name}`
  if (path === '') return [own]
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/')))
  return [own, ...placesFor(name, path.includes('/node_modules/') ? parent : '')]
}

function read(name: string) {
  return JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))
}
