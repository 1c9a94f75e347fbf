import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AlarmClock, systemClock } from '../../journal/clock.ts'
import { type OpenedSandbox, openSandbox } from '../../permissions/sandbox/open-sandbox.ts'
import { type Git, openGit } from '../../permissions/sandbox/run-git.ts'
import { type CommitResult, commitFiles } from '../../supervisor/commits/commit-files.ts'
import { readUserGit } from '../../supervisor/commits/user-git.ts'

const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false']
const OPTIONS = [...IDENTITY, '-c', 'init.defaultBranch=main', '-c', 'protocol.file.allow=always']
const RULES = { hasFileRules: false, forbids: () => false, mayUseNetwork: () => false }

/** A folder with a home and a workspace, in which the runtime commits inside of a sandbox. */
export interface CommitHarness {
  readonly place: string
  /** The workspace; `work` in `place` unless it is set. */
  root: string
  env(): Record<string, string>
  gitIn(folder: string, ...args: string[]): string
  git(...args: string[]): string
  put(path: string, text: string): void
  status(): string
  /** A repository with one commit that has these files. */
  repository(...files: string[]): void
  /** Whether a sandbox works here. */
  hasSandbox(): Promise<boolean>
  openGit(): Promise<Git>
  /** Commits what is changed of these paths. */
  commit(paths: readonly string[], clock?: AlarmClock): Promise<CommitResult>
  close(): void
}

export function commitHarness(): CommitHarness {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-commits-')))
  mkdirSync(join(place, 'work'))
  mkdirSync(join(place, 'home'))
  writeFileSync(join(place, 'home/.gitconfig'), '[core]\n\texcludesFile = ~/.gitignore_global\n')
  writeFileSync(join(place, 'home/.gitignore_global'), '*.swp\n')
  const opened = new Map<string, OpenedSandbox>()
  const sandboxOf = async (root: string) => {
    const one =
      opened.get(root) ??
      (await openSandbox({ mode: 'auto', root, folders: [], env: own.env(), hidden: [], rules: RULES }))
    opened.set(root, one)
    return one
  }
  const own: CommitHarness = {
    place,
    root: join(place, 'work'),
    env: () => ({ PATH: process.env.PATH ?? '', HOME: join(place, 'home') }),
    gitIn: (folder, ...args) =>
      execFileSync('git', [...OPTIONS, ...args], {
        ...{ cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
        env: { PATH: process.env.PATH, HOME: join(place, 'home'), GIT_CONFIG_NOSYSTEM: '1' },
      }).trimEnd(),
    git: (...args) => own.gitIn(own.root, ...args),
    put(path, text) {
      mkdirSync(join(own.root, path, '..'), { recursive: true })
      writeFileSync(join(own.root, path), text)
    },
    status: () => own.git('status', '--porcelain', '-uall'),
    repository(...files) {
      own.git('init', '-q')
      for (const file of files) own.put(file, `${file}\n`)
      own.git('add', '-A')
      own.git('commit', '-qm', 'first', '--allow-empty')
    },
    hasSandbox: async () => (await sandboxOf(own.root)).state === 'on',
    async openGit() {
      const { sandbox } = await sandboxOf(own.root)
      return (await openGit({ root: own.root, folders: [], env: own.env(), sandbox: sandbox! }, { canWrite: true }))!
    },
    async commit(paths, clock = systemClock) {
      const git = await own.openGit()
      const isMeant = (path: string) => paths.some((one) => path === one || path.startsWith(`${one}/`))
      const user = await readUserGit(git, own.env())
      return commitFiles(git, { isMeant, message: '03-01/T1: Write it\n\nDeskmates-Task: 03-01/T1', user }, clock)
    },
    close() {
      for (const one of opened.values()) one[Symbol.dispose]()
      rmSync(place, { recursive: true, force: true })
    },
  }
  return own
}

/** Rings at once, and counts how long it was asked to wait. */
export function hastyClock(onWait = () => {}): AlarmClock & { readonly waits: number[] } {
  const waits: number[] = []
  return {
    waits,
    now: systemClock.now,
    in(seconds, ring) {
      waits.push(seconds)
      onWait()
      queueMicrotask(ring)
      return () => {}
    },
  }
}
