import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Action } from '../../src/permissions/permission.ts'
import { hintFor } from '../../src/permissions/rules/hints.ts'
import { parseRule, parseRules } from '../../src/permissions/rules/parse-rule.ts'
import { decideByRules, mayUseNetwork, type Policy } from '../../src/permissions/rules/policy.ts'
import { everydayUnder, LONG_RULES } from './everyday.ts'

let root: string
let outside: string
/** The same without a repository that came in as files. */
let ordinary: string
beforeAll(() => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-everyday-')))
  root = join(dir, 'root')
  outside = join(dir, 'outside')
  for (const folder of [
    'src',
    'docs',
    'scripts',
    'packages/web',
    'sub',
    '.git',
    'evil/objects',
    'evil/refs',
    'nested/.git',
  ])
    mkdirSync(join(root, folder), { recursive: true })
  mkdirSync(outside)
  for (const file of ['src/a.ts', 'scripts/build.mjs', 'package.json', 'evil/HEAD', '.env'])
    writeFileSync(join(root, file), '')
  writeFileSync(join(outside, 'bashrc'), '')
  symlinkSync(join(outside, 'bashrc'), join(root, 'src/log.txt'))
  symlinkSync(join(outside, 'missing'), join(root, 'src/dangling.txt'))
  symlinkSync(outside, join(root, 'src/out'))
  symlinkSync(join(root, '.env'), join(root, 'src/settings.txt'))
  ordinary = join(dir, 'ordinary')
  cpSync(root, ordinary, { recursive: true, filter: (path) => !path.startsWith(join(root, 'nested')) })
})
afterAll(() => rmSync(join(root, '..'), { recursive: true, force: true }))

const run = (command: string): Action => ({ kind: 'run', tool: 'bash', command })
const policy = (allow: readonly string[], changes: Partial<Policy> = {}): Policy => ({
  mode: 'default',
  root,
  allow: allow.map(parseRule),
  ask: [],
  deny: [],
  ...changes,
})
const everyday = everydayUnder('long')
const decision = (command: string, by: Policy) => decideByRules('bash', run(command), by).decision
const allowedOf = (commands: readonly string[], by: Policy) => commands.filter((one) => decision(one, by) === 'allow')

describe('everyday commands', () => {
  it('pass under the example rules of docs/settings.md', () => {
    const by = policy(LONG_RULES.allow, { deny: LONG_RULES.deny.map(parseRule), root: ordinary })
    const refused = everyday.filter((command) => decision(command, by) !== 'allow')
    expect(everyday.length).toBeGreaterThanOrEqual(60)
    expect(refused).toEqual([])
  }) // T36

  it('get hints of rules that allow them', () => {
    const more = [
      'CI=1 npm test',
      'terraform plan -out=x',
      './gradlew test',
      'git clone x y',
      'make -C sub',
      'cat a | terraform show',
    ]
    for (const command of [...everyday, ...more]) {
      const by = policy([])
      const { rules } = hintFor(run(command), by)
      expect(rules, command).not.toEqual([])
      const added = { ...by, allow: parseRules(rules.join(',')) }
      expect(decision(command, added), `${command} with ${rules.join(',')}`).toBe('allow')
    }
  }) // T36

  it('get a hint without a rule when no rule covers them, with what to do instead', () => {
    for (const command of ['$X', 'eval "$(cat x)"', 'f() { ls; }; f', 'ls\nX=$(id) make', 'read x; $x']) {
      const hint = hintFor(run(command), policy([]))
      expect(hint.rules, command).toEqual([])
      expect(hint.advice).toContain('No rule covers this form')
    }
    const denied = policy(['bash(cat *)'], { deny: [parseRule('read_file(.env)')] })
    expect(hintFor(run('cat "$F"'), denied).rules).toEqual([])
  }) // T36
})

