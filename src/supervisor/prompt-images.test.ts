import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ModelRequest } from '../models/model.ts'
import type { SessionOptions } from '../session/session-options.ts'
import { createPlace, openMemoryStore } from '../stores/memory/store.ts'
import { composedModel } from '../testing/harnesses/composed-model.ts'
import { openTestSession, runToEnd } from '../testing/harnesses/session-harness.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const KINDS = {
  'image/png': PNG,
  'image/jpeg': Buffer.from('ffd8ffe000104a46494600', 'hex'),
  'image/gif': Buffer.from('GIF89a-and-more'),
  'image/webp': Buffer.from('RIFF\x10\0\0\0WEBPVP8 '),
}

let root: string
let outside: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'dm-images-')))
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'dm-elsewhere-')))
  writeFileSync(join(root, 'shot.png'), PNG)
  writeFileSync(join(root, 'my shot (1).png'), PNG)
  writeFileSync(join(outside, 'shot.png'), PNG)
})
afterEach(() => {
  for (const folder of [root, outside]) rmSync(folder, { recursive: true })
})

async function ask(prompt: string, options: Partial<SessionOptions> & { acceptsImages?: boolean } = {}) {
  const { acceptsImages, ...rest } = options
  const { model, requests } = composedModel(() => ({ text: 'I see.' }))
  await using session = await openTestSession({ model: { ...model, acceptsImages }, root, ...rest })
  const { stop, events } = await runToEnd(session, prompt)
  const notes = events.flatMap((event) => (event.type === 'note' ? [event.text] : []))
  return { stop, notes, requests, images: imagesIn(requests[0]) }
}

function imagesIn(request: ModelRequest | undefined) {
  const turn = request?.turns.at(-1)
  return (turn?.content ?? []).flatMap((part) => (part.type === 'file' ? [part] : []))
}

describe('a prompt', () => {
  it.for([
    'What is in @shot.png?',
    'What is in @shot.png, and why',
    '@"my shot (1).png" is what I see',
    'look: @my\\ shot\\ (1).png',
    'compare ./shot.png',
    () => `'${join(root, 'my shot (1).png')}'`,
    () => `see ${join(root, 'my shot (1).png').replace(/[ ()]/g, '\\$&')} please`,
    () => join(root, 'my shot (1).png'),
    () => `${pathToFileURL(join(root, 'my shot (1).png')).href} is broken`,
  ])('attaches the image that it names: %s', async (named) => {
    const prompt = typeof named === 'string' ? named : named()
    const { images, requests } = await ask(prompt)
    expect(images).toEqual([
      { type: 'file', mediaType: 'image/png', data: PNG.toString('base64'), filename: expect.stringMatching(/shot/) },
    ])
    expect(JSON.stringify(requests[0]!.turns.at(-1)!.content[0])).toMatch(/\[image (my )?shot( \(1\))?\.png 70 B\]/)
  })

  it.for(Object.entries(KINDS))('knows %s by its bytes, whatever its name', async ([mediaType, bytes]) => {
    writeFileSync(join(root, 'picture.txt'), bytes)
    expect((await ask('@picture.txt')).images).toMatchObject([{ mediaType }])
  })

  it.for(['rename shot.png to a.png', '@missing.png', '@notes.md', 'mail me@shot.png', '@fake.png', '@src'])(
    'stays text where it names no image: %s',
    async (prompt) => {
      writeFileSync(join(root, 'notes.md'), '# Notes')
      writeFileSync(join(root, 'fake.png'), 'not an image')
      mkdirSync(join(root, 'src'))
      const { images, stop, requests } = await ask(prompt)
      expect([images, stop.kind, requests.length]).toEqual([[], 'finished', 1])
    },
  )

  it('names an image outside of the workspace: refused behind @, else a note', async () => {
    const path = join(outside, 'shot.png')
    const refused = await ask(`@${path}`)
    expect(refused.stop).toMatchObject({ kind: 'error', error: { message: expect.stringContaining('--add-dir') } })
    expect(refused.requests).toEqual([])
    const noted = await ask(`why is ${path} here`)
    expect([noted.images, noted.notes.join()]).toEqual([[], expect.stringContaining(`${path} is not attached`)])
    expect((await ask(`@${path}`, { folders: [outside] })).images).toHaveLength(1)
  })

  it('does not attach what a rule denies', async () => {
    const permissions = { mode: 'bypassPermissions', deny: ['read_file(shot.png)'] } as const
    const { stop, requests } = await ask('@shot.png', { permissions })
    expect(stop).toMatchObject({
      error: { message: expect.stringContaining('A rule of the user denies reading shot.png') },
    })
    expect(requests).toEqual([])
  })

  it('with an image that is too large says how large it may be, and is not sent', async () => {
    writeFileSync(join(root, 'big.png'), Buffer.concat([PNG, Buffer.alloc(4 * 1024 * 1024)]))
    const { stop, requests } = await ask('@big.png')
    expect(stop).toMatchObject({
      error: {
        message:
          'big.png has 4.0 MB; an image may have 3.5 MB. Make it smaller, or name a part of it. Nothing was sent.',
      },
    })
    expect(requests).toEqual([])
    const three = [1, 2, 3].map((n) => {
      writeFileSync(join(root, `${n}.png`), Buffer.concat([PNG, Buffer.alloc(3 * 1024 * 1024)]))
      return `@${n}.png`
    })
    expect((await ask(three.join(' '))).stop).toMatchObject({
      error: { message: expect.stringContaining('may be 20, and have 8.0 MB together') },
    })
  })

  it('with an image is refused for a model that accepts text only', async () => {
    const { stop, requests } = await ask('@shot.png', { acceptsImages: false })
    expect(stop).toMatchObject({
      error: { message: expect.stringContaining('accepts no images, and the prompt names shot.png') },
    })
    expect(requests).toEqual([])
  })

  it('that only mentions images is sent without those that cannot be attached', async () => {
    const paths = Array.from({ length: 25 }, (_, i) => {
      writeFileSync(join(root, `${i}.png`), PNG)
      return `./${i}.png`
    })
    const { images, notes, stop } = await ask(`${paths.join(' ')} and @shot.png`)
    expect([images.length, images[0]!.filename, stop.kind]).toEqual([20, 'shot.png', 'finished'])
    expect(notes.join()).toContain('./19.png is not attached: The images of one prompt may be 20')
    const blind = await ask('what about ./shot.png', { acceptsImages: false })
    expect([blind.images, blind.stop.kind]).toEqual([[], 'finished'])
  })

  it('keeps its image for a resumed session, and none of its data in the journal', async () => {
    const store = await openMemoryStore(createPlace())
    const { model, requests } = composedModel(() => ({ text: 'I see.' }))
    const first = await openTestSession({ model, root, store })
    await runToEnd(first, 'What is in @shot.png?')
    const journal = JSON.stringify([...first.team.state.mailboxes])
    await first.close()
    expect(journal).not.toContain(PNG.toString('base64'))
    const kept = readdirSync(join(root, '.teams', first.id, 'outputs', 'lead'))
    expect(readFileSync(join(root, '.teams', first.id, 'outputs', 'lead', kept[0]!))).toEqual(PNG)
    rmSync(join(root, 'shot.png'))
    await using second = await openTestSession({ model, root, store, team: first.id })
    await runToEnd(second, 'And now?')
    expect(JSON.stringify(requests.at(-1)!.turns[0])).toContain(PNG.toString('base64'))
  })
})
