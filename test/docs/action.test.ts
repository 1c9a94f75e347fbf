import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
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
import { text } from 'node:stream/consumers'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { buildCli } from '../demo/demo-process.ts'
import { openLocalRegistry } from './local-registry.ts'
import { project, readPage } from './page.ts'

interface Step {
  readonly run: string
  readonly shell: string
  readonly env: Readonly<Record<string, string>>
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly Step[] }
}
const action: Action = parse(readFileSync(join(project, 'action.yml'), 'utf8'))
const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
const commands = readPage('docs/commands.md').text

let dir: string
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-action-')))
  mkdirSync(join(dir, 'bin'))
})
afterEach(() => rmSync(dir, { recursive: true }))

/** The step with the values of its inputs, as GitHub starts it. */
function stepWith(inputs: Record<string, string>) {
  const [step] = action.runs.steps
  const env = Object.entries(step!.env).map(([name, value]) => {
    const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1] ?? ''
    return [name, inputs[input] ?? action.inputs[input]?.default ?? '']
  })
  writeFileSync(join(dir, 'output'), '')
  return {
    args: ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step!.run],
    env: { ...Object.fromEntries(env), GITHUB_OUTPUT: join(dir, 'output'), TMPDIR: dir } as Record<string, string>,
  }
}

/** Runs the step as GitHub does, with an `npx` that writes down what it was given, prints `answer` and exits with `code`. */
function run(inputs: Record<string, string>, { answer = 'done', code = 0 } = {}) {
  const stub = `#!/bin/bash\nprintf '%s\\0' "$@" > '${dir}/arguments'\ncat > '${dir}/stdin'\ncat '${dir}/answer'\nexit ${code}\n`
  writeFileSync(join(dir, 'bin', 'npx'), stub)
  chmodSync(join(dir, 'bin', 'npx'), 0o755)
  writeFileSync(join(dir, 'answer'), answer)
  const { args, env } = stepWith(inputs)
  const ended = spawnSync('bash', args, {
    cwd: dir,
    encoding: 'utf8',
    env: { ...env, PATH: `${join(dir, 'bin')}:${process.env.PATH}` },
  })
  const read = (name: string) => (existsSync(join(dir, name)) ? readFileSync(join(dir, name), 'utf8') : undefined)
  return {
    ...ended,
    arguments: read('arguments')?.split('\0').slice(0, -1),
    prompt: read('stdin'),
    output: read('output') ?? '',
  }
}

/** As GitHub reads the file of outputs. */
function outputsOf(text: string): Record<string, string> {
  const outputs: Record<string, string> = {}
  const lines = text.split('\n')
  for (let i = 0; i < lines.length; i++) {
    const [, name, end] = /^([\w-]+)<<(.+)$/.exec(lines[i]!) ?? []
    const [, single, value] = /^([\w-]+)=(.*)$/.exec(lines[i]!) ?? []
    if (name !== undefined) {
      const from = i + 1
      while (i < lines.length && lines[i] !== end) i++
      outputs[name] = lines.slice(from, i).join('\n')
    } else if (single !== undefined) outputs[single] = value ?? ''
  }
  return outputs
}

const HOSTILE = [
  '\'; touch pwned; echo "$(touch pwned)`touch pwned`"',
  '$' + '{{ github.token }} --help',
  '-p',
  'end',
  '',
].join('\n')

