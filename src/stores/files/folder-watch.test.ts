import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { realDisk } from './disk.ts'
import { createFolderWatch } from './folder-watch.ts'

const folder = mkdtempSync(join(tmpdir(), 'deskmates-watch-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Counts hints and lets a test wait for the next one, for as long as the test may run. */
function listen() {
  let wake = () => {}
  let hints = 0
  return {
    changed: () => {
      hints++
      wake()
    },
    next: (since = hints) =>
      new Promise<void>((resolve) => {
        wake = resolve
        if (hints > since) resolve()
      }),
    get hints() {
      return hints
    },
  }
}

it('still sees a file that was renamed and created again', async () => {
  const path = join(folder, 'inbox.jsonl')
  appendFileSync(path, 'old\n')
  const ear = listen()
  const stop = createFolderWatch(realDisk, () => {}).on(path, ear.changed)
  const renamed = ear.next()
  renameSync(path, `${path}.taken`)
  await renamed
  await settle()
  const made = ear.next()
  appendFileSync(path, 'new\n')
  await made
  await settle()
  const grown = ear.next()
  appendFileSync(path, 'more\n')
  await grown
  stop()
}, 5000)

it('waits for a folder that does not exist yet', async () => {
  const path = join(folder, 'a/b/journal.jsonl')
  const ear = listen()
  const stop = createFolderWatch(realDisk, () => {}).on(path, ear.changed)
  mkdirSync(join(folder, 'a/b'), { recursive: true })
  await ear.next(0)
  await settle()
  const made = ear.next()
  appendFileSync(path, 'x')
  await made
  stop()
})

it('serves all files of a folder with one watch, and ends it with the last', () => {
  let open = 0
  const watchFolder = () => {
    open++
    return () => {
      open--
    }
  }
  const disk = { ...realDisk, watch: watchFolder }
  const watch = createFolderWatch(disk, () => {})
  const stops = ['a', 'b', 'c'].map((name) => watch.on(join(folder, name), () => {}))
  expect(open).toBe(1)
  for (const stop of stops) stop()
  expect(open).toBe(0)
})

it.each(['ENOSPC', 'EMFILE', 'ENOSYS'])('warns once that it has to poll when watching fails with %s', (code) => {
  const warnings: string[] = []
  const disk = {
    ...realDisk,
    watch: () => {
      throw Object.assign(new Error(code), { code })
    },
  }
  const watch = createFolderWatch(disk, (message) => warnings.push(message))
  for (const name of ['x/a', 'y/b']) watch.on(join(folder, name), () => {})
  watch.refresh()
  expect(warnings).toEqual([expect.stringContaining(code)])
})

/** Lets hints that are already under way arrive. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate)
}
