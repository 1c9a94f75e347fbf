import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toolHarness } from '../../testing/harnesses/tool-harness.ts'
import { toolsForLead, toolsForSubagent } from '../registry.ts'
import { offer, runCall } from '../run-call.ts'
import { BUILT_IN } from './built-in-types.ts'
import { parseAgentType } from './parse-agent-type.ts'
import { readAgentTypes } from './read-agent-types.ts'
import type { SubagentRun } from './run-subagent.ts'
import { createTask, type TaskOptions } from './task.ts'

const settings = (changes: Partial<TaskOptions> = {}): TaskOptions => ({
  agentTypes: BUILT_IN,
  runSubagent: async ({ prompt }) => ({ text: `did: ${prompt}` }),
  ...changes,
})
const task = (input: object, context = toolHarness(), changes: Partial<TaskOptions> = {}) =>
  runCall([createTask(settings(changes))], { name: 'Task', input }, context)

describe('Task', () => {
  it('returns all text of the final answer, with the prompt as all the subagent knows', async () => {
    const plans: SubagentRun[] = []
    const runSubagent: TaskOptions['runSubagent'] = async (plan) => {
      plans.push(plan)
      return { text: 'first\nsecond' }
    }
    const input = { prompt: 'find it', description: 'look for it', agent_type: 'Explore', model: 'small' }
    expect(await task(input, toolHarness(), { runSubagent })).toEqual({ text: 'first\nsecond' })
    expect(plans).toEqual([{ type: BUILT_IN[0], description: 'look for it', prompt: 'find it', model: 'small' }])
    expect((await task({ prompt: 'x' }, toolHarness(), { runSubagent: async () => ({ text: ' ' }) })).text).toBe(
      '(subagent returned no text)',
    )
  }) // A16, A19, A22

  it('says when it did not finish, and why', async () => {
    const runSubagent = async () => ({ text: 'half of it', problem: 'it reached its limit of 30 turns' })
    expect(await task({ prompt: 'x' }, toolHarness(), { runSubagent })).toEqual({
      text: 'half of it\n[the subagent did not finish: it reached its limit of 30 turns]',
      isError: true,
    })
  }) // F37

  it('names the known agent types when a type is unknown', async () => {
    expect(await task({ prompt: 'x', agent_type: 'toString' })).toEqual({
      text: "Unknown agent type 'toString'. Known types: explore, plan, code.",
      isError: true,
    })
    expect((await task({ prompt: 'x', agent_type: 'general-purpose' })).isError).toBeUndefined()
  }) // A16, A18

  it('shows what the subagent is doing', async () => {
    let seconds = 100
    const context = toolHarness()
    const runSubagent: TaskOptions['runSubagent'] = async (_, _context, onToolCall) => {
      seconds += 1.25
      onToolCall()
      onToolCall()
      return { text: 'done' }
    }
    await task({ prompt: 'x', description: 'find the tests', agent_type: 'plan' }, context, {
      runSubagent,
      now: () => seconds,
    })
    expect(context.progressTexts).toEqual([
      '[plan] find the tests … 0 tools, 0.0 s',
      '[plan] find the tests … 1 tool, 1.3 s',
      '[plan] find the tests … 2 tools, 1.3 s',
      '[plan] find the tests - done (2 tools, 1.3 s)',
    ])
  }) // A21

  it('runs in the background as a job that ends once', async () => {
    const context = toolHarness()
    const runSubagent: TaskOptions['runSubagent'] = async ({ prompt }, { recordGroup }) => {
      await recordGroup({ pid: 7, started: 'now' })
      return { text: `did: ${prompt}` }
    }
    const { text } = await task({ prompt: 'x', run_in_background: true }, context, { runSubagent })
    expect(JSON.parse(text.split('\n')[0]!)).toEqual({ task_id: 'a000001', status: 'running' })
    const job = context.jobs.get('a000001')!
    await job.ended
    expect(job).toMatchObject({ state: 'completed', output: 'did: x', summary: 'did: x' })
    expect(context.ended).toEqual([job])
    expect(context.groups).toEqual([{ pid: 7, started: 'now', job: 'a000001' }])
  }) // A16, A52

  it('is stopped with its subagent, also in the background', async () => {
    const context = toolHarness()
    const waits: TaskOptions['runSubagent'] = (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    await task({ prompt: 'x', run_in_background: true }, context, { runSubagent: waits })
    await context.jobs.list()[0]!.stop()
    expect(context.jobs.list()[0]!.state).toBe('stopped')
    const running = task({ prompt: 'x' }, context, { runSubagent: waits })
    context.stop.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
  }) // F39, G9

  it('refuses teammate parameters without a name instead of starting a subagent', async () => {
    const spawn: TaskOptions['spawn'] = async ({ name, team_name, type }) => ({
      text: `${name} ${team_name} ${type?.name}`,
    })
    const half = await task({ prompt: 'x', team_name: 'web' }, toolHarness(), { spawn })
    expect(half).toMatchObject({ isError: true })
    expect(half.text).toContain('name: is needed with team_name')
    expect((await task({ prompt: 'x', role: 'tester' }, toolHarness(), { spawn })).text).toContain('name: is needed')
    expect((await task({ prompt: 'x', name: 'ada', run_in_background: false }, toolHarness(), { spawn })).isError).toBe(
      true,
    )
    const whole = { prompt: 'x', name: 'ada', team_name: 'web' }
    expect((await task({ ...whole, agent_type: 'plan' }, toolHarness(), { spawn })).text).toBe('ada web plan')
    expect((await task(whole, toolHarness(), { spawn })).text).toBe('ada web undefined')
    expect((await task(whole)).text).toContain('name: there are no teammates in this session')
    const simple = await task(whole, toolHarness(), { spawnedBy: 'spawn_teammate' })
    expect(simple).toMatchObject({ isError: true, text: expect.stringContaining('created with spawn_teammate') })
  }) // A17, F31

  it('offers teammate parameters only in a session with teams', () => {
    const fields = (changes: Partial<TaskOptions>) =>
      Object.keys(createTask(settings(changes)).schema.properties as object)
    expect(fields({})).toEqual(['prompt', 'description', 'agent_type', 'run_in_background', 'model'])
    expect(fields({ spawn: async () => ({ text: '' }) })).toContain('team_name')
  }) // F36
})

describe('tools by role', () => {
  it('match the roles of each tool, and no subagent can start another', () => {
    const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name).join(' ')
    expect(names(toolsForLead(settings()))).toBe(
      'bash read_file write_file edit_file glob grep Task TaskOutput TaskStop',
    )
    const [explore, plan, code] = BUILT_IN.map((type) => names(toolsForSubagent(type)))
    expect([explore, plan, code]).toEqual([
      'bash read_file glob grep',
      'bash read_file glob grep',
      'bash read_file write_file edit_file glob grep',
    ])
    expect(BUILT_IN.map(({ isReadOnly }) => isReadOnly)).toEqual([true, true, false])
  }) // A18, A19

  it('all accept the input that their schema describes', async () => {
    const context = toolHarness()
    writeFileSync(join(context.root, 'a.txt'), 'hello\n')
    const inputs: Record<string, object> = {
      bash: { command: 'echo hello' },
      read_file: { path: 'a.txt' },
      write_file: { path: 'b.txt', content: 'x' },
      edit_file: { path: 'a.txt', old_text: 'hello', new_text: 'bye' },
      glob: { pattern: '*' },
      grep: { pattern: 'hello' },
      Task: { prompt: 'x', run_in_background: true },
      TaskOutput: { task_id: 'a000001' },
      TaskStop: { task_id: 'a000001' },
    }
    const tools = toolsForLead(settings())
    for (const { name, description, schema } of offer(tools)) {
      expect([name, await runCall(tools, { name, input: inputs[name] }, context)]).toEqual([
        name,
        expect.not.objectContaining({ isError: true }),
      ])
      expect(description.length, name).toBeGreaterThan(50)
      const known = Object.keys(schema.properties as object)
      expect([schema.type, Object.keys(inputs[name]!).filter((key) => !known.includes(key))]).toEqual(['object', []])
    }
  }) // F36
})

