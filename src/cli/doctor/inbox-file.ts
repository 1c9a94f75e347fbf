import { join } from 'node:path'
import { openTeam } from '../../journal/team-handle.ts'
import { unreadOf } from '../../team/state.ts'
import { type Examination, fail, pass } from './examination.ts'
import { createTestTeam } from './test-environment.ts'

const TEAM = 'inbox'

/** A program that knows nothing of us appends a line to a mailbox file, and two processes read it at the same time. */
export const inboxFile: Examination = {
  name: 'inbox file',
  onDisk: true,
  remedy:
    'Try it by hand with the team of your choice: echo \'{"from":"me","content":"hi"}\' >> .teams/TEAM/inbox/lead.jsonl; deskmates inbox lead --team TEAM',
  async examine({ folder, open, run }) {
    const dir = folder('inbox-file')
    await using workspace = await open(dir)
    const made = await createTestTeam(workspace.store, TEAM)
    // Closing shows the mailbox files.
    await made.close()
    const line = JSON.stringify({ from: 'ci', content: 'main is red' })
    const mailbox = join('.teams', TEAM, 'inbox', 'lead.jsonl')
    const { code, stderr } = await run('sh', ['-c', 'echo "$1" >> "$2"', 'sh', line, mailbox], dir)
    if (code !== 0) return fail(`a program could not append to a mailbox file: ${stderr}`)

    await using other = await open(dir)
    await using first = await openTeam(workspace.store, TEAM)
    await using second = await openTeam(other.store, TEAM)
    await Promise.all([first.ingest(), second.ingest()])
    await first.ingest()
    await first.refresh()
    const arrived = unreadOf(first.state, 'lead').filter(({ message }) => message.content === 'main is red')
    if (arrived.length !== 1) return fail(`a line that was appended once arrived ${arrived.length} times`)
    return pass('a line that another program appended arrived once, and two processes were reading')
  },
}
