import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { TaskView } from '../../team/view.ts'

/** What somebody at work can do: think, ask, and change files in the team's folder. */
export interface Worker {
  readonly name: string
  readonly folder: string
  readonly tasks: readonly TaskView[]
  think(): Promise<void>
  /** Asks whoever has this role, directly, and waits for the answer. */
  ask(role: string, question: string, about: string): Promise<string>
  /** Shows it to the lead and waits for a word. */
  show(content: string): Promise<string>
}

/** Does the work of a task and says what came of it. Small, but real: every file is written, the test runs. */
export async function work(task: TaskView, worker: Worker): Promise<string> {
  const [file = `notes/${task.id}.md`] = task.files
  const make = works[file]
  if (make) return make(worker)
  await worker.think()
  write(worker, file.endsWith('/') ? `${file}done.md` : file, `# ${task.subject}\n\nDone by ${worker.name}.\n`)
  return `wrote ${file}`
}

/** What there is to know about a subject, for whoever asks. */
export const knowledge: Readonly<Record<string, string>> = { endpoints: 'GET /notes, POST /notes' }

type Work = (worker: Worker) => Promise<string>

const works: Readonly<Record<string, Work>> = {
  NAME: async (worker) => {
    await worker.think()
    const name = SUGGESTIONS[worker.name] ?? `${worker.name}'s notes`
    write(worker, 'NAME', `${name}\n`)
    return `it is called ${name}`
  },

  'src/notes.mjs': async (worker) => {
    await worker.think()
    return write(
      worker,
      'src/notes.mjs',
      `const notes = []

export const all = () => [...notes]

export function add(text) {
  const note = { id: notes.length + 1, text }
  notes.push(note)
  return note
}
`,
    )
  },

  'src/api.mjs': async (worker) => {
    await worker.think()
    return write(
      worker,
      'src/api.mjs',
      `import { add, all } from './notes.mjs'

export const endpoints = ${JSON.stringify(knowledge.endpoints?.split(', '))}

export function handle(request, body) {
  if (request === 'GET /notes') return all()
  if (request === 'POST /notes') return add(body)
  throw new Error(\`no such endpoint: \${request}\`)
}
`,
    )
  },

  'web/page.mjs': async (worker) => {
    const endpoints = await worker.ask('backend', 'Which endpoints will there be?', 'endpoints')
    await worker.think()
    return write(
      worker,
      'web/page.mjs',
      `export const calls = ${JSON.stringify(endpoints.split(', '))}

export const page = (notes) => \`<h1>${name(worker)}</h1><ul>\${notes.map(({ text }) => \`<li>\${text}</li>\`).join('')}</ul>\`
`,
    )
  },

  'test/notes.test.mjs': async (worker) => {
    write(
      worker,
      'test/notes.test.mjs',
      `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpoints, handle } from '../src/api.mjs'
import { calls, page } from '../web/page.mjs'

test('a note that was posted is listed and shown', () => {
  handle('POST /notes', 'milk')
  assert.deepEqual(handle('GET /notes'), [{ id: 1, text: 'milk' }])
  assert.match(page(handle('GET /notes')), /<li>milk<.li>/)
})

test('the page calls nothing that is not there', () => assert.deepEqual(calls, endpoints))
`,
    )
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', 'test/notes.test.mjs'], {
      cwd: worker.folder,
    })
    return `node --test: ${/^\S+ pass (\d+)/m.exec(stdout)?.[1]} passed`
  },

  'docs/guide.md': async (worker) => {
    const draft = `# ${name(worker)}\n\nKeeps [notes](../NAME). Post one, get them all.\n`
    write(worker, 'docs/guide.md', draft)
    const word = await worker.show(draft)
    await worker.think()
    return write(worker, 'docs/guide.md', `${draft}\n> ${word}\n`)
  },

  'docs/': async (worker) => {
    await worker.think()
    const pages = readdirSync(join(worker.folder, 'docs')).filter((file) => file.endsWith('.md'))
    const links = pages.flatMap((page) =>
      [...read(worker, `docs/${page}`).matchAll(/\]\(([^)]+)\)/g)].map(([, to = '']) => to),
    )
    const dead = links.filter((to) => !existsSync(join(worker.folder, 'docs', to)))
    if (dead.length > 0) throw new Error(`dead links: ${dead.join(', ')}`)
    return `${links.length} of ${links.length} links lead somewhere`
  },

  'RELEASE.md': async (worker) => {
    await worker.think()
    const done = worker.tasks.filter(({ status }) => status === 'completed')
    const lines = done.map(({ subject, owner, result }) => `- ${subject} (${owner}: ${result})`)
    return write(worker, 'RELEASE.md', `# ${name(worker)} 1.0\n\n${lines.join('\n')}\n`)
  },
}

const SUGGESTIONS: Readonly<Record<string, string>> = { ada: 'Ledger', bob: 'Pinboard', cleo: 'Footnotes' }

function name(worker: Worker): string {
  return read(worker, 'NAME').trim()
}

function read({ folder }: Worker, file: string): string {
  return readFileSync(join(folder, file), 'utf8')
}

function write({ folder }: Worker, file: string, text: string): string {
  const path = join(folder, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return `wrote ${file}`
}
