import { describe, expect, it } from 'vitest'
import { createRoleRules } from '../organisation/roles/role-rules.ts'
import type { StepChange } from '../team/phases/phase.ts'
import { roster } from '../team/state.ts'
import { composedModel } from '../testing/harnesses/composed-model.ts'
import { engineering } from '../testing/harnesses/organisation-harness.ts'
import { openTestSession, runToEnd } from '../testing/harnesses/session-harness.ts'

const FOLDER = 'phases/03'
const roles = (changed: Record<string, string> = {}, department = 'backend') =>
  createRoleRules({ organisation: engineering(changed), department, folder: FOLDER })

const role = (name: string, front: string) => ({
  [`roles/${name}.md`]: `---\ndescription: Works.\n${front}\n---\nWork.\n`,
})
const task = (input: Record<string, unknown>) => ({ tool: 'Task', id: `t${JSON.stringify(input).length}`, input })

/** A session of the backend whose lead makes these calls first; every other agent only answers. */
async function sessionOf(calls: readonly ReturnType<typeof task>[], rules = roles(), step = 0) {
  const { model, requests } = composedModel(({ agent, turns }) =>
    agent === 'lead' && turns.length === 1 ? { text: '', calls: [...calls] } : { text: 'Done.' },
  )
  const asked: string[] = []
  const modelFor = async (name: string) => {
    asked.push(name)
    return model
  }
  const session = await openTestSession({ model, modelFor, roles: rules })
  const change: StepChange = { folder: FOLDER, step, name: 'x', status: 'started', artefacts: [], reason: null }
  if (step > 0) await session.team.run({ type: 'step.change', change })
  const { events } = await runToEnd(session, 'Begin', AbortSignal.timeout(30_000))
  const results = events.flatMap((event) => (event.type === 'tool_finished' ? [event.result.text] : []))
  return { session, requests, asked, results, names: roster(session.team.state).map(({ name }) => name) }
}

describe('roles of an organisation', () => {
  it('that are task-only never join: the lead is refused and told to start a subagent', async () => {
    const spawns = [
      task({ name: 'critic', prompt: 'Look.' }),
      task({ name: 'ada', role: 'yolo-scout', prompt: 'Look.' }),
      task({ name: 'bob', role: 'Debugger', prompt: 'Look.' }),
      task({ agent_type: 'critic', prompt: 'Look closely.' }),
    ]
    const { session, requests, results, names } = await sessionOf(spawns, roles(), 9)
    expect(names).toEqual(['lead'])
    expect(results[0]).toContain('A critic runs one-shot and never joins a team. Start a subagent instead')
    expect(results[0]).toContain('agent_type critic')
    for (const result of results.slice(1, 3)) expect(result).toContain('never joins a team')
    const critic = requests.find(({ agent }) => agent !== 'lead')
    expect(critic?.system).toContain('You run once, before a team exists')
    expect(critic?.tools.map(({ name }) => name)).toEqual(['read_file', 'write_file', 'glob', 'grep'])
    await session.close()
  }) // C17

  it('join only their own department, and only when their step has begun', async () => {
    const spawns = [
      task({ name: 'qa', role: 'qa', prompt: 'Wait.' }),
      task({ name: 'senior', role: 'senior', prompt: 'Wait.' }),
      task({ name: 'poet', role: 'poet', prompt: 'Wait.' }),
      task({ name: 'security', role: 'security', prompt: 'Wait..' }),
    ]
    const { session, results, names } = await sessionOf(spawns, roles({}, 'frontend'), 4)
    expect(names).toEqual(['lead', 'senior'])
    const all = results.join('\n')
    expect(all).toContain('A qa joins the team when step 8 begins')
    expect(all).toContain('The role "poet" has no place in the department frontend.')
    expect(all).toContain('The role "security" has no place in the department frontend.')
    await session.close()
  }) // C15, C16

  it('give their agents their model and no tool that they do not name', async () => {
    const changed = role('senior', 'tools: [read_file, bash]\nmodel: acme/careful')
    const spawns = [task({ name: 'ada', role: 'senior', agent_type: 'explore', model: 'acme/fast', prompt: 'Wait.' })]
    const { session, requests, asked } = await sessionOf(spawns, roles(changed), 4)
    const senior = requests.find(({ agent }) => agent === 'ada')
    expect(senior?.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['read_file', 'SendMessage']))
    for (const { name } of senior?.tools ?? []) expect(['write_file', 'edit_file', 'glob', 'grep']).not.toContain(name)
    expect(asked).toEqual(['acme/careful'])
    await session.close()
  })

  it('give the lead its model, and take tools from it that its file does not name', async () => {
    const { session, requests, asked } = await sessionOf(
      [],
      roles(role('lead', 'tools: [read_file]\nmodel: acme/wise')),
    )
    const names = requests[0]?.tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['read_file', 'TaskCreate', 'SendMessage']))
    expect(names).not.toContain('bash')
    expect(asked).toEqual(['acme/wise'])
    await session.close()
  })
})

describe('a one-shot of a role', () => {
  it('has the tools and the model of the role, and is in no roster while it works', async () => {
    const seen: string[][] = []
    const { model, requests } = composedModel(({ turns }) => {
      seen.push(roster(session.team.state).map(({ name }) => name))
      return JSON.stringify(turns).includes('is finished')
        ? { text: 'Done.' }
        : {
            text: 'It is finished',
            calls: [{ tool: 'TaskUpdate', id: 'u', input: { taskId: '1', status: 'completed', result: 'x' } }],
          }
    })
    const asked: string[] = []
    const modelFor = async (name: string) => {
      asked.push(name)
      return model
    }
    const scaling = [{ role: 'critic', cap: 1, mode: 'task' as const }]
    const rules = roles(role('critic', 'tools: [grep]\nmodel: acme/sharp'))
    const session = await openTestSession({ model, modelFor, scaling, roles: rules })
    await session.team.run({ type: 'task.add', tasks: [{ subject: 'Critique', role: 'critic' }] })
    await runToEnd(session, undefined, AbortSignal.timeout(30_000))
    expect(session.team.state.tasks.get('1')).toMatchObject({ status: 'completed' })
    expect(seen.flat()).not.toContain('critic-1')
    expect(requests[0]?.tools.map(({ name }) => name).sort()).toEqual(['TaskUpdate', 'grep'])
    expect(asked).toEqual(['acme/sharp'])
    await session.close()
  }) // C17
})
