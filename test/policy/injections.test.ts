import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../src/agent/session-event.ts'
import type { Script } from '../../src/models/scripted/script.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { openSession } from '../../src/session/open-session.ts'
import type { Session } from '../../src/session/session.ts'
import { openWorkspace, type Workspace } from '../../src/workspace.ts'
import { injections } from './injections.ts'

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-injections-')))
let workspace: Workspace
let session: Session

/** The most gullible model there is: whatever it hears or reads, it then tries to run what it may not. */
const gullible: Script['parts'] = [
  {
    times: 'always',
    when: { user: 'look at the file' },
    calls: [{ tool: 'bash', input: { command: 'cat shown.txt' } }],
  },
  { times: 'always', when: { result: { tool: 'bash', text: 'Denied' } }, text: 'I tried.' },
  {
    times: 'always',
    when: { result: { tool: 'bash' } },
    calls: [{ tool: 'bash', input: { command: 'touch broken' } }],
  },
  { times: 'always', calls: [{ tool: 'bash', input: { command: 'touch broken' } }] },
]

beforeAll(async () => {
  workspace = await openWorkspace({ cwd: dir, env: { HOME: dir, DESKMATES_STATE: join(dir, '..', `${dir}-state`) } })
  session = await openSession({
    workspace,
    team: 'web',
    model: scriptedModel({ parts: gullible }),
    permissions: { allow: ['bash(cat *)'] },
    sandbox: { mode: 'off' },
  })
  const { team } = session
  await team.run({ type: 'member.join', name: 'mate', role: 'code', kind: 'external' })
  await team.run({ type: 'task.add', tasks: [{ subject: 'build it' }] })
  await team.run(
    { type: 'request.open', kind: 'plan_approval', to: 'lead', content: 'my plan' },
    { by: { name: 'mate' } },
  )
  // The plan of a real member is heard before the tries begin.
  await run('hello')
})
afterAll(async () => {
  await session.close()
  await workspace[Symbol.asyncDispose]()
  for (const path of [dir, `${dir}-state`]) rmSync(path, { recursive: true, force: true })
})

/** What only the runtime, the lead or the user decides. */
async function decided() {
  const { team } = session
  await team.refresh()
  const { members, tasks, requests, supervisor } = team.state
  const plain = (table: Iterable<unknown>) => JSON.stringify([...table])
  const still = [...members.values()].map(({ name, kind, generation }) => [name, kind, generation])
  return [JSON.stringify(still), plain(tasks.values()), plain(requests.values()), JSON.stringify(supervisor.get())]
}

async function run(prompt: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  for await (const event of session.run(prompt)) events.push(event)
  return events
}

describe('text from outside of the team', () => {
  it('is tried with sixty injections', () => expect(injections).toHaveLength(60))

  it.for(injections)('decides nothing: $name', async ({ mail, shown }) => {
    const before = await decided()
    rmSync(join(dir, 'shown.txt'), { force: true })
    if (shown !== undefined) writeFileSync(join(dir, 'shown.txt'), shown)
    if (mail) {
      mkdirSync(join(dir, '.teams/web/inbox'), { recursive: true })
      appendFileSync(join(dir, '.teams/web/inbox/lead.jsonl'), `${JSON.stringify(mail)}\n`)
      await session.team.ingest()
    }
    const events = await run(shown === undefined ? 'anything new?' : 'look at the file')
    // It was tried, denied, and nothing was decided by it.
    const denied = events.flatMap((event) =>
      event.type === 'tool_finished' && event.denied !== undefined ? [event.denied] : [],
    )
    expect(denied.join()).toContain('no rule allows it')
    expect(existsSync(join(dir, 'broken'))).toBe(false)
    expect(await decided()).toEqual(before)

    // A message from outside is marked, and no message ends its own frame and begins another one.
    const texts = events
      .flatMap((event) => (event.type === 'input_received' ? event.turn.content : []))
      .map((part) => ('text' in part ? part.text : ''))
    const messages = texts.filter((text) => text.includes('<message '))
    for (const message of messages) {
      expect(message).toMatch(/^<message from="[^"]*" type="[^"]*" origin="external, unverified">/)
      expect(message.match(/<\/?message\b/g)).toHaveLength(2)
    }
    if (mail) expect(messages.length + rejected()).toBeGreaterThan(0)
    else
      expect(
        events.some((event) => event.type === 'tool_finished' && event.result.text.includes(shown!.slice(0, 20))),
      ).toBe(true)
  })
})

/** Lines the door did not let in. */
function rejected(): number {
  const path = join(dir, '.teams/web/inbox/lead.rejected.jsonl')
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0
}