describe('the GitHub Action', () => {
  it('puts no expression into a script: inputs are variables', () => {
    expect(action.runs.using).toBe('composite')
    for (const { run, shell, env } of action.runs.steps) {
      expect(run).not.toContain('${{')
      expect(shell).toBe('bash')
      for (const value of Object.values(env)) expect(value).toMatch(/^\$\{\{ inputs\.[\w-]+ \}\}$/)
    }
    const used = action.runs.steps.flatMap(({ env }) => Object.values(env)).join()
    const unused = Object.keys(action.inputs).filter((name) => !used.includes(`inputs.${name} `))
    expect(unused).toEqual(['working-directory'])
    expect(Object.keys(action.inputs).filter((name) => /key|token|secret/i.test(name))).toEqual([])
  })

  it('uses the published command in the version of this repository, and options that it has', () => {
    expect(action.inputs.version?.default).toBe(version)
    const [step] = action.runs.steps
    const options = [...step!.run.matchAll(/"(--[\w-]+)=/g)].map(([, option]) => option)
    expect(options).toHaveLength(7)
    for (const option of options)
      expect(commands).toMatch(new RegExp(`\`[^\`]*${option === '--model' ? '-m MODEL' : option}\\b`))
  })

  it('passes the inputs on, and the answer and exit code back', () => {
    const {
      arguments: given,
      prompt,
      status,
      stdout,
      output,
    } = run(
      {
        prompt: 'fix it',
        model: 'a/b',
        'max-budget-usd': '2',
        'permission-mode': 'acceptEdits',
        'output-format': 'json',
      },
      { answer: '{"result":"ok"}\n', code: 4 },
    )
    expect(given).toEqual([
      ...['--yes', `deskmates@${version}`, '-p', '--output-format=json', '--permission-mode=acceptEdits'],
      ...['--model=a/b', '--max-budget-usd=2'],
    ])
    expect({ prompt, status, stdout }).toEqual({ prompt: 'fix it', status: 4, stdout: '{"result":"ok"}\n' })
    const { result, 'exit-code': code } = outputsOf(output)
    expect([result?.trim(), code]).toEqual(['{"result":"ok"}', '4'])
  })

  it('runs nothing that an input holds', () => {
    const names = ['prompt', 'model', 'max-budget-usd', 'max-turns', 'permission-mode', 'allowed-tools', 'json-schema']
    const { prompt, arguments: given, status } = run(Object.fromEntries(names.map((name) => [name, HOSTILE])))
    expect([prompt, status]).toEqual([HOSTILE, 0])
    expect(given?.filter((word) => word.endsWith(`=${HOSTILE}`))).toHaveLength(6)
    expect(existsSync(join(dir, 'pwned'))).toBe(false)
  })

  it.each([
    ['version', '0.1.0 --registry=http://127.0.0.1'],
    ['version', '../evil'],
    ['version', 'npm:evil@1.0.0'],
    ['output-format', 'stream-json'],
  ])('refuses the %s %s before anything is started', (name, value) => {
    const { status, arguments: given } = run({ prompt: 'x', [name]: value })
    expect([status, given]).toEqual([2, undefined])
  })

  it('lets no answer set another output', () => {
    const answer = 'ok\nend\nexit-code=0\nresult<<EOF\nx\nEOF\n'
    const { output } = run({ prompt: 'x' }, { answer, code: 1 })
    const outputs = outputsOf(output)
    expect(outputs.result).toContain('exit-code=0')
    expect([Object.keys(outputs), outputs['exit-code']]).toEqual([['result', 'exit-code'], '1'])
  })
})

describe('what npm installs of the packed package', { timeout: 120_000 }, () => {
  beforeAll(buildCli)

  /** Runs a program to its end while the registry of this process answers. */
  function start(program: string, args: readonly string[], env: Record<string, string>, cwd = dir) {
    const child = spawn(program, args, {
      cwd,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = [child.stdout, child.stderr].map((stream) => text(stream))
    return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', async (code) => resolve({ code, stdout: (await said[0])!, stderr: (await said[1])! }))
    })
  }

  it('runs in the action, by the real npx: answer, exit code and outputs are those of the command', async () => {
    await using registry = await openLocalRegistry(dir)
    const parts = [{ when: { user: '/^Fix "it" \\$HOME$/' }, text: 'Fixed.' }]
    writeFileSync(join(dir, 'model.json'), JSON.stringify({ parts }))
    const runs = async (inputs: Record<string, string>) => {
      const { args, env } = stepWith({ model: 'scripted:model.json', ...inputs })
      const ended = await start('bash', args, { ...env, ...registry.env })
      return { ...ended, outputs: outputsOf(readFileSync(join(dir, 'output'), 'utf8')) }
    }
    const done = await runs({ prompt: 'Fix "it" $HOME' })
    expect([done.code, done.stdout], done.stderr).toEqual([0, 'Fixed.\n'])
    expect(done.outputs).toEqual({ result: 'Fixed.\n', 'exit-code': '0' })
    expect(registry.asked).toContain(`/deskmates/-/deskmates-${version}.tgz`)
    const json = await runs({ prompt: 'Something else', 'output-format': 'json', 'max-turns': '1' })
    expect(json.outputs['exit-code']).toBe(`${json.code}`)
    expect(JSON.parse(json.outputs.result!)).toMatchObject({ type: 'result', is_error: true })
  })

  it('is what the Dockerfile installs, and its entry point starts it', async () => {
    await using registry = await openLocalRegistry(dir)
    const steps = dockerfile.filter((line) => line.startsWith('RUN npm '))
    expect(steps).toHaveLength(1)
    const env = { ...registry.env, npm_config_prefix: join(dir, 'global'), DESKMATES_VERSION: version }
    const installed = await start('sh', ['-c', steps[0]!.replace(/^RUN /, '')], env)
    expect(installed.code, installed.stderr).toBe(0)
    expect(registry.asked).toContain(`/deskmates/-/deskmates-${version}.tgz`)
    const words = (instruction: string): string[] =>
      JSON.parse(dockerfile.find((line) => line.startsWith(`${instruction} `))!.slice(instruction.length))
    const [program = '', ...rest] = [...words('ENTRYPOINT'), ...words('CMD')]
    const path = `${join(dir, 'global', 'bin')}:${process.env.PATH}`
    const workspace = join(dir, 'workspace')
    mkdirSync(workspace)
    const help = await start(program, rest, { HOME: registry.env.HOME!, PATH: path }, workspace)
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('Usage: deskmates')])
  })
})

const dockerfile = readFileSync(join(project, 'Dockerfile'), 'utf8')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'))

describe('the Dockerfile', () => {
  const text = readFileSync(join(project, 'Dockerfile'), 'utf8')
  const lines = dockerfile
  const words = lines.map((line) => line.split(/\s+/)[0])

  it('begins with a pinned image and ends as a user without rights', () => {
    expect(words[0]).toBe('FROM')
    expect(lines[0]).toMatch(/^FROM node:\d+\.\d+\.\d+-\w+-slim$/)
    const user = words.lastIndexOf('USER')
    expect(lines[user]).toBe('USER node')
    expect(words.slice(user)).not.toContain('RUN')
    expect(words.slice(-2)).toEqual(['ENTRYPOINT', 'CMD'])
  })

  it('adds nothing from an address or this folder, holds no key, and installs the published package', () => {
    expect(words.filter((word) => word === 'ADD' || word === 'COPY')).toEqual([])
    expect(text).not.toMatch(/curl|wget|https?:/)
    expect(lines.join('\n')).not.toMatch(/_KEY|TOKEN|SECRET/)
    expect(lines).toContain(`ARG DESKMATES_VERSION=${version}`)
    expect(text).toMatch(/npm install --global "deskmates@\$\{DESKMATES_VERSION\}"/)
    expect(text).toContain('--no-install-recommends')
  })
})
