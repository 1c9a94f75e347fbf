import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
    const taken: Record<string, string> = await takeScreenshots()
    expect(Object.keys(taken)).toEqual(['team.svg', 'board.svg'])
    for (const [name, svg] of Object.entries(taken)) {
      const committed = readFileSync(join(images, name), 'utf8')
      // Where they differ: npm run screenshots, look at the pictures, commit them.
      expect(withoutTimes(textOfSvg(committed)), name).toEqual(withoutTimes(textOfSvg(svg)))
    }
  })
})