describe('one bash rule', () => {
  it('does not allow arbitrary commands through the variable of a loop', () => {
    const by = policy(['bash(npm test)', 'bash(ls *)', 'bash(git *)', 'network(npm install *)'])
    const commands = [
      "for RANDOM in 'a[$(id > PWNED)]'; do npm test; done",
      'for PATH in ./evil; do ls; done',
      'for HOME in evil; do git status; done',
      'for npm_config_script_shell in ./x; do npm test; done',
      'for IFS in x; do ls; done',
      'select x in a; do ls; done',
      'for exported in ./x; do npm test; done',
    ]
    vi.stubEnv('exported', '1')
    expect(allowedOf(commands, by)).toEqual([])
    expect(mayUseNetwork("for RANDOM in 'a[$(id)]'; do npm install; done", by)).toBe(false)
    vi.unstubAllEnvs()
    expect(allowedOf(['for i in 1 2 3; do npm test; done'], by)).toHaveLength(1)
  }) // T1

  it('does not cover a redirection that sets a variable', () => {
    const by = policy(['bash(ls *)'])
    const commands = [
      ': {PATH}>/dev/null; ls',
      ": {a['$(id)']}</dev/null; ls",
      'ls {fd}>/dev/null',
      '{ ls; } {PATH}>&1',
    ]
    expect(allowedOf(commands, by)).toEqual([])
    const bypassing = policy([], { mode: 'bypassPermissions', deny: [parseRule('bash(rm *)')] })
    expect(allowedOf(commands, bypassing)).toEqual([])
  }) // T2

  it('for git covers only harmless uses of git', () => {
    const by = policy(['bash(git *)'])
    const commands = [
      "git config alias.x '!id' list",
      "git config core.pager 'touch PWNED' --get",
      'git x',
      'git fetch --upl=./evil origin',
      'git ls-remote --exe=./evil x',
      'git init --templ=evil',
      'git grep --open=./evil x',
      'git rebase -qx id HEAD~1',
      'git {log,status}',
      "git $'log'",
      'git lo*',
      'git remote-ext x ./evil',
      'git submodule--helper foreach id',
      'git -C evil status',
      'cd evil && git status',
      'git -C nested status',
      'git checkout-index --prefix=.git/hooks/ -a',
      'git log --output=x',
      'git log --outpu=x',
      'git archive -o /tmp/x HEAD',
      'git bundle create x HEAD',
      'git worktree add ../x',
      'git clone . x',
      'git apply --unsafe-path x',
      'git push ./evil main',
      'git push evil main',
      'git -c core.pager=id log',
      'git --exec-path=. log',
      'git -C src/out status',
      'git config core.pager --list',
      'git add nested',
      'git range-diff --since --output=x HEAD~2..HEAD~1 HEAD~1..HEAD',
      'git diff -L --output=x HEAD~1',
    ]
    expect(allowedOf(commands, by)).toEqual([])
    expect(allowedOf(['git -C src log', 'git push origin main', 'git config --get user.name'], by)).toHaveLength(3)
  }) // T5

  it('follows links: redirections and cd are judged by where they lead', () => {
    const by = policy(['bash(echo *)', 'bash(ls *)', 'bash(cat *)', 'edit(src/**)'])
    const commands = [
      'echo x > src/log.txt',
      'echo x >> src/log.txt',
      'echo x > src/dangling.txt',
      'echo x > src/out/new.txt',
      'echo x > src/out/../notes.txt',
      'cat < src/log.txt',
      'cd src/out && ls',
      'cd src/out/.. && ls',
      'cd -P src/out/.. && ls',
      'cd src && echo x > log.txt',
      'bash -c "echo x > src/log.txt"',
      'bash -c "echo x > package.json"',
      '{ ls; } > src/log.txt',
      'for i in 1; do ls; done > src/log.txt',
    ]
    expect(allowedOf(commands, by)).toEqual([])
    expect(
      allowedOf(['echo x > src/new.txt', 'cd src && echo x > a.ts', 'bash -c "echo x > src/a.ts"'], by),
    ).toHaveLength(3)
    const careful = policy([], { mode: 'bypassPermissions', deny: [parseRule('read_file(.env)')] })
    expect(decision('cat src/settings.txt', careful)).toBe('deny')
  }) // T6

  it('for the root of the workspace does not cover another folder', () => {
    const by = policy(['bash(npm test)'])
    const commands = [
      'cd sub && npm test',
      'command cd sub; npm test',
      '(cd sub; npm test)',
      'npm test --prefix sub',
      'pushd sub; npm test',
    ]
    expect(allowedOf(commands, by)).toEqual([])
    expect(allowedOf(['npm test', '(cd sub); npm test', 'cd . && npm test'], by)).toHaveLength(3)
    const wide = policy(['bash(npm *)'])
    expect(allowedOf(['cd sub && npm test', 'cd packages/web && npm run build'], wide)).toHaveLength(2)
    expect(
      allowedOf(['cd src/out && npm test', 'cd .. && npm test', 'npm --prefix ../x test', 'npm run env -- id'], wide),
    ).toEqual([])
  }) // T17

  it('covers no option that runs a program or writes a file, in any spelling', () => {
    const by = policy(
      ['tar', 'sort', 'sed', 'awk', 'find', 'xargs', 'grep', 'npm', 'rg', 'env', 'printf', 'python3'].map(
        (name) => `bash(${name} *)`,
      ),
    )
    const commands = [
      'tar --to-com=id -xf a.tar',
      'tar cIf id src/a.tar src',
      'tar xf a.tar',
      'sort --compress-prog=id src/a.ts',
      'sort -o x src/a.ts',
      "sed '1e id' src/a.ts",
      "sed 's/a/b/e' src/a.ts",
      "sed 's/a/b/w x' src/a.ts",
      "sed -n 's/[/]/w x/p' src/a.ts",
      'sed -f x src/a.ts',
      'awk \'BEGIN { system("id") }\'',
      'awk \'{ print > "x" }\' src/a.ts',
      'awk \'BEGIN { "id" | getline x }\'',
      'awk -f x',
      "find . -exec id ';'",
      'find . -delete',
      'find . -fprint x',
      'ls | xargs rm',
      'rg --pre=id x',
      'npm exec id',
      'npm test --script-shell=./x',
      'env -S id',
      'env X=1 npm test',
      "printf '12345%n' PATH; npm test",
      "sed 's/[^]x/]/g;s/e;e id #/x/' src/a.ts",
      "sed 's/[[.a.]/]/x/;e id' src/a.ts",
      'npm run -- env id',
      'python3 - <<< "import os"',
    ]
    expect(allowedOf(commands, by)).toEqual([])
  }) // T12
})

