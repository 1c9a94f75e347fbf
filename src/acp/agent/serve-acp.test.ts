import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { methods, type RequestPermissionRequest } from '@agentclientprotocol/sdk'
import { afterEach, describe, expect, it } from 'vitest'
import { begin, closeEditors, editor, prompt, say, select } from '../../testing/harnesses/acp-editor.ts'
import { type Compose, neverAnswers } from '../../testing/harnesses/composed-model.ts'
import { until } from '../../testing/harnesses/control-contract.ts'

afterEach(closeEditors)

const bash = (command: string) => ({ calls: [{ tool: 'bash', input: { command } }] })
/** Calls this command for the first input, then answers. */
const runs =
  (command: string): Compose =>
  ({ turns }) =>
    turns.at(-1)?.role === 'user' ? bash(command) : { text: 'Ran.' }

describe('an editor that speaks the Agent Client Protocol', () => {
  it('gets the words of the lead as they stream, and the end of the turn when all agents are finished', async () => {
    const { agent, root, texts } = editor(() => ({ text: 'So it is.' }))
    const initialized = await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
    expect(initialized).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'deskmates', version: '1.2.3' },
      agentCapabilities: { loadSession: true },
    })
    const { sessionId, modes } = await agent.request(methods.agent.session.new, { cwd: root, mcpServers: [] })
    expect(modes).toMatchObject({ currentModeId: 'default' })
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(['default', 'acceptEdits', 'plan', 'dontAsk'])
    const { stopReason } = await prompt(agent, sessionId, 'Is it so?')
    expect(stopReason).toBe('end_turn')
    expect(texts('agent_message_chunk')).toBe('So it is.')
  })

  it('sees a tool call with its command, is asked for it, and sees its result', async () => {
    const { agent, root, asked, of } = editor(runs('echo hello > file'))
    const sessionId = await begin(agent, root)
    await prompt(agent, sessionId, 'Run it.')
    expect(asked).toMatchObject([
      {
        sessionId,
        toolCall: { title: 'bash echo hello > file', kind: 'execute', status: 'pending' },
        options: [{ kind: 'allow_once' }, { kind: 'allow_always' }, { kind: 'reject_once' }],
      },
    ])
    const [call] = of('tool_call')
    expect(call).toMatchObject({ title: 'bash echo hello > file', kind: 'execute', status: 'in_progress' })
    expect(call!.toolCallId).toBe(asked[0]!.toolCall.toolCallId)
    expect(of('tool_call_update').at(-1)).toMatchObject({ toolCallId: call!.toolCallId, status: 'completed' })
  })

  it('denies a call, and the model learns it', async () => {
    const { agent, root, requests, of } = editor(runs('echo hello > file'), () => select('reject_once'))
    const sessionId = await begin(agent, root)
    await prompt(agent, sessionId, 'Run it.')
    expect(of('tool_call_update').at(-1)).toMatchObject({ status: 'failed' })
    expect(JSON.stringify(requests.at(-1)!.turns.at(-1))).toMatch(/denied/i)
  })

  it('is not asked again for what it allowed for the session', async () => {
    const { agent, root, asked } = editor(runs('touch file'), ({ options }) =>
      select(options.find(({ kind }) => kind === 'allow_always')!.optionId),
    )
    const sessionId = await begin(agent, root)
    await prompt(agent, sessionId, 'Run it.')
    await prompt(agent, sessionId, 'Run it again.')
    expect(asked).toHaveLength(1)
  })

  it('gets a change of a file as a diff with an absolute path', async () => {
    const { agent, root, asked } = editor(({ turns }) => {
      const results = turns.filter(({ role }) => role === 'tool').length
      if (results === 0) return { calls: [{ tool: 'read_file', input: { path: 'a.txt' } }] }
      if (results === 1)
        return { calls: [{ tool: 'edit_file', input: { path: 'a.txt', old_text: 'one', new_text: 'two' } }] }
      return { text: 'Changed.' }
    })
    writeFileSync(join(root, 'a.txt'), 'one\n')
    const sessionId = await begin(agent, root)
    await prompt(agent, sessionId, 'Change it.')
    const path = join(root, 'a.txt')
    expect(asked[0]!.toolCall.content?.[0]).toEqual({ type: 'diff', path, oldText: 'one', newText: 'two' })
    expect(asked[0]!.toolCall.locations).toEqual([{ path }])
  })

  it('cancels a turn: the lead is interrupted, the prompt ends as cancelled, and the next one works', async () => {
    let isSilent = true
    const { agent, root, requests } = editor((request, signal) =>
      isSilent ? neverAnswers(request, signal) : { text: 'Here.' },
    )
    const sessionId = await begin(agent, root)
    const turn = prompt(agent, sessionId, 'Think for long.')
    await until(() => requests.length === 1)
    await agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await turn).toEqual({ stopReason: 'cancelled' })
    isSilent = false
    const next = await prompt(agent, sessionId, 'And now?')
    expect(next.stopReason).toBe('end_turn')
  })

  it('cancels the work of teammates too', async () => {
    const { agent, root, requests } = editor((request, signal) => {
      if (request.agent !== 'lead') return neverAnswers(request, signal)
      return request.turns.at(-1)?.role === 'user'
        ? { calls: [{ tool: 'Task', input: { name: 'ada', role: 'coder', prompt: 'Dig.' } }] }
        : { text: 'ada digs.' }
    })
    const sessionId = await begin(agent, root)
    const turn = prompt(agent, sessionId, 'Let ada dig.')
    await until(() => requests.some(({ agent }) => agent === 'ada'))
    await agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await turn).toEqual({ stopReason: 'cancelled' })
  })

  it('sees the board as a plan, and what a teammate says and does with its name', async () => {
    const { agent, root, of, texts } = editor(
      ({ agent, turns }) => {
        const results = turns.filter(({ role }) => role === 'tool').length
        if (agent === 'ada')
          return results === 0
            ? { calls: [{ tool: 'TaskUpdate', input: { taskId: '1', status: 'completed', result: 'dug' } }] }
            : { text: 'I dug.' }
        if (results === 0) return { calls: [{ tool: 'TaskCreate', input: { subject: 'dig', description: 'a hole' } }] }
        if (results === 1)
          return { calls: [{ tool: 'Task', input: { name: 'ada', role: 'coder', prompt: 'Dig.', task_id: '1' } }] }
        return { text: 'Done.' }
      },
      undefined,
      { permissions: { mode: 'bypassPermissions' } },
    )
    const sessionId = await begin(agent, root)
    await prompt(agent, sessionId, 'Dig.')
    const plans = of('plan').map(({ entries }) => entries.map(({ content, status }) => `${content} ${status}`))
    expect(plans[0]).toEqual(['#1 dig pending'])
    expect(plans).toContainEqual(['#1 dig (ada) in_progress'])
    expect(plans.at(-1)).toEqual(['#1 dig (ada) completed'])
    expect(texts('agent_message_chunk')).toContain('**ada**: I dug.')
    const own = of('tool_call').find(({ title }) => title.startsWith('ada: TaskUpdate'))
    expect(own).toMatchObject({ _meta: { deskmates: { agent: 'ada' } } })
    expect(own!.toolCallId).toMatch(/^ada:/)
  })

  it('takes a question back that was answered elsewhere', async () => {
    let onAsked = (_: RequestPermissionRequest) => {}
    const asking = new Promise<RequestPermissionRequest>((resolve) => {
      onAsked = resolve
    })
    const { agent, root } = editor(runs('echo hello > file'), (request) => {
      onAsked(request)
      return new Promise(() => {})
    })
    const sessionId = await begin(agent, root)
    const turn = prompt(agent, sessionId, 'Run it.')
    await asking
    await agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await turn).toEqual({ stopReason: 'cancelled' })
  })

  it('loads a session and gets its conversation again', async () => {
    const first = editor(() => ({ text: 'So it is.' }))
    const sessionId = await begin(first.agent, first.root)
    await prompt(first.agent, sessionId, 'Is it so?')
    await first.agent.request(methods.agent.session.close, { sessionId })
    first.updates.length = 0
    const loaded = await first.agent.request(methods.agent.session.load, { sessionId, cwd: first.root, mcpServers: [] })
    expect(loaded).toMatchObject({ modes: { currentModeId: 'default' } })
    expect(first.texts('user_message_chunk')).toContain('Is it so?')
    expect(first.texts('agent_message_chunk')).toBe('So it is.')
    await prompt(first.agent, sessionId, 'Still?')
    expect(JSON.stringify(first.requests.at(-1)!.turns)).toContain('Is it so?')
  })

  it('changes the mode, and cannot reach bypassPermissions', async () => {
    const { agent, root, of } = editor(() => ({ text: 'Here.' }))
    const sessionId = await begin(agent, root)
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: 'plan' })
    await until(() => of('current_mode_update').at(-1)?.currentModeId === 'plan')
    for (const modeId of ['bypassPermissions', 'unknown'])
      await expect(agent.request(methods.agent.session.setMode, { sessionId, modeId })).rejects.toThrow(/mode/i)
    expect(of('current_mode_update').at(-1)).toMatchObject({ currentModeId: 'plan' })
  })

  it('is told in words what went wrong, and the next prompt works', async () => {
    let isDown = true
    const { agent, root } = editor(() => {
      if (isDown) throw new Error('The provider is down.')
      return { text: 'Here.' }
    })
    const sessionId = await begin(agent, root)
    const failed = prompt(agent, sessionId, 'Go.')
    await expect(failed).rejects.toThrow(/The provider is down/)
    isDown = false
    const next = await prompt(agent, sessionId, 'And now?')
    expect(next.stopReason).toBe('end_turn')
    const unknown = agent.request(methods.agent.session.prompt, { sessionId: randomUUID(), prompt: say('Go.') })
    await expect(unknown).rejects.toThrow(/No session .* is open/)
  })

  it('gets the end of a prompt after its answer, although other lines come before it is read', async () => {
    const { agent, root, texts } = editor(() => ({ text: 'So it is.' }))
    const sessionId = await begin(agent, root)
    const turn = prompt(agent, sessionId, 'Is it so?')
    const mode = agent.request(methods.agent.session.setMode, { sessionId, modeId: 'plan' })
    await turn
    expect(texts('agent_message_chunk')).toBe('So it is.')
    await mode
  })

  it('lists the sessions of a folder', async () => {
    const { agent, root } = editor(() => ({ text: 'Here.' }))
    await begin(agent, root)
    const { sessions } = await agent.request(methods.agent.session.list, { cwd: root })
    expect(sessions).toEqual([{ sessionId: 's-1', cwd: root, title: 'Count the words' }])
  })

  it('gets no update of a new session before it has its id', async () => {
    const { agent, root, received } = editor(() => ({ text: 'Here.' }))
    const sessionId = await begin(agent, root)
    await prompt(agent, sessionId, 'Go.')
    const known = received().indexOf('"result":{"sessionId"')
    expect(known).toBeGreaterThan(0)
    expect(received().indexOf('session/update')).toBeGreaterThan(known)
  })
})
