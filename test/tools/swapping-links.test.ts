import { type ChildProcess, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { toolHarness } from '../../src/testing/harnesses/tool-harness.ts'
import { editFile } from '../../src/tools/files/edit-file.ts'
import { readFile } from '../../src/tools/files/read-file.ts'
import { writeFile } from '../../src/tools/files/write-file.ts'
import { runCall } from '../../src/tools/run-call.ts'
import { glob } from '../../src/tools/search/glob.ts'
import { createGrep } from '../../src/tools/search/grep.ts'

/** Milliseconds of racing. */
const RACE = Number(process.env.DESKMATES_RACE ?? 5000)

/**
 * Another process that, as fast as it can, puts a link to the outside in place of a folder and of a file, and then the
 * real thing again. `rename` replaces in one step, so every moment shows one or the other.
 */
const SWAPPER = `
const fs = require('fs')
const [root, outside] = process.argv.slice(1)
for (let i = 0; ; i++) {
  const step = (work) => { try { work() } catch {} }
  step(() => fs.renameSync(root + '/folder', root + '/parked'))
  step(() => fs.symlinkSync(outside, root + '/folder'))
  step(() => fs.unlinkSync(root + '/folder'))
  step(() => fs.renameSync(root + '/parked', root + '/folder'))
  step(() => fs.symlinkSync(outside + '/file', root + '/next'))
  step(() => fs.renameSync(root + '/next', root + '/file'))
  step(() => { fs.writeFileSync(root + '/next', 'INSIDE'); fs.renameSync(root + '/next', root + '/file') })
  if (i === 0) fs.writeFileSync(outside + '/../swapping', '')
}`

let place: string
let swapper: ChildProcess | undefined
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-swap-')))
})
afterEach(() => {
  swapper?.kill('SIGKILL')
  swapper = undefined
  rmSync(place, { recursive: true, force: true })
})

it('never lets a file tool out, however fast links are swapped under it', async () => {
  const [root, outside] = [join(place, 'root'), join(place, 'outside')]
  for (const [folder, text] of [
    [join(root, 'folder'), 'INSIDE'],
    [outside, 'OUTSIDE'],
  ] as const) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'file'), text)
    if (folder === outside) writeFileSync(join(folder, 'secret-name'), text)
  }
  writeFileSync(join(root, 'file'), 'INSIDE')
  const context = { ...toolHarness(), root }
  const tools = [readFile, writeFile, editFile, glob, createGrep({ ripgrep: undefined })]
  const call = (name: string, input: object) => runCall(tools, { name, input }, context)

  swapper = spawn(process.execPath, ['-e', SWAPPER, root, outside], { stdio: 'ignore' })
  await expect.poll(() => existsSync(join(place, 'swapping')), { timeout: 30_000 }).toBe(true)
  const count = { done: 0, refused: 0, escaped: 0 }
  const until = performance.now() + RACE
  for (let i = 0; performance.now() < until; i++) {
    const results = [
      await call('read_file', { path: 'folder/file' }),
      await call('read_file', { path: 'file' }),
      await call('write_file', { path: `folder/${i % 50}/new`, content: 'WRITTEN' }),
      await call('write_file', { path: 'folder/written', content: 'WRITTEN' }),
      await call('write_file', { path: 'file', content: 'WRITTEN' }),
      await call('edit_file', { path: 'file', old_text: 'SIDE', new_text: 'WRITTEN' }),
      ...(i % 20 === 0 ? [await call('grep', { pattern: 'SIDE' }), await call('glob', { pattern: '**/*' })] : []),
    ]
    for (const { text, isError } of results) {
      if (/OUTSIDE|secret-name/.test(text)) count.escaped++
      else if (isError) count.refused++
      else count.done++
    }
  }
  console.log(`swapping links: ${count.done} done, ${count.refused} refused, ${count.escaped} escaped in ${RACE} ms`)
  expect(count.escaped).toBe(0)
  expect(readdirSync(outside).sort()).toEqual(['file', 'secret-name'])
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('OUTSIDE')
  // Both happened, so there was a race to lose.
  expect(Math.min(count.done, count.refused)).toBeGreaterThan(50)
}) // A12
