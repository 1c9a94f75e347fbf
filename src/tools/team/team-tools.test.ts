import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memberNamed, unreadOf } from '../../team/state.ts'
import { type TeamToolHarness, teamToolHarness } from '../../testing/harnesses/team-tool-harness.ts'
import { brokenInvariants } from '../../testing/invariants.ts'
import { SPELLINGS } from '../own-tool.ts'
import { toolsForLead, toolsForSubagent, toolsForTeammate } from '../registry.ts'
import { offer, runCall } from '../run-call.ts'
import { BUILT_IN } from '../subagents/built-in-types.ts'

const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name).sort()
const agents = SPELLINGS.flatMap((spelling) => (['lead', 'ada'] as const).map((agent) => ({ agent, spelling })))
const sorted = (text: string) => text.split(' ').sort()

describe('tools of a team', () => {
  const WORK = 'bash read_file write_file edit_file glob grep'
  it.each([
    [
      'lead',
      'team',
      `${WORK} TaskCreate TaskUpdate TaskList TaskGet SendMessage Task TaskOutput TaskStop TeamCreate TeamDelete`,
    ],
    [
      'lead',
      'simple',
      `${WORK} TaskCreate TaskUpdate TaskList TaskGet send_message broadcast read_inbox Task spawn_teammate TaskOutput TaskStop list_teammates`,
    ],
    ['ada', 'simple', `${WORK} TaskCreate TaskUpdate TaskList send_message read_inbox`],
  ] as const)('of %s in the %s spelling are exactly these', async (agent, spelling, wanted) => {
    expect(names((await teamToolHarness(agent, spelling)).tools)).toEqual(sorted(wanted))
  }) // B14, D8, B33

  it('of a teammate are shell, files, search, board and mail, and nothing that only a lead does', async () => {
    const { tools } = await teamToolHarness('ada')
    expect(names(tools)).toEqual(sorted(`${WORK} TaskCreate TaskUpdate TaskList SendMessage`))
  }) // A85

  it('are offered to no subagent, in no spelling', () => {
    const offered = BUILT_IN.flatMap((type) => names(toolsForSubagent(type)))
    expect([...new Set(offered)].sort()).toEqual(sorted(WORK))
  })

  it('are offered in no spelling to a lead that is in no team', () => {
    const runSubagent = async () => ({ text: '' })
    for (const spelling of ['team', 'simple'] as const) {
      const offered = names(toolsForLead({ spelling, agentTypes: BUILT_IN, runSubagent }))
      expect(offered.filter((name) => /message|broadcast|inbox|teammate|Team/i.test(name))).toEqual([])
    }
  })

  it('are described with the parameter names of their spelling', () => {
    const { description } = toolsForTeammate({ spelling: 'simple' }).find(({ name }) => name === 'send_message')!
    expect(description).toContain('`msg_type`')
    expect(description).not.toMatch(/`(recipient|type)`/)
  })

  it('stay with a teammate whose agent type narrows shell and file tools', () => {
    const [explore] = BUILT_IN
    const seated = 'TaskCreate TaskUpdate TaskList SendMessage'
    expect(names(toolsForTeammate({ type: explore }))).toEqual(sorted(`bash read_file glob grep ${seated}`))
    const bash = toolsForTeammate().find(({ name }) => name === 'bash')
    expect(Object.keys(bash!.schema.properties as object)).not.toContain('run_in_background')
  })

  it.each(agents)('all work as advertised for $agent in the $spelling spelling', async ({ agent, spelling }) => {
    const harness = await teamToolHarness(agent, spelling)
    await prepare(harness)
    for (const { name, description, schema } of offer(harness.tools)) {
      const { input, effect } = example(name, agent)
      const required = (schema.required ?? []) as string[]
      expect([name, schema.type, required.filter((key) => !(key in input))]).toEqual([name, 'object', []])
      expect(description.length, name).toBeGreaterThan(50)
      for (const key of required) {
        const { [key]: _, ...less } = input
        expect(await harness.no(name, less), `${name} without ${key}`).toContain(key)
      }
      await harness.ok(name, input)
      expect([name, await effect(harness)]).toEqual([name, true])
    }
  }) // F36

  it.each(agents)(
    'answer garbage with an error, never by throwing, for $agent in $spelling',
    async ({ agent, spelling }) => {
      const harness = await teamToolHarness(agent, spelling)
      await prepare(harness)
      const own = harness.tools.filter(({ name }) => !sorted(WORK).includes(name))
      const values = fc.oneof(
        fc.constantFrom('1', '2', 'ada', 'lead', 'all', 'web', 'own', 'r1', 'completed', 'pending', 'broadcast', true),
        fc.anything({ maxDepth: 2 }),
      )
      const call = fc.constantFrom(...own).chain((tool) => {
        const keys = [...Object.keys(tool.schema.properties as object), 'from', '__proto__', 'toString']
        return fc.record({
          tool: fc.constant(tool),
          input: fc.oneof({ weight: 3, arbitrary: fc.dictionary(fc.constantFrom(...keys), values) }, fc.anything()),
        })
      })
      await fc.assert(
        fc.asyncProperty(call, async ({ tool: { name }, input }) => {
          expect((await runCall(harness.tools, { name, input }, harness.context)).text).not.toBe('')
          const wrong = { ...(typeof input === 'object' ? input : {}), 'no such field': 1 }
          expect(await runCall(harness.tools, { name, input: wrong }, harness.context)).toMatchObject({ isError: true })
          expect(brokenInvariants(harness.control.team().state)).toEqual([])
        }),
        { numRuns: 300 },
      )
    },
  ) // F36
})

