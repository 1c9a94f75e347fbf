import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openSandbox } from '../../src/permissions/sandbox/open-sandbox.ts'
import type { SessionOptions } from '../../src/session/session-options.ts'
import { type Places, SCRIPTED_AGENT, type VendorOptions, vendorHarness } from '../acp/vendor-harness.ts'

const SECRET = 'canary-of-a-file'
const completes = { tool: 'TaskUpdate', input: { taskId: '$task', status: 'completed', result: 'a hole' } }

let missing: string | undefined
beforeAll(async () => {
  const root = mkdtempSync(join(tmpdir(), 'deskmates-acp-probe-'))
  const rules = { hasFileRules: false, forbids: () => false, mayUseNetwork: () => true }
  const env = { PATH: process.env.PATH ?? '' }
  const opened = await openSandbox({ mode: 'auto', root, folders: [], env, hidden: [], rules })
  missing = opened.state === 'on' ? undefined : `no sandbox here: ${opened.why?.cause}`
  opened[Symbol.dispose]()
  rmSync(root, { recursive: true })
})

const made: string[] = []
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true })
})

function put(path: string, text = SECRET): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

type Touched = { read?: string; write?: string; link?: string; to?: string }

/** What the agent vera is asked to do with files, at each start of her program, before she completes her task. */
async function sandboxed(
  starts: ((places: Places) => Touched[])[],
  options: VendorOptions & {
    prepare?: (places: Places) => void
    envOf?: (places: Places) => Record<string, string>
    session?: Partial<SessionOptions>
  } = {},
) {
  const { prepare, envOf, ...more } = options
  const world = await vendorHarness({
    isSandboxed: true,
    steps: (places) => {
      made.push(places.dir)
      prepare?.(places)
      return starts.map((touched, i) => [
        [...touched(places).map((touch) => ({ touch })), ...(i < starts.length - 1 ? [{ exit: 1 }] : [completes])],
      ])
    },
    ...more,
  })
  await using _ = world
  const { tasks } = await world.run('Dig.', {
    ...options.session,
    env: { ...world.environment, ...options.session?.env, ...envOf?.(world) },
  })
  const results = world.logged('touch').map(({ read, write, link, result }) => [read ?? write ?? link, result])
  const leadRead = () => JSON.stringify(world.requests.at(-1)?.turns)
  return { ...world, leadRead, tasks, results: Object.fromEntries(results) as Record<string, string> }
}