describe('agent types of a project', () => {
  it('come from agents/ and .claude/agents/, also with tool names of other products', () => {
    const { root } = toolHarness()
    mkdirSync(join(root, 'agents'))
    mkdirSync(join(root, '.claude/agents'), { recursive: true })
    writeFileSync(
      join(root, 'agents/tester.md'),
      '---\nname: tester\ndescription: runs tests\ntools: Read, Bash\n---\nYou test.\n',
    )
    writeFileSync(
      join(root, '.claude/agents/writer.md'),
      '---\r\nname: writer\r\ndescription: "writes: docs"\r\ntools:\r\n  - Write\r\n  - Task\r\n  - WebFetch\r\nmodel: opus\r\n---\r\nYou write.',
    )
    writeFileSync(join(root, '.claude/agents/tester.md'), '---\nname: Tester\ndescription: again\n---\nx')
    writeFileSync(join(root, 'agents/explore.md'), '---\nname: explore\ndescription: mine\n---\nx')
    symlinkSync('/etc/hostname', join(root, 'agents/zz.md'))
    const { types, problems } = readAgentTypes(root)
    expect(types.slice(3)).toEqual([
      {
        name: 'tester',
        description: 'runs tests',
        prompt: 'You test.',
        tools: ['bash', 'read_file'],
        isReadOnly: true,
        model: undefined,
      },
      {
        name: 'writer',
        description: 'writes: docs',
        prompt: 'You write.',
        tools: ['write_file'],
        isReadOnly: false,
        model: 'opus',
      },
    ])
    expect(problems).toEqual([
      'agents/explore.md: there is an agent type explore already. Give this one another name.',
      'agents/zz.md: it cannot be read as a file of this project.',
      '.claude/agents/tester.md: there is an agent type tester already. Give this one another name.',
      '.claude/agents/writer.md: no subagent has the tools Task, WebFetch; it works without them.',
    ])
    expect(readAgentTypes(toolHarness().root)).toEqual({ types: BUILT_IN, problems: [] })
  })

  it('are data: nothing in them is executed, and what is broken is named', () => {
    const problem = (text: string) => parseAgentType(text).problems.join()
    expect(problem('just text')).toContain('does not begin with YAML')
    expect(problem('---js\nprocess.exit(7)\n---\nx')).toContain('does not begin with YAML')
    expect(problem('---\nname: x\n---\nx')).toContain('description:')
    expect(problem('---\nname: ../x\ndescription: d\n---\nx')).toContain('is not a name')
    expect(problem('---\nname: x\ndescription: d\n---\n')).toContain('no prompt')
    expect(problem('---\n: [\n---\nx')).toContain('YAML:')
    expect(problem('---\nname: !!js/function "x"\ndescription: d\n---\nx')).toBe('')
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((c, i) => `${c}: &${c} [${`*${'abcdefgh'[i]},`.repeat(9)}]`).join('\n')}`
    expect(problem(`---\n${bomb}\n---\nx`)).toContain('YAML:')
  })
})