/** A board, mail and a job for the examples below. */
async function prepare({ control, context }: TeamToolHarness): Promise<void> {
  await control.team().run({ type: 'task.add', tasks: [{ subject: 'first' }, { subject: 'second' }] })
  await control.team().send({ to: context.agent, content: 'hello' })
  writeFileSync(join(context.root, 'a.txt'), 'hello\n')
  await context.jobs.start('bash', 'x', async () => ({ state: 'completed', summary: 'done' })).ended
}

interface Example {
  readonly input: Record<string, unknown>
  /** Whether it had its effect, for real. */
  effect(harness: TeamToolHarness): Promise<boolean> | boolean
}

const idOf = ({ message }: { message: { id: string } }) => message.id

function example(tool: string, agent: string): Example {
  const other = agent === 'lead' ? 'ada' : 'bob'
  const received =
    (text: string, name = other): Example['effect'] =>
    ({ control }) =>
      unreadOf(control.team().state, name).some(({ message }) => message.content === text && message.from === agent)
  const always: Example['effect'] = () => true
  const examples: Record<string, Example> = {
    bash: { input: { command: 'echo hello' }, effect: always },
    read_file: { input: { path: 'a.txt' }, effect: always },
    write_file: { input: { path: 'b.txt', content: 'x' }, effect: always },
    edit_file: { input: { path: 'a.txt', old_text: 'hello', new_text: 'bye' }, effect: always },
    glob: { input: { pattern: '*' }, effect: always },
    grep: { input: { pattern: 'bye' }, effect: always },
    TaskCreate: {
      input: { subject: 'third', description: 'x', blockedBy: ['1'] },
      effect: ({ control }) => control.team().state.tasks.get('3')?.createdBy === agent,
    },
    TaskUpdate: {
      input: { taskId: '1', status: 'in_progress' },
      effect({ control }) {
        const task = control.team().state.tasks.get('1')
        return task?.status === 'in_progress' && task.owner === agent
      },
    },
    TaskList: { input: {}, effect: async ({ ok }) => (await ok('TaskList')).includes(`first @${agent}`) },
    TaskGet: {
      input: { taskId: '2' },
      effect: async ({ ok }) => (await ok('TaskGet', { taskId: '2' })).includes('second'),
    },
    SendMessage: { input: { recipient: other, content: 'by mail' }, effect: received('by mail') },
    send_message: { input: { to: other, content: 'by mail', msg_type: 'message' }, effect: received('by mail') },
    broadcast: { input: { content: 'to all' }, effect: received('to all', 'bob') },
    read_inbox: {
      input: {},
      effect: async ({ call, control }) => {
        const { text, mail = [] } = await call('read_inbox')
        return text.includes('hello') && mail.join() === unreadOf(control.team().state, agent).map(idOf).join()
      },
    },
    Task: { input: { prompt: 'x' }, effect: async ({ ok }) => (await ok('Task', { prompt: 'y' })) === 'did: y' },
    spawn_teammate: {
      input: { name: 'eve', role: 'writer', prompt: 'Write.' },
      effect: ({ control }) => memberNamed(control.team().state, 'eve')?.role === 'writer',
    },
    TaskOutput: { input: { task_id: 'b000001' }, effect: always },
    TaskStop: { input: { task_id: 'b000001' }, effect: always },
    TeamCreate: { input: { name: 'api' }, effect: ({ control }) => control.teams.includes('api') },
    TeamDelete: { input: { name: 'api' }, effect: ({ control }) => !control.teams.includes('api') },
    list_teammates: {
      input: {},
      effect: async ({ ok }) => (await ok('list_teammates')).includes('ada (dev): starting'),
    },
  }
  const found = examples[tool]
  if (!found) throw new Error(`There is no example for the tool ${tool}.`)
  return found
}
