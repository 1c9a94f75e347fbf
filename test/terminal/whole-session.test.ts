import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { findProgram } from '../../src/permissions/processes/find-program.ts'
import { buildCli, cli } from '../demo/demo-process.ts'

const tmux = findProgram('tmux', process.env.PATH, [])?.file
const opened: (() => void)[] = []
beforeAll(buildCli)
afterEach(() => {
  for (const close of opened.splice(0)) close()
})

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
    { agent: 'alice', when: { answer: 1 }, calls: [{ tool: 'bash', input: { command: 'touch asked' } }] },
    {
      agent: 'alice',
      when: { answer: 2 },
      calls: [{ tool: 'TaskUpdate', input: { taskId: '1', status: 'completed', result: 'seven endpoints' } }],
    },
    { agent: 'alice', times: 'always', text: 'Alice is here.' },
    { agent: 'lead', times: 'always', text: 'The list is ready.' },
  ],
}

/** A folder with a script for the model, and terminals in which a person works there. */
function project() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'dm-terminal-')))
  const dir = join(top, 'shop')
  mkdirSync(dir)
  mkdirSync(join(top, 'home'))
  writeFileSync(join(dir, 'script.json'), JSON.stringify(SCRIPT))
  const socket = join(top, 'tmux.sock')
  const run = (...args: string[]) => execFileSync(tmux!, ['-S', socket, ...args], { encoding: 'utf8', cwd: dir })
  opened.push(() => run('kill-server'))
  const env = `HOME=${join(top, 'home')} DESKMATES_STATE=${join(top, 'state')} OLLAMA_HOST=http://127.0.0.1:9`
  return {
    dir,
    home: join(top, 'home'),
    /** Types `deskmates ARGS` in a new terminal of 80 columns and 24 rows. */
    open(name: string, args: string) {
      const command = `env ${env} '${process.execPath}' '${cli}' ${args}; echo "exit $?"; cat`
      run('-f', '/dev/null', 'new-session', '-d', '-s', name, '-x', '80', '-y', '24', command)
      const screen = () => run('capture-pane', '-p', '-J', '-t', name)
      return {
        screen,
        type: (text: string) => run('send-keys', '-t', name, '-l', text),
        press: (key: string) => run('send-keys', '-t', name, key),
        resize: (columns: number, rows: number) =>
          run('resize-window', '-t', name, '-x', `${columns}`, '-y', `${rows}`),
        /** Until a person would see this text. */
        async sees(text: string) {
          await expect.poll(screen, { timeout: 120_000, interval: 100 }).toContain(text)
        },
      }
    },
  }
}

describe('a session on a terminal', { timeout: 170_000 }, () => {
  it('is typed, asked, watched from a second terminal, left and resumed', async ({ skip }) => {
    if (tmux === undefined) skip('tmux is not installed')
    const { dir, open } = project()
    const terminal = open('one', '-m scripted:script.json --sandbox off')
    await terminal.sees('default mode')
    terminal.type('Spawn alice, please')
    await terminal.sees('Spawn alice, please')
    terminal.press('Enter')
    await terminal.sees('alice wants bash')
    await terminal.sees('touch asked')
    expect(existsSync(join(dir, 'asked'))).toBe(false)
    // The question takes the keys when the person has stopped typing, and a moment later counts them: longer only helps.
    await terminal.sees('›! alice')
    await new Promise((resolve) => setTimeout(resolve, 1500))
    terminal.press('y')
    await terminal.sees('seven endpoints')
    await terminal.sees('The list is ready.')
    await expect.poll(() => existsSync(join(dir, 'asked')), { timeout: 60_000 }).toBe(true)
    terminal.resize(100, 30)
    await terminal.sees('alice')

    const second = open('two', 'attach')
    await second.sees('The list is ready.')
    second.type('@alice Hello')
    second.press('Enter')
    await terminal.sees('user → alice')

    terminal.type('/quit')
    terminal.press('Enter')
    await terminal.sees('Continue with: deskmates -r s-')
    await terminal.sees('exit 0')
    await second.sees('The session was closed.')

    const resumed = open('three', '-c -m scripted:script.json --sandbox off')
    await resumed.sees('The list is ready.')
    await resumed.sees('alice')
    resumed.press('C-d')
    await resumed.sees('exit 0')
  }) // B16, B18

  it('offers commands of the user, and those of the project only after the folder is trusted', async ({ skip }) => {
    if (tmux === undefined) skip('tmux is not installed')
    const { dir, home, open } = project()
    for (const [folder, name, text] of [
      [home, 'hi', 'Say hello to $ARGUMENTS.'],
      [dir, 'project', 'From the project.'],
    ] as const) {
      mkdirSync(join(folder, '.claude', 'commands'), { recursive: true })
      writeFileSync(join(folder, '.claude', 'commands', `${name}.md`), text)
    }
    const terminal = open('one', '-m scripted:script.json --sandbox off')
    await terminal.sees('Do you trust this folder?')
    terminal.press('Enter')
    await terminal.sees('default mode')
    terminal.type('/hi bob')
    terminal.press('Enter')
    await terminal.sees('Say hello to bob.')
    terminal.type('/project x')
    terminal.press('Enter')
    await terminal.sees('no command /project')
    terminal.press('C-d')
    await terminal.sees('exit 0')

    const trusting = open('two', '-m scripted:script.json --sandbox off')
    await trusting.sees('Do you trust this folder?')
    trusting.type('y')
    await trusting.sees('default mode')
    trusting.type('/project x')
    trusting.press('Enter')
    await trusting.sees('From the project.')
  })
})
