import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness, stderrWithoutSandboxWarning } from '../../../test/cli/command-harness.ts'
import type { Script } from '../../models/scripted/script.ts'
import { isGroupAlive } from '../../permissions/processes/process-group.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

function script(parts: Script['parts'], more: Partial<Script> = {}): string {
  const path = join(cli.dir, '..', `script-${readdirSync(join(cli.dir, '..')).length}.json`)
  writeFileSync(path, JSON.stringify({ parts, ...more }))
  return `scripted:${path}`
}

const hello = () => script([{ times: 'always', text: 'hello' }])
const sessions = () => readdirSync(join(cli.dir, '.teams')).filter((name) => name.startsWith('s-'))

describe('deskmates -p', () => {
  it('answers on stdout and makes a session that -c and -r go on with', async () => {
    const model = script([
      { when: { answer: 1 }, text: 'I shall remember.' },
      { when: { answer: 2, user: 'what was it', conversation: 'the word is fig' }, text: 'fig' },
      { when: { answer: 3, conversation: 'the word is fig' }, text: 'still fig' },
    ])
    expect(await cli.ok(['-p', 'the word is fig', '-m', model])).toBe('I shall remember.\n')
    const [id = ''] = sessions()
    expect(await cli.ok(['-c', '-p', 'what was it?', '-m', model])).toBe('fig\n')
    expect(await cli.ok(['-r', id.toUpperCase(), '-p', 'and now?', '-m', model])).toBe('still fig\n')
    expect(sessions()).toEqual([id])
    expect(await cli.ok(['log', '--team', id, '--grep', 'what was it'])).toContain('what was it?')
  })

  it('runs in an existing team named by --team or the environment, and creates only the default one', async () => {
    const model = hello()
    const typo = await cli.run(['-p', 'hi', '-m', model, '--team', 'typo'])
    expect([typo.code, typo.stderr]).toEqual([1, expect.stringContaining('Make it with: deskmates team create typo')])
    const env = { ...cli.env, DESKMATES_TEAM: 'web' }
    expect(await cli.refused(['-p', 'hi', '-m', model], { env })).toBe('unknown_team')
    expect(existsSync(join(cli.dir, '.teams'))).toBe(false)

    await cli.ok('team create web')
    await cli.ok(['-p', 'the word is fig', '-m', model], { env })
    expect(await cli.ok(['log', '--team', 'web', '--grep', 'fig'])).toContain('the word is fig')
    expect(sessions()).toEqual([])
    await cli.ok(['-p', 'the word is plum', '-m', model, '--team', 'default'], { env })
    expect(await cli.ok(['log', '--grep', 'plum'])).toContain('the word is plum')
    await cli.ok(['-r', 'default', '-p', 'the word is pear', '-m', model], { env })
    expect(await cli.ok(['log', '--grep', 'pear'])).toContain('the word is pear')
  })

  it('takes the prompt from either place and puts what is piped behind it', async () => {
    const model = hello()
    const piped = async function* () {
      yield 'the diff\n'
    }
    const asked = async (words: string[]) => {
      const { stdout } = await cli.run(['-m', model, '--output-format', 'stream-json', ...words], { stdin: piped() })
      return stdout.split('\n').map((line) => line && JSON.parse(line))[1].message.content[0].text
    }
    expect(await asked(['-p', 'review this'])).toBe('review this\n\nthe diff')
    expect(await asked(['-p', '--', 'review that'])).toBe('review that\n\nthe diff')
    expect(await asked(['-p'])).toBe('the diff')
  })

  it.each([
    [['-p']],
    [['-c']],
    [['-p', 'a', 'b']],
    [['-p', 'a', '--output-format', 'xml']],
    [['-p', 'a', '--max-turns', '0']],
    [['-p', 'a', '--max-budget-usd', 'lots']],
    [['-p', 'a', '--permission-mode', 'yolo']],
    [['-p', 'a', '--allowedTools', 'bash(']],
    [['-p', 'a', '--add-dir', 'missing']],
    [['-p', 'a', '-c', '-r', 'x']],
    [['-p', 'a', '-r', '../x']],
    [['-p', 'a', '--bogus']],
    [['-p', 'a', '--command-id', 'once']],
    [['-p', 'a', '--json', '--output-format', 'text']],
  ])('says with exit 2 what is wrong with %j', async (words) => {
    const { code, stdout, stderr } = await cli.run([...words, '-m', hello()])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^(deskmates: |\{"error")/)
    expect(existsSync(join(cli.dir, '.teams'))).toBe(false)
  })

  it('says exactly what to set when there is no model and no key, and what works without one', async () => {
    const { code, stderr } = await cli.run(['-p', 'hi'])
    expect(code).toBe(1)
    for (const word of ['-m provider/model', 'ANTHROPIC_API_KEY', 'ollama', 'scripted:FILE', 'deskmates demo'])
      expect(stderr).toContain(word)
  }) // D1

  it('takes no key from a file that came with the project', async () => {
    writeFileSync(join(cli.dir, '.env'), 'ANTHROPIC_API_KEY=sk-1\nOPENAI_API_KEY=sk-2\nMODEL_ID=openai/x\n')
    const { code, stderr } = await cli.run(['-p', 'hi'])
    expect(code).toBe(1)
    expect(stderr).toContain('no key is set')
  }) // A14

  it('refuses a budget for a model without a known price, and says how to add one', async () => {
    const env = { ...cli.env, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }
    const words = ['-p', 'hi', '-m', 'compatible/own', '--max-budget-usd', '1']
    const { code, stderr } = await cli.run(words, { env })
    expect(code).toBe(2)
    expect(stderr).toContain('settings.json: {"prices":{"compatible/own":{"input":3,"output":15}}}')
    expect(existsSync(join(cli.dir, '.teams'))).toBe(false)
  })

  it('says before the first real call which model, what it costs and what it may cost', async () => {
    const env = { ...cli.env, ANTHROPIC_API_KEY: 'x', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }
    const words = ['-p', 'hi', '-m', 'anthropic/claude-sonnet-4-5', '--max-budget-usd', '2', '--max-turns', '1']
    const stop = new AbortController()
    stop.abort()
    const { stderr, code } = await cli.run(words, { env, signal: stop.signal })
    expect(stderr).toContain('anthropic/claude-sonnet-4-5: $3 in and $15 out per million tokens; budget $2')
    expect(code).toBe(130)
  })

  it('leaves a session that can go on when it is interrupted, and says how', async () => {
    const stop = new AbortController()
    const model = script([
      { when: { answer: 1 }, calls: [{ tool: 'bash', input: { command: 'echo begun > begun; sleep 600' } }] },
      { when: { result: 'Interrupted' }, text: 'I was interrupted.' },
    ])
    const words = ['-p', 'sleep', '-m', model, '--permission-mode', 'bypassPermissions', '--output-format', 'json']
    const env = { ...cli.env, PATH: process.env.PATH }
    const running = cli.run(words, { signal: stop.signal, env })
    while (!existsSync(join(cli.dir, 'begun'))) await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort(new Error('Ctrl-C'))
    const { code, stdout } = await running
    expect(code).toBe(130)
    const { subtype, is_error, errors } = JSON.parse(stdout)
    expect({ subtype, is_error }).toEqual({ subtype: 'error_interrupted', is_error: true })
    expect(errors.join()).toContain(`deskmates -r ${sessions()[0]} -m ${model} -p 'go on'`)
    expect(await cli.ok(['-c', '-p', '-m', model])).toBe('I was interrupted.\n')
  }) // F38

  it('stops, with every process it started, when the reader of its output is gone', async () => {
    const model = script([{ calls: [{ tool: 'bash', input: { command: 'echo $$ > pid; sleep 600' } }] }])
    const words = ['-p', 'x', '-m', model, '--permission-mode', 'bypassPermissions', '--output-format', 'stream-json']
    const pid = () => (existsSync(join(cli.dir, 'pid')) ? Number(readFileSync(join(cli.dir, 'pid'), 'utf8')) : 0)
    const closed = {
      async write(text: string, done: (error?: Error | null) => void) {
        if (!text.includes('"tool_use"')) return done()
        while (pid() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
      },
    }
    const { code, stderr } = await cli.run(words, { stdout: closed, env: { ...cli.env, PATH: process.env.PATH } })
    expect(code).toBe(1)
    expect(stderr).toContain(`The run was stopped. Nothing is lost; resume it with: deskmates -r ${sessions()[0]}`)
    expect(isGroupAlive(pid())).toBe(false)
  }) // F38

  it('talks about what happens only to a terminal, or where it is asked to', async () => {
    const parts: Script['parts'] = [
      { calls: [{ tool: 'glob', input: { pattern: '*.md' } }] },
      { when: { result: { tool: 'glob' } }, text: 'none' },
    ]
    expect(stderrWithoutSandboxWarning(await cli.run(['-p', 'x', '-m', script(parts)]))).toBe('')
    expect(stderrWithoutSandboxWarning(await cli.run(['-p', 'x', '-m', script(parts), '--verbose']))).toBe(
      'glob *.md\n',
    )
    const stream = ['-p', 'x', '--output-format', 'stream-json', '-m']
    expect(stderrWithoutSandboxWarning(await cli.run([...stream, script(parts), '--verbose']))).toBe('glob *.md\n')
    expect(stderrWithoutSandboxWarning(await cli.run([...stream, script(parts)], { isStderrTerminal: true }))).toBe('')
    const inputs = await cli.run(['-p', 'x', '-m', script(parts)], { isStderrTerminal: true })
    expect([inputs.stdout, stderrWithoutSandboxWarning(inputs)]).toEqual(['none\n', 'glob *.md\n'])
  })

  it('tells each call in one short line, with what Task sends out', async () => {
    const parts: Script['parts'] = [
      {
        agent: 'lead',
        when: { answer: 1 },
        calls: [
          { tool: 'Task', input: { name: 'ada', prompt: `Look.\n${'far '.repeat(100)}` } },
          { tool: 'Task', input: { prompt: 'count', run_in_background: true } },
        ],
      },
      { times: 'always', text: 'Well.' },
    ]
    const lines = stderrWithoutSandboxWarning(await cli.run(['-p', 'x', '-m', script(parts), '--verbose'])).split('\n')
    expect(lines).toContain('Task(bg) count')
    const spawned = lines.find((line) => line.startsWith('Task(teammate:ada) Look. far far'))
    expect(spawned).toMatch(/…$/)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(200)
  }) // A87

  it('obeys the settings, and the command line more', async () => {
    mkdirSync(join(cli.env.HOME!, '.config', 'deskmates'), { recursive: true })
    const user = join(cli.env.HOME!, '.config', 'deskmates', 'settings.json')
    const settings = { model: hello(), permissions: { deny: ['bash'] }, providers: { own: { key: 'secret' } } }
    writeFileSync(user, `// mine\n${JSON.stringify(settings)}`)
    expect(await cli.ok(['-p', 'x'])).toBe('hello\n')
    const other = script([{ text: 'the other one' }])
    expect(await cli.ok(['-p', 'x', '-m', other])).toBe('the other one\n')
    const { stdout } = await cli.run(['-p', 'x', '--output-format', 'stream-json'])
    expect(JSON.parse(stdout.split('\n')[0]!).tools).not.toContain('bash')
    expect(await cli.json('config list')).toEqual([
      { key: 'model', value: settings.model, source: 'user', path: user },
      { key: 'permissions.deny', value: ['bash'], source: 'user', path: user },
      { key: 'providers.own.key', value: '(hidden)', source: 'user', path: user },
    ])
    expect(await cli.ok('config list')).not.toContain('secret')
    writeFileSync(user, '{"model": }')
    const broken = await cli.run(['-p', 'x', '-m', other])
    expect(broken.code).toBe(1)
    expect(broken.stderr).toContain(`${user}:1:11: this is not JSON`)
  })

  it('shows no command a variable that the settings name as a key', async () => {
    mkdirSync(join(cli.env.HOME!, '.config', 'deskmates'), { recursive: true })
    const settings = { providers: { corp: { baseUrl: 'http://127.0.0.1:9', keyFrom: 'CORP_ENTRY' } } }
    writeFileSync(join(cli.env.HOME!, '.config', 'deskmates', 'settings.json'), JSON.stringify(settings))
    const model = script([
      { calls: [{ tool: 'bash', input: { command: 'env' } }] },
      { when: { result: 'SHOWN=yes' }, text: 'seen' },
    ])
    const env = { ...cli.env, PATH: process.env.PATH, CORP_ENTRY: 'open-for-me', SHOWN: 'yes' }
    const { stdout } = await cli.run(
      ['-p', 'x', '-m', model, '--allowedTools', 'bash', '--sandbox', 'off', '--output-format', 'stream-json'],
      { env },
    )
    expect(stdout).toContain('"result":"seen"')
    // Its name does not say that it is a secret: only the settings do.
    expect(stdout).not.toContain('CORP_ENTRY')
  })

  it('asks for trust before a project says who is asked and what is allowed', async () => {
    mkdirSync(join(cli.dir, '.deskmates'))
    const settings = { model: hello(), permissions: { mode: 'bypassPermissions' } }
    writeFileSync(join(cli.dir, '.deskmates', 'settings.json'), JSON.stringify(settings))
    const held = await cli.run(['-p', 'x', '-m', hello(), '--output-format', 'stream-json'])
    expect(held.stderr).toContain('model, permissions.mode has no effect until you trust this folder: deskmates trust')
    expect(JSON.parse(held.stdout.split('\n')[0]!).permissionMode).toBe('default')
    await cli.ok('trust')
    const trusted = await cli.run(['-p', 'x', '--output-format', 'stream-json'])
    expect(JSON.parse(trusted.stdout.split('\n')[0]!).permissionMode).toBe('bypassPermissions')
  })

  it('plays a recorded run again without the model', async () => {
    writeFileSync(join(cli.dir, 'notes.md'), 'a word\n')
    const recording = join(cli.dir, '..', 'run.jsonl')
    const model = script([
      { calls: [{ tool: 'read_file', input: { path: 'notes.md' } }] },
      { when: { result: 'a word' }, text: 'It says: a word.' },
    ])
    const first = await cli.ok(['-p', 'read it', '-m', model, '--record', recording])
    expect(await cli.ok(['-p', 'read it', '-m', `replay:${recording}`])).toBe(first)
    const other = await cli.run(['-p', 'read something else', '-m', `replay:${recording}`])
    expect(other.code).toBe(1)
    expect(other.stderr).toContain('read something else')
    expect(readFileSync(recording, 'utf8')).not.toContain(cli.dir)
  })

  it('calls no model while it replays a recording, not even for an agent with its own model', async () => {
    const recording = join(cli.dir, '..', 'run.jsonl')
    const model = script([
      { agent: 'lead', calls: [{ tool: 'Task', input: { prompt: 'find it' } }] },
      { agent: 'lead/code-1', text: 'It is here.' },
      { agent: 'lead', when: { result: 'It is here.' }, text: 'Found.' },
    ])
    await cli.ok(['-p', 'go', '-m', model, '--record', recording])
    const text = readFileSync(recording, 'utf8')
    writeFileSync(recording, text.replaceAll('"prompt":"find it"', '"prompt":"find it","model":"openai/gpt-5"'))
    expect(await cli.ok(['-p', 'go', '-m', `replay:${recording}`])).toBe('Found.\n')
  })

  it('is not for agents, who have tools of their own', async () => {
    const env = { ...cli.env, DESKMATES_AGENT: 'lead' }
    expect(await cli.refused(['-p', 'x', '-m', hello()], { env })).toBe('agents_use_tools')
  })

  it('has help with an example, named by the general help', async () => {
    expect(await cli.ok('-p --help')).toContain("$ deskmates 'why does the build fail?'")
    expect(await cli.ok('--help')).toContain('deskmates -p')
  })

  it('shows one spelling of an option that has two, so that its help fits, and takes both', async () => {
    for (const words of ['-p --help', 'resume --help']) {
      const help = await cli.ok(words)
      expect(help).toMatch(/^ {2}--disallowedTools <rules> {3,12}denied even if another rule allows it$/m)
      expect(help).not.toContain('--disallowed-tools')
    }
    const model = script([{ times: 'always', text: 'hello' }])
    const words = ['-p', 'x', '-m', model, '--output-format', 'stream-json']
    const both = ['--disallowed-tools', 'bash', '--disallowedTools', 'grep']
    const { tools } = JSON.parse((await cli.ok([...words, ...both])).split('\n')[0]!)
    expect(tools).toContain('glob')
    expect(tools).not.toContain('bash')
    expect(tools).not.toContain('grep')
  })
})

describe('an agent file that names a model by its family', () => {
  const agentFile = (name: string, front: string) => {
    const folder = join(cli.env.HOME ?? '', '.claude', 'agents')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${name}.md`), `---\nname: ${name}\ndescription: d\n${front}\n---\nYou help.\n`)
  }
  const sends = (type: string) => [
    { agent: 'lead', when: { answer: 1 }, calls: [{ tool: 'Task', input: { prompt: 'help', agent_type: type } }] },
    { agent: `lead/${type}-1`, times: 'always' as const, text: 'helped' },
    { when: { result: { tool: 'Task', text: 'helped' } }, text: 'it helped' },
  ]

  it.each(['sonnet', 'opus', 'gpt', 'inherit'])(
    'works without a key for it, on the model of the session: %s',
    async (model) => {
      agentFile('helper', `model: ${model}`)
      const { code, stdout, stderr } = await cli.run(['-p', 'get help', '-m', script(sends('helper'))])
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'it helped\n' })
      if (model !== 'inherit')
        expect(stderr).toMatch(/There is no key for \w+\/[\w.-]+ \(\w+\); using scripted:.* instead/)
    },
  ) // T38

  it('stops after maxTurns', async () => {
    agentFile('helper', 'maxTurns: 2')
    const model = script([
      {
        agent: 'lead',
        when: { answer: 1 },
        calls: [{ tool: 'Task', input: { prompt: 'help', agent_type: 'helper' } }],
      },
      { agent: 'lead/helper-1', times: 'always', calls: [{ tool: 'glob', input: { pattern: '*' } }] },
      { when: { result: { tool: 'Task', text: 'it used the 2 turns' } }, text: 'it gave up' },
    ])
    expect((await cli.run(['-p', 'get help', '-m', model])).stdout).toBe('it gave up\n')
  }) // T38
})

describe('a provider that fails', () => {
  const failing = (fault: string, times: number) =>
    script([
      { times, error: { fault: fault as never, message: `the ${fault} is the reason` } },
      { times: 'always', text: 'there again' },
    ])

  it('is named once in a pipe until it answers, with the attempts and the time until the run gives up', async () => {
    const { code, stdout, stderr } = await cli.run(['-p', 'hi', '-m', failing('network', 2)])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'there again\n' })
    const lines = stderr.split('\n').filter((line) => line.includes('the network is the reason'))
    expect(lines).toEqual([expect.stringMatching(/Retrying \(1 of 6 attempts failed; .* in about 31 s\)\.$/)])
    const json = await cli.run(['-p', 'hi', '-m', failing('network', 1), '--json'])
    expect(JSON.parse(stderrWithoutSandboxWarning(json).trim()).warning.message).toContain('Retrying')
  }) // T40

  it('for want of credit ends the run at once', async () => {
    const { code, stderr } = await cli.run(['-p', 'hi', '-m', failing('billing', 1)])
    expect([code, stderr]).toEqual([1, expect.stringContaining('the billing is the reason')])
    expect(stderr).not.toContain('Retrying')
  }) // T40
})
