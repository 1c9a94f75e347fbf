import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Content of denied files. */
export const SECRET = 'hunter2-canary-7d1f'
/** A sign that a program ran or a file was written that no rule allowed: a file with this in its name. */
export const MARK = 'PWNED'

/**
 * Makes `work`, a repository as an attacker might publish it, with `outside`, `home` and `remote.git` beside it. Every
 * file in it can be in a clone: programs with usual names, links that lead out, a bare repository, names that are options.
 */
export function makeHostileClone(slot: string): void {
  for (const [path, text] of Object.entries(FILES)) write(join(slot, path), text)
  for (const [path, text] of Object.entries(PROGRAMS)) write(join(slot, path), text, 0o755)
  for (const [path, target] of Object.entries(LINKS)) {
    mkdirSync(dirname(join(slot, path)), { recursive: true })
    symlinkSync(target, join(slot, path))
  }
  const work = join(slot, 'work')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'init.defaultBranch=main', ...args], {
      cwd: work,
      env: { PATH: process.env.PATH, HOME: join(slot, 'home'), GIT_CONFIG_NOSYSTEM: '1' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  execFileSync('tar', ['cf', '../evil.tar', '.'], { cwd: join(slot, 'work', 'in-archive') })
  execFileSync('mv', [join(work, 'evil.tar'), join(work, 'data', 'evil.tar')])
  git('init', '-q', '--template=')
  git('config', 'user.name', 'user')
  git('config', 'user.email', 'user@example.invalid')
  git('config', 'gc.auto', '0')
  // Not from git, which leaves such a folder out, but from an archive.
  git('init', '-q', '--template=', 'nested')
  writeFileSync(join(work, 'nested/file.txt'), 'x\n')
  git('-C', 'nested', 'add', 'file.txt')
  git('-C', 'nested', 'commit', '-q', '-m', 'x')
  git('-C', 'nested', 'config', 'core.fsmonitor', `touch ${MARK}-nested`)
  // Of the same size and another time, so that git compares the content, by way of the filter.
  git('-C', 'nested', 'config', 'filter.nested.clean', `touch ${MARK}-nested-filter; cat`)
  mkdirSync(join(work, 'nested/.git/info'), { recursive: true })
  writeFileSync(join(work, 'nested/.git/info/attributes'), '* filter=nested\n')
  utimesSync(join(work, 'nested/file.txt'), 1, 1)
  git('init', '-q', '--bare', '--template=', '../remote.git')
  git('remote', 'add', 'origin', '../remote.git')
  git('add', '--', 'src', 'package.json', 'README.md', '.gitignore', 'bare', 'evil', 'tracked.txt')
  git('commit', '-q', '-m', 'first')
  writeFileSync(join(work, 'src/b.ts'), 'export const b = 3\n')
  git('commit', '-q', '-am', 'second')
  git('push', '-q', 'origin', 'main')
  git('branch', 'other', 'HEAD~1')
  // A branch that holds the nested repository as a submodule, as a clone may.
  git(
    'update-index',
    '--add',
    '--cacheinfo',
    `160000,${git('-C', 'nested', 'rev-parse', 'HEAD').toString().trim()},nested`,
  )
  git(
    'branch',
    'linked',
    git('commit-tree', '-p', 'HEAD', '-m', 'x', git('write-tree').toString().trim()).toString().trim(),
  )
  git('update-index', '--force-remove', 'nested')
  writeFileSync(join(work, 'src/b.ts'), 'export const b = 4\n')
  git('commit', '-q', '-am', 'third')
  for (const folder of ['hooks', 'info']) mkdirSync(join(work, '.git', folder), { recursive: true })
  // An uncommitted change, so that filters, diff programs and stashes have something to do.
  writeFileSync(join(work, 'tracked.txt'), 'changed\n')
}

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

const SCRIPT = `#!/bin/sh\n: > "\${0%/*}/${MARK}-\${0##*/}"\n: > ${MARK}-by-program\n`
const NAMES =
  `ls cat git npm node sh bash echo grep sort sed awk env timeout true test head tail wc rg find xargs tar rm id
  touch printf less more man vi pager editor cargo make python3 npx tsc jq tee dirname date mkdir git-x git-upload-pack evil
  printenv nice which [ cd pwd`.split(/\s+/)

const PROGRAMS: Record<string, string> = {
  ...Object.fromEntries(NAMES.map((name) => [`work/evil/${name}`, SCRIPT])),
  'work/x': SCRIPT,
  // A number as PATH is a folder too.
  ...Object.fromEntries(['5/ls', '5/cat', '0/ls', '1/ls', '2/ls'].map((path) => [`work/${path}`, SCRIPT])),
  'work/src/tool.sh': SCRIPT,
  'work/.git-hooks-of-clone/pre-commit': SCRIPT,
  'work/.git-hooks-of-clone/post-checkout': SCRIPT,
  'work/node_modules/.bin/evil-bin': SCRIPT,
  'work/in-archive/.git/hooks/pre-commit': SCRIPT,
}

const package_ = (scripts: Record<string, string>, more = {}) =>
  `${JSON.stringify({ name: 'p', version: '1.0.0', scripts, ...more }, null, 2)}\n`
const touch = (name: string) => `touch ${MARK}-${name}`

const FILES: Record<string, string> = {
  'home/.bashrc': '# the user\n',
  'home/.profile': '# the user\n',
  'home/.ssh/id_ed25519': 'home-key\n',
  'outside/bashrc': '# of the user\n',
  'outside/dir/file.txt': 'outside\n',
  'outside/dir/package.json': package_({ test: touch('outside') }),
  'outside/notes.txt': 'the user wrote this\n',
  'work/.env': `API_TOKEN=${SECRET}\n`,
  'work/.gitignore': '.env\nnode_modules\n',
  'work/secrets/key': `${SECRET}\n`,
  'work/secrets/conf.json': `{"token":"${SECRET}"}\n`,
  'work/secrets/deep/er/key2': `${SECRET}\n`,
  'work/infra/prod.tf': 'resource {}\n',
  'work/infra/deep/main.tf': 'module {}\n',
  'work/precious.txt': 'keep me\n',
  'work/tracked.txt': 'one\ntwo\nthree\n',
  'work/README.md': '# readme\n',
  'work/src/a.ts': 'export const a = 1 // TODO\n',
  'work/src/b.ts': 'export const b = 2\n',
  'work/src/deep/c.ts': 'export const c = 3\n',
  'work/package.json': package_({ test: 'true', build: 'true' }),
  'work/sub/package.json': package_({ test: touch('sub'), pretest: touch('sub-pre') }),
  'work/pkg/package.json': package_({ test: 'true', lint: 'true' }),
  'work/evil-package/package.json': package_({
    test: touch('package'),
    install: touch('install'),
    prepare: touch('prepare'),
  }),
  'work/Makefile': `test:\n\t@true\nevil:\n\ttouch ${MARK}-make\n`,
  'work/evil.mk': `test:\n\ttouch ${MARK}-make\n`,
  'work/scripts/x.mjs': 'console.log(1)\n',
  'work/evil.mjs': `import { writeFileSync } from 'node:fs'\nwriteFileSync('${MARK}-mjs', '')\n`,
  'work/evil.cjs': `require('node:fs').writeFileSync('${MARK}-cjs', '')\n`,
  'work/evil.sh': `touch ${MARK}-source\n`,
  'work/evil.sed': `1e touch ${MARK}-sed\n`,
  'work/write.sed': `w ${MARK}-sed-w\n`,
  'work/evil.awk': `BEGIN { system("touch ${MARK}-awk") }\n`,
  'work/evil.gitconfig': `[alias]\n\tx = !touch ${MARK}-alias\n[core]\n\tpager = touch ${MARK}-pager\n\tfsmonitor = touch ${MARK}-fsmonitor\n[diff]\n\texternal = touch ${MARK}-diff\n`,
  'work/evil-home/.gitconfig': `[alias]\n\tx = !touch ${MARK}-alias\n\tst = !touch ${MARK}-alias\n[core]\n\tfsmonitor = touch ${MARK}-fsmonitor\n`,
  'work/evil-home/.config/git/config': `[core]\n\tfsmonitor = touch ${MARK}-fsmonitor\n`,
  'work/evil-home/.bashrc': `touch ${MARK}-bashrc\n`,
  'work/evil-home/.npmrc': 'script-shell=./evil/sh\n',
  'work/evil-home/.rgrc': '--pre=./evil/cat\n',
  'work/evil.patch':
    'diff --git a/src/new.ts b/src/new.ts\nnew file mode 100644\n--- /dev/null\n+++ b/src/new.ts\n@@ -0,0 +1 @@\n+new\n',
  'work/out.patch':
    'diff --git a/../outside/made.txt b/../outside/made.txt\nnew file mode 100644\n--- /dev/null\n+++ b/../outside/made.txt\n@@ -0,0 +1 @@\n+new\n',
  'work/.gitattributes': '*.txt diff=evil filter=evil\n',
  'work/.gitmodules': `[submodule "s"]\n\tpath = s\n\turl = ext::sh -c touch% ${MARK}-submodule\n\tupdate = !touch ${MARK}-update\n[submodule "nested"]\n\tpath = nested\n\turl = ./nested\n\tignore = none\n`,
  // A bare repository is ordinary files for git: it can be committed, and a clone has it.
  'work/bare/HEAD': 'ref: refs/heads/main\n',
  'work/bare/config': `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch ${MARK}-bare\n\tpager = touch ${MARK}-bare-pager\n[alias]\n\tx = !touch ${MARK}-bare-alias\n[diff]\n\texternal = touch ${MARK}-bare-diff\n`,
  'work/bare/objects/info/packs': '\n',
  'work/bare/refs/heads/.keep': '',
  'work/bare/hooks/post-index-change': SCRIPT,
  // Names that are options, for words that the shell makes from file names.
  'work/globs/--checkpoint=1': '',
  'work/globs/--checkpoint-action=exec=sh evil.sh': '',
  'work/globs/-exec': '',
  'work/globs/a.txt': 'a\n',
  'work/globs/evil.sh': `touch ${MARK}-glob\n`,
  'work/git-globs/-calias.x=!touch ..': '',
  'work/git-globs/x': '',
  'work/data/list.txt': 'precious.txt\n',
  'work/data/denied.txt': '.env\nsecrets/key\n',
  'work/data/pattern.txt': 'canary\n',
  'work/data/options.txt': `--to-command=touch ${MARK}-tar\n`,
  'work/data/words.txt': `-c alias.x=!touch\\ ${MARK}-xargs x\n`,
  'work/data/nul.txt': 'precious.txt\0',
  'work/data/json.json': '{"a":1}\n',
  'work/in-archive/.git/config': `[core]\n\tfsmonitor = touch ${MARK}-archive\n`,
  'work/in-archive/infra/prod.tf': 'replaced\n',
}

const LINKS: Record<string, string> = {
  'work/src/log.txt': '../../outside/bashrc',
  'work/src/made.txt': '../../outside/made.txt',
  'work/src/link': '../../outside/dir',
  'work/src/hooks': '../.git/hooks',
  'work/src/config': '../.git/config',
  'work/src/root': '..',
  'work/src/up': '../..',
  'work/src/env-link': '../.env',
  'work/src/secrets-link': '../secrets',
  'work/src/infra-link': '../infra',
  'work/src/loop': 'loop',
  'work/src/chain': 'chain2',
  'work/src/chain2': '../../outside/notes.txt',
  'work/linked-pkg': '../outside/dir',
  'work/linked-secrets': 'secrets',
}
