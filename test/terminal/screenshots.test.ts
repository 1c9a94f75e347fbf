import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { findProgram } from '../../src/permissions/processes/find-program.ts'
import { buildCli } from '../demo/demo-process.ts'

const folder = fileURLToPath(new URL('../../scripts/screenshots/', import.meta.url))
const script = findProgram('script', process.env.PATH, [])
beforeAll(buildCli)

describe('the pictures of the documents', { timeout: 170_000 }, () => {
  it('show what a session on a pseudo-terminal shows, but for times', async ({ skip }) => {
    if (script === undefined) skip('script (util-linux) is not installed')
    const { takeScreenshots, images } = await import(/* @vite-ignore */ join(folder, 'screenshots.mjs'))
    const { textOfSvg, withoutTimes } = await import(/* @vite-ignore */ join(folder, 'draw-svg.mjs'))
    const shown = (svg: string) => withoutTimes(textOfSvg(svg))
    const committed = ['team.svg', 'board.svg'].map((name) => [name, shown(readFileSync(join(images, name), 'utf8'))])
    // Agents work at the same time, so sessions differ in the order of lines; the pictures show one of those orders.
    for (let left = SESSIONS - 1; ; left--) {
      const taken: Record<string, string> = await takeScreenshots()
      const lines = Object.entries(taken).map(([name, svg]) => [name, shown(svg)])
      if (left > 0 && !isDeepStrictEqual(lines, committed)) continue
      // Where they differ: npm run screenshots, look at the pictures, commit them.
      expect(committed).toEqual(lines)
      return
    }
  })
})

/** A session takes about ten seconds. */
const SESSIONS = 5
