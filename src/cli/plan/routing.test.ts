import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { header, task, writeLines } from '../../../test/cli/plan-files.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const PROGRESS = { task: '03-01/T1', plan_id: '03-01', commit: 'none', status: 'complete', concerns: [] }
const call = (tool: string, input: Record<string, unknown>) => ({ tool, input })
const complete = (taskId: string) => call('TaskUpdate', { taskId, status: 'completed', result: 'done' })
/** What the runtime sends for an agent. */
const OF_RUNTIME = ['result', 'idle_notification', 'shutdown_response']
const DONE = [
  { agent: 'lead', times: 'always', text: 'I see.' },
  { times: 'always', text: 'Done.' },
]

/** The first developer sends these messages, one after the other, and completes its task. Returns what was sent, and what it read. */
async function sentBy(...messages: readonly Record<string, unknown>[]) {
  writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), task('T1'), task('T2'))
  const sends = messages.map((message, i) => ({
    ...{ agent: 'dev-1', when: { answer: i + 1 }, calls: [call('SendMessage', message)] },
  }))
  const last = { agent: 'dev-1', when: { answer: messages.length + 1 }, calls: [complete('03-01/T1')] }
  const other = { agent: 'dev-2', when: { answer: 1 }, calls: [complete('03-01/T2')] }
  const script = join(cli.dir, '..', 'talk.json')
  writeFileSync(script, JSON.stringify({ parts: [...sends, last, other, ...DONE] }))
  const words = `plan run p --mode teammate --permission-mode acceptEdits --sandbox off -m scripted:${script}`
  const env = { ...cli.env, CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' }
  expect(await cli.run(words, { env })).toMatchObject({ code: 0 })
  const lines = (await cli.ok('log --json --team phase-03')).trim().split('\n')
  const sent = lines
    .map((line) => JSON.parse(line))
    .filter(({ type, message }) => type === 'message.sent' && message.from === 'dev-1')
    .filter(({ message }) => !OF_RUNTIME.includes(message.type))
  return {
    sent: sent.map(({ message }) => `${message.type} to ${message.to}`),
    transcript: cli.read('.teams/phase-03/transcripts/dev-1.jsonl'),
  }
}

describe('messages in a plan run', { timeout: 60_000 }, () => {
  it('that an organisation does not allow are refused before delivery, with the allowed recipients', async () => {
    await cli.ok('org init engineering')
    await cli.ok('trust')
    const { sent, transcript } = await sentBy(
      { recipient: 'dev-2', content: 'Which route is yours?' },
      { recipient: 'dev-2', type: 'dev_progress', content: JSON.stringify(PROGRESS) },
      { type: 'broadcast', content: 'Hello all' },
      { recipient: 'lead', type: 'code_review_result', content: '{}' },
      { recipient: 'lead', type: 'dev_progress', content: JSON.stringify({ ...PROGRESS, status: 'fine' }) },
    )
    expect(sent).toEqual([])
    expect(transcript.match(/Allowed recipients: lead\./g)).toHaveLength(3)
    expect(transcript).toContain('not to dev-2')
    expect(transcript).toContain('status: is not one of complete, partial, failed')
  }) // C26, C30, F50

  it('that break a rule are delivered with a warning, and marked, where the organisation only warns', async () => {
    await cli.ok('org init engineering')
    const file = join(cli.dir, '.deskmates/organisation/organisation.yaml')
    const text = cli.read('.deskmates/organisation/organisation.yaml')
    writeFileSync(file, text.replace('violations: reject', 'violations: warn'))
    await cli.ok('trust')
    const { sent, transcript } = await sentBy({ recipient: 'dev-2', content: 'Which route is yours?' })
    expect(sent).toEqual(['message to dev-2'])
    expect(transcript).toContain('Allowed recipients: lead.')
    expect(await cli.ok('log --json --team phase-03')).toContain('"violation":')
  }) // F50

  it('go to the lead for roles that the team does not have, and only there', async () => {
    await cli.ok('org init engineering')
    await cli.ok('trust')
    const { sent, transcript } = await sentBy(
      { recipient: 'lead', type: 'dev_progress', content: JSON.stringify(PROGRESS) },
      { recipient: 'lead', content: 'Which route is mine?' },
    )
    expect(sent).toEqual(['dev_progress to lead', 'message to lead'])
    expect(transcript).not.toContain('Allowed recipients')
  }) // C26

  it('are delivered with a warning where the organisation only warns, except what has no mailbox', async () => {
    await cli.ok('org init engineering')
    const file = join(cli.dir, '.deskmates/organisation/organisation.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('violations: reject', 'violations: warn'))
    await cli.ok('trust')
    const { sent, transcript } = await sentBy(
      { recipient: 'dev-2', content: 'Which route is yours?' },
      { recipient: 'lead', type: 'dev_progress', content: JSON.stringify({ ...PROGRESS, status: 'fine' }) },
      { recipient: 'yolo-fe-lead', content: 'Which fields do you need?' },
      { recipient: 'lead', type: 'task_claim', content: '{}' },
    )
    expect(sent).toEqual(['message to dev-2', 'dev_progress to lead'])
    expect(transcript).toContain('Warning: A dev sends message to senior only, not to dev-2 (dev).')
    expect(transcript).toContain('Warning: The content is not a valid dev_progress: status: is not one of')
    expect(transcript).toContain('not to yolo-fe-lead')
    const journal = await cli.ok('log --json --team phase-03')
    expect(journal.match(/"violation":"not_routed"/g), 'they are marked').toHaveLength(2)
  }) // C32, C35, F50

  it.each([['is not trusted'], ['is not there'], ['has no developers']])(
    'follow no rules of an organisation that %s',
    async (which) => {
      if (which !== 'is not there') await cli.ok('org init engineering')
      if (which === 'has no developers') {
        renameDevelopers()
        await cli.ok('trust')
      }
      const { sent } = await sentBy({ recipient: 'dev-2', content: 'Which route is yours?' })
      expect(sent).toEqual(['message to dev-2'])
    },
  )
})

/** The same organisation, whose developers have another role. */
function renameDevelopers(): void {
  const folder = join(cli.dir, '.deskmates/organisation')
  for (const file of ['organisation.yaml', 'handoffs.yaml'])
    writeFileSync(join(folder, file), cli.read('.deskmates/organisation', file).replaceAll(/\bdev\b(?!_)/g, 'coder'))
  writeFileSync(join(folder, 'roles/coder.md'), cli.read('.deskmates/organisation/roles/dev.md'))
  rmSync(join(folder, 'roles/dev.md'))
}
