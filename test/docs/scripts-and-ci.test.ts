import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildCli, cli } from '../demo/demo-process.ts'
import { readPage } from './page.ts'

const page = readPage('docs/scripts-and-ci.md')
const ID = '0190fabc-1234-7abc-8def-0123456789ab'

let dir: string
beforeAll(buildCli)
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-scripts-')))
  for (const folder of ['bin', 'home', 'work']) mkdirSync(join(dir, folder))
  writeFileSync(join(dir, 'bin', 'deskmates'), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`)
  chmodSync(join(dir, 'bin', 'deskmates'), 0o755)
})
afterEach(() => rmSync(dir, { recursive: true }))

/** The block with this text as a shell runs it, on a scripted model; what it printed. */
function run(heading: string, parts: readonly object[], files: Record<string, string> = {}): string {
  const [, block = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(page.section(heading)) ?? []
  expect(block, heading).toContain('deskmates')
  writeFileSync(join(dir, 'script.json'), JSON.stringify({ parts }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, 'work', name), text)
  const env = {
    ...{
      PATH: `${join(dir, 'bin')}:${process.env.PATH}`,
      HOME: join(dir, 'home'),
      DESKMATES_STATE: join(dir, 'state'),
    },
    ...{ MODEL: `scripted:${join(dir, 'script.json')}`, ID, TMPDIR: dir },
  }
  const options = { cwd: join(dir, 'work'), env, encoding: 'utf8' as const, input: '' }
  execFileSync('git', ['init', '-q'], options)
  return execFileSync('sh', ['-ec', block], options)
}
const written = (name: string) => readFileSync(join(dir, 'work', name), 'utf8')

describe('docs/scripts-and-ci.md', () => {
  it('asks one question', () => {
    run('## One question, one answer', [{ when: { user: 'review this change' }, text: 'Looks good.', cost: 0.01 }])
    expect(JSON.parse(written('review.json'))).toMatchObject({ result: 'Looks good.', is_error: false })
  })

  it('gets an answer that a program reads', () => {
    run('## An answer that a program reads', [{ text: 'Yes.' }, { text: '{"ok": true, "missing": []}' }])
    expect(JSON.parse(written('answer.json')).structured_output).toEqual({ ok: true, missing: [] })
  })

  it('sends several messages to one process', () => {
    const line = /`(\{"type":"user".*?\}\})`/.exec(page.text)?.[1] ?? ''
    const files = { 'messages.jsonl': `${line}\n${line}\n` }
    run('## Several messages in one process', [{ text: 'one' }, { text: 'two' }], files)
    const lines = written('answers.jsonl').trimEnd().split('\n')
    const results = lines.map((text) => JSON.parse(text)).filter(({ type }) => type === 'result')
    expect(results.map(({ result }) => result)).toEqual(['one', 'two'])
  })

  it('resumes and copies a session with an id of its own', () => {
    const printed = run('## Sessions with an id of your own', [
      { when: { answer: 1 }, text: 'Noted.' },
      { when: { answer: 2, user: 'What is it called' }, text: 'Fig.' },
      { when: { user: 'called Plum' }, text: 'Then it were another fruit.' },
      { times: 'always', when: { user: 'called Plum' }, text: 'Then it were another fruit.' },
    ])
    expect(printed).toBe('Noted.\nFig.\nThen it were another fruit.\n')
  })

  it('runs with settings and agent types of its own', () => {
    const printed = run('## Settings and agent types for one run', [
      {
        agent: 'lead',
        when: { answer: 1 },
        calls: [{ tool: 'Task', input: { prompt: 'look', agent_type: 'reviewer' } }],
      },
      { agent: 'lead', times: 'always', text: 'It was reviewed.' },
      { when: { system: 'You review changes. Name file and line.' }, text: 'a.ts:1 is fine' },
    ])
    expect(printed).toBe('It was reviewed.\n')
  })
})