describe("another vendor's agent in the sandbox", { timeout: 60_000 }, () => {
  it('reads nothing of the user, of other teams or teammates, or of our state', async ({ skip }) => {
    if (missing) skip(missing)
    const secrets = ({ dir, root, home }: Places) => [
      ...[join(home, '.ssh/id_ed25519'), join(home, 'notes.txt'), join(home, '.config/deskmates/settings.json')],
      ...[join(home, '.codex/auth.json'), join(dir, 'state/trust.json'), join(dir, 'state/tokens/ci')],
      ...[join(root, '.teams/other/journal.jsonl'), join(root, '.teams/team/homes/otto/secret')],
      ...[join(root, '.tasks/other/1.json'), join(dir, 'elsewhere/file')],
    ]
    const own = ({ root, home }: Places) => [
      ...[join(root, '.teams/team/journal.jsonl'), join(root, '.teams/team/homes/vera/.claude/.credentials.json')],
      ...[join(home, '../otto/secret'), `/proc/${process.pid}/environ`, '/etc/shadow'],
    ]
    const world = await sandboxed([(at) => [...secrets(at), ...own(at)].map((read) => ({ read }))], {
      prepare: (places) => {
        for (const path of secrets(places)) put(path)
      },
    })
    expect(Object.keys(world.results)).toHaveLength(15)
    for (const [path, result] of Object.entries(world.results))
      expect([path, result]).toEqual([path, expect.stringMatching(/^(ENOENT|EACCES|EPERM|ENXIO)$/)])
    expect(JSON.stringify(world.logged('touch'))).not.toContain(SECRET)
    // It reached our MCP server from inside.
    expect(world.tasks).toMatchObject([{ status: 'completed', owner: 'vera', result: 'a hole' }])
  })

  it('writes to the workspace and its own home, and nowhere else', async ({ skip }) => {
    if (missing) skip(missing)
    const forbidden = ({ dir, root }: Places) => [
      ...[join(dir, 'elsewhere/new'), join(dir, 'state/new'), '/etc/deskmates-test', '/usr/deskmates-test'],
      ...[join(root, '.deskmates/settings.json'), join(root, '.git/config'), join(root, '.git/hooks/pre-commit')],
      ...[join(root, '.teams/team/journal.jsonl'), join(root, '.teams/team/homes/otto/new')],
    ]
    const world = await sandboxed(
      [
        (at) => [
          ...forbidden(at).map((write) => ({ write })),
          ...[{ write: join(at.root, 'made.txt') }, { write: join(at.home, 'kept.txt') }],
        ],
      ],
      {
        prepare: ({ dir, root }) => {
          for (const path of ['elsewhere/file', 'state/trust.json']) put(join(dir, path))
          put(join(root, '.deskmates/settings.json'), '{}')
          put(join(root, '.teams/team/homes/otto/secret'))
        },
      },
    )
    const places = { dir: world.dir, root: world.root, home: world.home }
    for (const path of forbidden(places)) {
      expect([path, world.results[path]]).toEqual([path, expect.stringMatching(/^E[A-Z]+$/)])
      if (existsSync(path)) expect(readFileSync(path, 'utf8')).not.toContain('written by an agent')
    }
    expect(readFileSync(join(world.root, 'made.txt'), 'utf8')).toBe('written by an agent')
    const own = join(world.root, '.teams/team/homes/vera')
    expect(readFileSync(join(own, 'kept.txt'), 'utf8')).toBe('written by an agent')
    expect(lstatSync(own).mode & 0o077).toBe(0)
    expect(readdirSync(world.home)).toEqual([])
  })

  const credential = ({ home }: Places) => join(home, '.claude/.credentials.json')
  const signsIn = { preset: 'claude-code', mode: 'default' } as const
  const signedIn: VendorOptions & { prepare: (places: Places) => void } = {
    acp: signsIn,
    env: { ACP_MODES: 'default' },
    session: { env: { CLAUDE_CODE_OAUTH_TOKEN: 'its own' } },
    prepare(places) {
      put(credential(places), 'its own file')
      put(join(places.home, '.claude/settings.json'))
      put(join(places.home, '.codex/auth.json'))
    },
  }
  const looks = (places: Places) => [
    { read: credential(places) },
    { write: credential(places) },
    { read: join(places.home, '.claude/settings.json') },
    { read: join(places.home, '.codex/auth.json') },
  ]

  it('has its own credentials for reading only, and those of no other', async ({ skip }) => {
    if (missing) skip(missing)
    const world = await sandboxed([looks], signedIn)
    const results = world.logged('touch').map(({ result }) => result)
    expect(results).toEqual(['its own file', 'EROFS', 'ENOENT', 'ENOENT'])
    expect(readFileSync(credential(world), 'utf8')).toBe('its own file')
    expect(world.logged('start')[0]?.env).toMatchObject({ CLAUDE_CODE_OAUTH_TOKEN: 'its own', HOME: world.home })
  })

  it('has no credentials where agents can write its program', async ({ skip }) => {
    if (missing) skip(missing)
    const world = await sandboxed([looks], {
      ...signedIn,
      acp: { ...signsIn, args: ['./agent.mjs', SCRIPTED_AGENT] },
      prepare(places) {
        signedIn.prepare(places)
        writeFileSync(join(places.root, 'agent.mjs'), 'await import(process.argv[2])\n')
      },
    })
    expect(world.tasks).toMatchObject([{ status: 'completed' }])
    expect(world.results[credential(world)]).not.toContain('its own file')
    expect(world.logged('touch')[0]?.result).toBe('ENOENT')
    expect(world.logged('start')[0]?.env).not.toHaveProperty('CLAUDE_CODE_OAUTH_TOKEN')
  })

  it('sees no variable of ours, and none that the user lets commands see', async ({ skip }) => {
    if (missing) skip(missing)
    const env = {
      ...{ ANTHROPIC_API_KEY: SECRET, OPENAI_API_KEY: SECRET, MY_KEY: SECRET, GRANTED: SECRET, GITHUB_TOKEN: SECRET },
      ...{ DESKMATES_MEMBER_TOKEN: SECRET, DATABASE_URL: `postgres://u:${SECRET}@h/db`, SOME_PASSWORD: SECRET },
    }
    const sandbox = { mode: 'require' as const, env: ['GRANTED', 'GITHUB_TOKEN'] }
    const world = await sandboxed([() => []], { session: { env, sandbox, keyVariables: ['MY_KEY'] } })
    const given = world.logged('start')[0]?.env as Record<string, string>
    expect(Object.keys(env).filter((name) => name in given)).toEqual([])
    expect(JSON.stringify(given)).not.toContain(SECRET)
    expect(given).not.toHaveProperty('DESKMATES_STATE')
  })

  it('gets its credentials where it left a link to a place outside, and nothing is written there', async ({ skip }) => {
    if (missing) skip(missing)
    const world = await sandboxed([looks], {
      ...signedIn,
      prepare(places) {
        signedIn.prepare(places)
        put(join(places.dir, 'elsewhere/file'))
        const own = join(places.root, '.teams/team/homes/vera')
        mkdirSync(own, { recursive: true })
        symlinkSync(`/oldroot${join(places.dir, 'elsewhere')}`, join(own, '.claude'))
      },
    })
    expect(readdirSync(join(world.dir, 'elsewhere'))).toEqual(['file'])
    expect(world.logged('touch')[0]?.result).toBe('its own file')
  })

  const settings = [
    '.claude/settings.json',
    '.claude/agents/x.md',
    '.mcp.json',
    'opencode.json',
    '.opencode/plugin/x.js',
  ]
  const others = ['.gemini/settings.json', '.codex/config.toml', '.agents/skills/x/SKILL.md']
  const inWorkspace = ({ root }: Places) => [...settings, ...others].map((name) => join(root, name))

  it('sees no settings, hooks, plugins and servers that the workspace has for such programs', async ({ skip }) => {
    if (missing) skip(missing)
    const above = ({ dir }: Places) => ['.claude/settings.json', '.mcp.json'].map((name) => join(dir, name))
    const texts = ({ root }: Places) => ['CLAUDE.md', 'AGENTS.md', 'GEMINI.md'].map((name) => join(root, name))
    const world = await sandboxed(
      [(at) => [...inWorkspace(at), ...above(at), ...texts(at)].map((read) => ({ read }))],
      {
        prepare: (at) => {
          for (const path of [...inWorkspace(at), ...above(at), ...texts(at)]) put(path)
        },
      },
    )
    for (const path of [...inWorkspace(world), ...above(world)])
      expect([path, world.results[path]]).toEqual([path, expect.stringMatching(/^(ENOENT|EACCES)$/)])
    for (const path of texts(world)) expect([path, world.results[path]]).toEqual([path, SECRET])
    expect(readFileSync(join(world.root, '.mcp.json'), 'utf8')).toBe(SECRET)
  })

  it('cannot make such folders in the workspace, and none is left there', async ({ skip }) => {
    if (missing) skip(missing)
    const made = ({ root }: Places) =>
      ['.claude', '.gemini', '.codex', '.opencode'].map((name) => join(root, name, 'new'))
    const world = await sandboxed([(at) => made(at).map((write) => ({ write }))])
    for (const path of made(world)) expect([path, world.results[path]]).toEqual([path, 'EROFS'])
    expect(readdirSync(world.root).sort()).toEqual(['.git', '.tasks', '.teams', 'agent.jsonl'])
  })

  it('sees such settings where the user wants that, and not where a file of the project does', async ({ skip }) => {
    if (missing) skip(missing)
    const touches = (at: Places) => [{ read: join(at.root, '.gemini/settings.json') }]
    const prepare = (at: Places) => put(join(at.root, '.gemini/settings.json'))
    const acp = { projectSettings: true }
    const own = await sandboxed([touches], { prepare, acp })
    expect(Object.values(own.results)).toEqual([SECRET])
    const project = await sandboxed([touches], { prepare, acp, type: { isProject: true }, trustsAll: true })
    expect(Object.values(project.results)).toEqual(['ENOENT'])
  })

  it('reaches the board by a server on stdin and stdout, where it uses none over HTTP', async ({ skip }) => {
    if (missing) skip(missing)
    const agent = readFileSync(new URL('./bare-agent.cjs', import.meta.url), 'utf8')
    // As for a user who has deskmates below the home folder. Elsewhere a sandbox may show the checkout without the grant.
    const envOf = () => ({ HOME: fileURLToPath(new URL('../../', import.meta.url)) })
    const world = await sandboxed([() => []], { acp: { args: ['-e', agent] }, envOf })
    expect(world.tasks).toMatchObject([{ status: 'completed', owner: 'vera', result: 'by the bridge' }])
  })

  it('is refused where the workspace or a further folder contains the home of the user', async ({ skip }) => {
    if (missing) skip(missing)
    const inWorkspace = await sandboxed([() => []], {
      prepare: ({ root }) => mkdirSync(join(root, 'home')),
      envOf: ({ root }) => ({ HOME: join(root, 'home') }),
    })
    expect(inWorkspace.leadRead()).toContain('Run deskmates in the folder of a project')
    const granted = await sandboxed([() => []], { acp: { folders: ['~'] } })
    expect(granted.leadRead()).toContain('contains yours')
    expect([...inWorkspace.logged('start'), ...granted.logged('start')]).toEqual([])
    const readable = await sandboxed([() => []], { acp: { folders: ['~:ro'] } })
    expect(readable.tasks).toMatchObject([{ status: 'completed' }])
  })
})
