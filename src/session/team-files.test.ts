import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTeam } from '../journal/team-handle.ts'
import type { ModelRequest } from '../models/model.ts'
import type { Script } from '../models/scripted/script.ts'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { memberNamed } from '../team/state.ts'
import { runToEnd } from '../testing/harnesses/session-harness.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { openSession } from './open-session.ts'
import type { Session } from './session.ts'

let dir: string
let workspace: Workspace
const open = () =>
  openWorkspace({ cwd: dir, env: { HOME: dir, DESKMATES_STATE: join(dir, 'state'), DESKMATES_TRUST: '1' } })
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-files-')))
  mkdirSync(join(dir, '.teams'))
  mkdirSync(join(dir, 'skills', 'digging'), { recursive: true })
  writeFileSync(join(dir, 'skills/digging/SKILL.md'), '---\nname: digging\ndescription: how to dig\n---\nDeep.\n')
  workspace = await open()
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
})

const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })
const session = (parts: Script['parts']) =>
  openSession({ workspace, model: scriptedModel({ parts }), team: 'web', sandbox: { mode: 'off' }, env: {} })

const run = async (talk: Session, prompt: string) => (await runToEnd(talk, prompt)).stop

describe('a team in a workspace', () => {
  it('keeps board, mail and conversations in files that people and other processes read and change', async () => {
    const talk = await session([
      {
        agent: 'lead',
        when: { user: 'Go' },
        calls: [
          call('TaskCreate', { subject: 'dig', description: '', role: 'digger' }),
          call('Task', { name: 'ada', role: 'writer', prompt: 'Hello.' }),
        ],
      },
      { agent: ['lead', 'ada'], times: 'always', text: 'Here.' },
    ])
    await run(talk, 'Go')
    expect(talk.tools, 'skills are files too').toContain('Skill')
    // Another handle on the folder, as another process has it.
    {
      await using other = await open()
      await using team = await openTeam(other.store, 'web')
      await team.run({ type: 'task.update', id: '1', subject: 'dig deep' })
    }
    await talk.team.refresh()
    expect(talk.team.state.tasks.get('1')?.subject).toBe('dig deep')
    await talk.close()
    {
      await using other = await open()
      await using team = await openTeam(other.store, 'web')
      await team.send({ to: 'ada', content: 'For later.' })
    }
    const read = (path: string) => readFileSync(join(dir, path), 'utf8')
    const lines = (path: string) =>
      read(path)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    expect(JSON.parse(read('.tasks/web/1.json'))).toMatchObject({ id: '1', subject: 'dig deep', status: 'pending' })
    expect(lines('.teams/web/inbox/ada.jsonl')).toMatchObject([{ from: 'user', content: 'For later.' }])
    expect(JSON.stringify(lines('.teams/web/transcripts/ada.jsonl'))).toContain('Hello.')
    expect(JSON.stringify(lines('.teams/web/transcripts/lead.jsonl'))).toContain('Go')
  }) // A3, A4

  it('offers its lead exactly these tools', async () => {
    await using talk = await session([])
    const work = 'bash read_file write_file edit_file glob grep'
    const board = 'TaskCreate TaskGet TaskUpdate TaskList'
    const team = 'SendMessage TeamCreate TeamDelete'
    expect([...talk.tools].sort()).toEqual(`${work} Task Skill ${board} TaskOutput TaskStop ${team}`.split(' ').sort())
  }) // A86

  it('has teammates that outlive a prompt, with their conversation, under the same name', async () => {
    let received = ''
    await using talk = await session([
      { agent: 'lead', when: { user: 'First' }, calls: [call('Task', { name: 'ada', prompt: 'The word is fig.' })] },
      { agent: 'lead', when: { user: 'Second' }, calls: [call('SendMessage', { to: 'ada', content: 'Which word?' })] },
      {
        agent: 'ada',
        when: { user: 'Which word' },
        compose({ turns }: ModelRequest) {
          received = JSON.stringify(turns)
          return { text: 'Fig.' }
        },
      },
      { agent: ['lead', 'ada'], times: 'always', text: 'Well.' },
    ])
    await run(talk, 'First')
    expect(memberNamed(talk.team.state, 'ada')).toMatchObject({ status: 'idle', generation: 1 })
    await run(talk, 'Second')
    expect(received).toContain('The word is fig.')
    expect(memberNamed(talk.team.state, 'ada')).toMatchObject({ status: 'idle', generation: 1 })
  }) // B1

  it('has a breaker of its own: failures in one team block no teammate of another', async () => {
    await using talk = await session([
      {
        agent: 'lead',
        when: { user: 'Go' },
        calls: [
          call('TeamCreate', { name: 'api' }),
          call('Task', { name: 'ada', prompt: 'Dig.' }),
          call('Task', { name: 'eve', prompt: 'Dig.' }),
        ],
      },
      {
        agent: 'lead',
        when: { user: 'ada was lost' },
        calls: [call('Task', { name: 'bob', team_name: 'web', prompt: 'Hello.' })],
      },
      { agent: ['ada', 'eve'], times: 'always', error: { fault: 'key', message: 'the key is wrong' } },
      { agent: ['lead', 'bob'], times: 'always', text: 'Well.' },
    ])
    expect((await run(talk, 'Go')).kind).toBe('finished')
    await using api = await openTeam(workspace.store, 'api')
    await api.refresh()
    expect(api.state.breaker.get().state).toBe('open')
    expect(memberNamed(api.state, 'ada')?.status).toBe('lost')
    expect(talk.team.state.breaker.get().state).toBe('closed')
    expect(memberNamed(talk.team.state, 'bob')?.status).toBe('idle')
  }) // C61
})
