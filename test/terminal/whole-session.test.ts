import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { buildCli } from '../demo/demo-process.ts'
import { backend, makeProject, type Project, type PseudoTerminal } from './pseudo-terminal.ts'

const opened: Project[] = []
beforeAll(buildCli)
afterEach(() => {
  for (const project of opened.splice(0)) project[Symbol.dispose]()
})

function projectWith(script: object, by = backend): Project {
  const project = makeProject({ 'script.json': JSON.stringify(script) }, by)
  opened.push(project)
  return project
}

const MODEL = '-m scripted:script.json --sandbox off'
/** A question took the keys, and they count. */
const ASKED = /^y once · /m
const CHAPTERS = Array.from({ length: 40 }, (_, i) => `Chapter ${i + 1} is about 漢字 and 👍🏽 in every line of it.`)

const SCRIPT = {
  parts: [
    {
      agent: 'lead',
      when: { user: 'Spawn alice' },
      calls: [
        { tool: 'TaskCreate', input: { subject: 'List the endpoints', description: 'all of them' } },
        { tool: 'Task', input: { name: 'alice', prompt: 'Do task 1.', task_id: '1' } },
      ],
    },
    { agent: 'lead', when: { user: 'Go on' }, times: 'always', text: 'The lead goes on.' },
    { agent: 'lead', when: { user: 'Tell me' }, times: 'always', chunk: 20, pace: 0.2, text: CHAPTERS.join('\n\n') },
    { agent: 'lead', when: { user: 'Once more' }, calls: [{ tool: 'bash', input: { command: 'echo ran >> twice' } }] },
    { agent: 'lead', when: { result: { tool: 'bash' } }, times: 'always', text: 'It ran.' },
    { agent: 'alice', when: { answer: 1 }, calls: [{ tool: 'bash', input: { command: 'touch asked' } }] },
    { agent: 'alice', when: { answer: 2 }, calls: [{ tool: 'bash', input: { command: 'touch denied' } }] },
    {
      agent: 'alice',
      when: { answer: 3 },
      calls: [{ tool: 'TaskUpdate', input: { taskId: '1', status: 'completed', result: 'seven endpoints' } }],
    },
    { agent: 'alice', when: { user: 'who reads' }, times: 'always', text: 'Alice reads 你好 👋.' },
    { agent: 'alice', times: 'always', text: 'Alice is here.' },
    { agent: 'lead', times: 'always', text: 'The list is ready.' },
  ],
}

/** Types a line and sends it when it stands on the screen, as a person would. */
async function say(terminal: PseudoTerminal, text: string): Promise<void> {
  terminal.type(text)
  await terminal.sees(text.length > 40 ? text.slice(0, 40) : text)
  terminal.press('Enter')
}