describe('a rule that denies', () => {
  const by = () => policy([], { mode: 'bypassPermissions', deny: [parseRule('bash(rm *)')] })

  it('applies to shell syntax that is not understood', () => {
    const commands = [
      'time { rm x; }',
      "trap -- 'rm x' EXIT",
      'for i do rm x; done',
      "test -v 'a[$(rm x)]'",
      "[ -v 'a[$(rm x)]' ]",
      "printf -v 'a[$(rm x)]' y",
      "read 'a[$(rm x)]'",
      "let 'a[$(rm x)]'",
      "declare -i a='b[$(rm x)]'",
      "RANDOM='a[$(rm x)]'",
      "PS4='$(rm x)'; set -x; ls",
      'jobs -x rm x',
      "mapfile -C 'rm x' -c 1 a < f",
      'bash +O extglob -c "rm x"',
      'bash /dev/stdin',
      'bash <(echo rm x)',
      "[[ 'a[$(rm x)]' -eq 0 ]]",
      "echo $(( a['$(rm x)'] ))",
      'eval -- rm x',
      "script -c'rm x' /dev/null",
      "printf 'x%n' 'a[$(rm x)]'",
      'python3 - <<< "import os"',
      "gdb -batch -ex 'shell rm x'",
    ]
    expect(allowedOf(commands, by())).toEqual([])
    for (const mode of ['default', 'acceptEdits', 'dontAsk', 'bypassPermissions'] as const)
      expect(allowedOf(commands, { ...by(), mode, allow: [parseRule('bash')] })).toEqual([])
    expect(allowedOf(['ls', 'n=1; echo $n', 'npm test'], by())).toHaveLength(3)
  }) // T11

  it('on a file applies to other names of the file', () => {
    const file = policy([], {
      mode: 'bypassPermissions',
      deny: [parseRule('read_file(.env)'), parseRule('edit(infra/**)')],
    })
    const commands = [
      'cat /proc/self/cwd/.env',
      'cat /dev/fd/../cwd/.env',
      'cat .[!x]nv',
      'cat .en[v]',
      'grep -d recurse x .',
      'grep --directories=recurse x .',
      'git grep --no-index x',
      'git stash -u',
      'git add -A',
      'ln .env x',
      'cat src/settings.txt',
      'cp README.md infra',
      'cp --targ=infra README.md',
      'sort -uoinfra/prod.tf README.md',
      'mv infra other',
      'cat "$F"',
    ]
    expect(allowedOf(commands, file)).toEqual([])
    expect(allowedOf(['cat README.md', 'ls', 'git status', 'grep -n x src/a.ts'], file)).toHaveLength(4)
  }) // T13
})