describe('a session on a terminal', { timeout: 170_000 }, () => {
  it('leaves nothing of a view in the scrollback, and says in full how to come back', async ({ skip }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    const { open } = projectWith(SCRIPT)
    const terminal = open(`${MODEL} --permission-mode default`, { columns: 40, rows: 12 })
    await terminal.sees('default mode')
    await say(terminal, 'Go on')
    await terminal.sees('The lead goes on.')
    for (const view of ['/help', '/tasks']) {
      await say(terminal, view)
      await terminal.sees('esc back')
      terminal.press('Escape')
      await terminal.sees('The lead goes on.', 'default mode')
    }
    expect((await terminal.everything()).match(/─ deskmates · shop/g)).toHaveLength(1)
    terminal.press('C-d')
    await terminal.sees('exit 0')
    const all = (await terminal.everything()).replace(/\n/g, '')
    expect(all).toMatch(/Continue with: deskmates -r s-\S+ -m scripted:script\.json/)
  })

  it('is typed, approved, denied, interrupted, resized, shared, left and resumed', async ({ skip }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    const { dir, open } = projectWith(SCRIPT)
    const first = open(`${MODEL} --control full`)
    await first.sees('default mode')

    // Questions show the command before the answer; an answer of the person decides.
    await say(first, 'Spawn alice, 日本語 👍🏽 please')
    await first.sees('alice wants bash', 'touch asked', ASKED)
    expect(existsSync(join(dir, 'asked'))).toBe(false)
    first.press('Down')
    await first.sees(/›. alice +waiting/)
    first.press('Up')
    await first.sees(ASKED)
    first.type('y')
    await first.sees('touch denied', ASKED)
    first.type('n')
    await first.sees('The list is ready.', 'seven endpoints')
    expect([existsSync(join(dir, 'asked')), existsSync(join(dir, 'denied'))]).toEqual([true, false])
    await first.sees(/○ alice +idle/)

    // A teammate's conversation: what it was asked and did, and what is typed there goes to it.
    first.press('Down')
    await first.sees('↵ open')
    first.press('Enter')
    await first.sees('── alice', 'Do task 1.', 'touch asked')
    await say(first, 'and who reads this?')
    await first.sees('> and who reads this?', 'Alice reads 你好 👋.')
    first.press('Escape')
    await first.sees('user → alice', 'alice → lead', 'default mode')

    // In the middle of an answer the screen gets another size, and the answer is stopped.
    await say(first, 'Tell me a story')
    await first.sees('Chapter 2 is')
    first.resize(60, 20)
    const narrow = (await first.sees('Chapter 4 is', /^─{60}$/m)).split('\n')
    expect(narrow.filter((line) => /^─{60}$/.test(line))).toHaveLength(2)
    expect(narrow.filter((line) => line.includes('default mode'))).toHaveLength(1)
    first.press('Escape')
    await first.sees('Interrupted.')
    await first.seesNo('✻ working')
    await say(first, 'Go on')
    const after = await first.sees('The lead goes on.')
    expect(after).not.toContain('Chapter 40')
    first.resize(80, 24)

    // Two terminals, two answers: the first one counts.
    const second = open('attach')
    await second.sees('The lead goes on.', 'alice')
    await say(first, 'Once more')
    await Promise.all([first.sees('lead wants bash', ASKED), second.sees('lead wants bash', ASKED)])
    first.type('y')
    second.type('y')
    await Promise.all([first.sees('It ran.'), second.sees('It ran.')])
    expect(readFileSync(join(dir, 'twice'), 'utf8')).toBe('ran\n')
    await second.sees(/^─{80}$/m)

    // Ctrl+C twice leaves, and says how to come back.
    first.press('C-c')
    await first.sees(/Press Ctrl\+C again|exit 0/)
    first.press('C-c')
    const left = await first.sees('Continue with: deskmates -r s-', 'exit 0')
    await second.sees('The session was closed.', 'exit 0')
    const command = /Continue with: deskmates (-r s-\S+)/.exec(left)![1]!
    const resumed = open(`${command} ${MODEL}`)
    await resumed.sees('It ran.', 'alice')
    await say(resumed, 'Go on')
    await resumed.sees('The lead goes on.')
    resumed.press('C-d')
    await resumed.sees('exit 0')
  }) // A87, B16

  it('is chosen from a list with -r and with /resume, and is plain lines where nothing can be drawn', async ({
    skip,
  }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    const { open } = projectWith(SCRIPT)
    const dumb = open(MODEL, { env: { TERM: 'dumb' } })
    await dumb.sees(/without a sandbox/)
    dumb.type('Go on with the login\r')
    await dumb.sees('The lead goes on.')
    dumb.type('q\r')
    await dumb.sees('Continue with: deskmates -r s-', 'exit 0')
    expect(await dumb.screen()).not.toMatch(/─{10}/)

    const second = open(`${MODEL} --screen-reader`)
    await second.sees(/without a sandbox/)
    second.type('Go on with the docs\r')
    await second.sees('The lead goes on.')
    second.press('C-d')
    await second.sees('exit 0')

    const picked = open(`-r ${MODEL}`, { env: { NO_COLOR: '1' } })
    await picked.sees('› Go on with the docs', /^ {4}\d{4}-\d\d-\d\d \d\d:\d\d · no teammates$/m)
    picked.press('Down')
    await picked.sees('› Go on with the login')
    picked.press('Enter')
    await picked.sees('> Go on with the login', 'default mode')
    await say(picked, '/resume')
    await picked.sees('› Go on with the docs')
    picked.press('Escape')
    await picked.sees('> Go on with the login')
    await say(picked, '/resume')
    await picked.sees('› Go on with the docs')
    picked.press('Enter')
    await picked.sees('> Go on with the docs', 'default mode')
    picked.press('C-d')
    await picked.sees('exit 0')
  })

  it('is continued by --team alone, with the model of the settings', async ({ skip }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    const { home, open } = projectWith(SCRIPT)
    const first = open(`${MODEL} --permission-mode default`)
    await first.sees('default mode')
    await say(first, 'Go on')
    await first.sees('The lead goes on.')
    first.press('C-d')
    const left = await first.sees('Continue with: deskmates -r s-', 'exit 0')
    const session = /deskmates -r (s-\S+)/.exec(left)![1]!
    const folder = join(home, '.config', 'deskmates')
    mkdirSync(folder, { recursive: true })
    const settings = { model: 'scripted:script.json', sandbox: { mode: 'off' } }
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
    const again = open(`--team ${session}`)
    await again.sees('> Go on', 'The lead goes on.', 'default mode')
    again.press('C-d')
    await again.sees('exit 0')
  })

  it('offers commands of the user, and those of the project only after the folder is trusted', async ({ skip }) => {
    if (backend === undefined) skip('neither tmux nor script is installed')
    const { dir, home, open } = projectWith(SCRIPT)
    for (const [folder, name, text] of [
      [home, 'hi', 'Go on and say hello to $ARGUMENTS.'],
      [dir, 'project', 'Go on from the project.'],
    ] as const) {
      mkdirSync(join(folder, '.claude', 'commands'), { recursive: true })
      writeFileSync(join(folder, '.claude', 'commands', `${name}.md`), text)
    }
    const terminal = open(MODEL)
    await terminal.sees('Do you trust this folder?')
    terminal.press('Enter')
    await terminal.sees('default mode')
    await say(terminal, '/hi bob')
    // The model reads the prompt behind the command; the person sees what was typed.
    await terminal.sees('> /hi bob', 'The lead goes on.')
    await say(terminal, '/project x')
    await terminal.sees('no command /project')
    terminal.press('C-d')
    await terminal.sees('exit 0')

    // Asked once: the answer is kept until the person trusts the folder.
    const again = open(MODEL)
    expect(await again.sees('default mode')).not.toContain('Do you trust this folder?')
    again.press('C-d')
    await again.sees('exit 0')
    const trust = open('trust')
    await trust.sees(/^trusted /m, 'exit 0')

    const trusting = open(MODEL)
    await trusting.sees('default mode')
    await say(trusting, '/project x')
    await trusting.sees('> /project x', 'The lead goes on.')
    trusting.press('C-d')
    await trusting.sees('exit 0')
  })

  it('runs in the pseudo-terminal of script too, drawn by xterm', async ({ skip }) => {
    if (backend === undefined || !existsSync('/usr/bin/script')) skip('script is not installed')
    const { open } = projectWith(SCRIPT, 'script')
    const terminal = open(MODEL)
    await terminal.sees('default mode')
    await say(terminal, 'Tell me 日本語')
    await terminal.sees('Chapter 2 is about 漢字 and 👍🏽')
    terminal.resize(60, 20)
    await terminal.sees(/^─{60}$/m, 'Chapter 4 is')
    terminal.press('Escape')
    await terminal.sees('Interrupted.')
    terminal.press('C-d')
    await terminal.sees('Continue with: deskmates -r s-', 'exit 0')
  })
})
