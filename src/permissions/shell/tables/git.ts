import { alike, type Given, type Setting, type Uses } from './use.ts'

const LOOK = `-p -u --patch --no-patch -s --raw --stat --numstat --shortstat --summary --name-only --name-status --cached
  --staged --merge-base --minimal --patience --histogram -w --ignore-all-space -b --ignore-space-change
  --ignore-blank-lines --no-color --no-ext-diff --no-textconv --no-renames -R -a --text --full-index --binary --quiet -q
  --exit-code --check -z --function-context -W --no-prefix --abbrev`
const LOOK_ATTACHED =
  '--color --word-diff --stat -U --unified -M --find-renames -C --diff-filter --abbrev --color-words'
const WALK = `--oneline --graph --decorate --no-decorate --all --branches --tags --remotes --merges --no-merges --reverse
  --first-parent --follow --topo-order --date-order --left-right --cherry-pick --cherry-mark -i --no-walk -g
  --walk-reflogs --full-history --abbrev-commit --no-abbrev-commit --show-signature --relative-date --parents --children
  --source --boundary -E -F --count --pickaxe-regex --no-notes`
const WALK_VALUES = {
  number: '-n --max-count --skip',
  word: '--since --after --until --before --author --committer --grep -S -G -L',
} as const
const FORMATS = '--format --pretty --date --decorate --branches --tags --remotes --encoding'

const looking: Uses = {
  flags: `${LOOK} ${WALK}`,
  attached: `${LOOK_ATTACHED} ${FORMATS}`,
  values: WALK_VALUES,
  digits: true,
  operands: 'read',
}
const MESSAGE = { text: '-m --message' } as const

/** Only a remote that was set up before, never a folder or an address: those have programs of their own. */
function fromRemote({ operands }: Given, setting: Setting): string | undefined {
  const remote = operands[0]?.text
  if (remote === undefined) return operands.length > 0 ? 'the remote is not known before' : undefined
  if (!/^[A-Za-z][\w-]*$/.test(remote) || setting.exists(remote)) return `${remote} may be a folder, not a remote`
  return undefined
}

function unlessConfigured({ options, operands }: Given): string | undefined {
  const gets = options.some((option) => /^(--get|--get-all|--get-regexp|--list|-l)$/.test(option))
  return gets || operands.length === 1 ? undefined : 'git config decides what git runs'
}

/**
 * The uses of git that run no program that the words name and write nothing outside of the repository's own files. Not
 * here on purpose: `-c`, `--exec-path`, aliases, `clone`, `apply`, `archive`, `bundle`, `submodule`, `config` that sets,
 * `worktree add`, everything with an editor, a pager or another program as a value.
 */
export const GIT: Uses = {
  flags: '--no-pager --no-optional-locks --literal-pathspecs --version',
  values: { folder: '-C' },
  commands: {
    status: {
      flags: '-s --short -b --branch --porcelain --long -v -z --ignored -u --show-stash --ahead-behind',
      attached: '--porcelain -u --untracked-files --ignored --column',
      operands: 'read',
    },
    ...alike('log diff show whatchanged rev-list range-diff', looking),
    shortlog: { ...looking, flags: `${LOOK} ${WALK} -s -n -e --summary --numbered --email` },
    reflog: { ...looking, first: ['name'] },
    'diff-tree': { ...looking, flags: `${LOOK} ${WALK} -r -t --root --no-commit-id -m` },
    cherry: { flags: '-v', operands: 'name' },
    blame: {
      flags: '-w -e -s -l -t -f -n -C -M --line-porcelain --porcelain',
      values: { word: '-L' },
      operands: 'read',
    },
    'rev-parse': {
      flags: `--short --abbrev-ref --show-toplevel --verify -q --quiet --is-inside-work-tree --git-dir --show-prefix
      --show-cdup --symbolic-full-name --git-common-dir --is-bare-repository --absolute-git-dir`,
      attached: '--short --abbrev-ref',
      operands: 'name',
    },
    'ls-files': {
      flags: `-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -z -t -v
      --exclude-standard --full-name --error-unmatch --directory`,
      operands: 'read',
    },
    'ls-tree': { flags: '-r -d -t -l -z --name-only --name-status --full-name --full-tree', operands: 'read' },
    'cat-file': { flags: '-t -s -e -p', first: ['name', 'name'], most: 2 },
    'merge-base': { flags: '--is-ancestor --all --fork-point --octopus', operands: 'name' },
    describe: {
      flags: '--tags --all --always --dirty --long',
      attached: '--abbrev --dirty',
      values: { word: '--match' },
      operands: 'name',
    },
    'name-rev': { flags: '--name-only --tags', operands: 'name' },
    'for-each-ref': { attached: '--format --sort --count --merged --contains', operands: 'name' },
    'show-ref': { flags: '--heads --tags --verify -s -d -q', operands: 'name' },
    'check-ignore': { flags: '-v -n -q -z --no-index', operands: 'read' },
    'count-objects': { flags: '-v -H' },
    grep: {
      flags: `-n --line-number -i --ignore-case -l --files-with-matches -L -c --count -w --word-regexp -E -F -P -G -h -H -v
      -o -q -I -a --cached --untracked --heading --break -p -W --all-match --name-only --full-name`,
      values: { word: '-e', number: '-A -B -C -m --max-depth' },
      attached: '--color',
      first: ['word'],
      operands: 'read',
    },
    branch: {
      flags: `-a -r -v -l --list --all --remotes --show-current -d -D -m -M -c -C -f --delete --move --copy --force --merged
      --no-merged --no-track -q --contains --no-color --unset-upstream`,
      values: { name: '-u' },
      attached: '--sort --format --merged --no-merged --contains --set-upstream-to --color --track',
      operands: 'name',
    },
    tag: {
      flags: '-l --list -a --annotate -d --delete -f --force -n --merged --contains --no-sign',
      values: MESSAGE,
      attached: '--sort --format -n --merged --contains --points-at',
      operands: 'word',
    },
    add: {
      flags: '-A --all -u --update -n --dry-run -v --verbose -f --force -N --intent-to-add',
      operands: 'read',
      // Git would ask a repository that was added what has changed, and follow its settings for that.
      check: ({ operands }, setting) =>
        operands.some(({ text }) => text === undefined || (!/^\.\/*$/.test(text) && setting.exists(`${text}/.git`)))
          ? 'a repository inside of this one may be added'
          : undefined,
    },
    commit: {
      flags: `-a --all --amend --no-edit --allow-empty --allow-empty-message -n --no-verify -q --quiet -v --verbose -s --signoff
      --dry-run --no-gpg-sign --reset-author -i --include -o --only --short --porcelain`,
      values: { ...MESSAGE, read: '-F --file', name: '-C --fixup', word: '--author --date --trailer' },
      operands: 'read',
    },
    checkout: {
      flags: '-b -B -f --force -q --quiet --ours --theirs --detach -t --track --no-track -m --merge --orphan',
      operands: 'read',
    },
    switch: {
      flags: '-c -C --create --detach -d -f --force --discard-changes -q --quiet -t --track --no-track -m --merge',
      operands: 'name',
    },
    restore: {
      flags: '--staged -S --worktree -W -q --quiet --ours --theirs',
      values: { name: '-s --source' },
      operands: 'read',
    },
    reset: { flags: '--soft --mixed --hard --keep --merge -q --quiet', operands: 'read' },
    rm: { flags: '-r -f --force -q --quiet --cached -n --dry-run --ignore-unmatch', operands: 'change' },
    mv: { flags: '-f --force -n --dry-run -k -v', operands: 'change' },
    clean: { flags: '-n --dry-run -d -f --force -x -X -q', operands: 'change' },
    stash: {
      commands: {
        push: {
          flags: '-q --quiet -k --keep-index -u --include-untracked -S --staged',
          values: MESSAGE,
          operands: 'read',
        },
        ...alike('pop apply', { flags: '-q --quiet --index', operands: 'name' }),
        ...alike('list show', looking),
        drop: { flags: '-q --quiet', operands: 'name' },
      },
    },
    merge: {
      flags: '--no-ff --ff-only --ff --squash --abort --continue --no-commit --no-edit -q --quiet --stat --no-verify',
      values: MESSAGE,
      operands: 'name',
    },
    rebase: {
      flags: '--abort --continue --skip --quit --autostash -q --quiet --no-verify --keep-empty',
      values: { name: '--onto' },
      operands: 'name',
    },
    'cherry-pick': { flags: '--abort --continue --skip --quit -n --no-commit -x --allow-empty --ff', operands: 'name' },
    revert: { flags: '--abort --continue --skip --quit -n --no-commit --no-edit', operands: 'name' },
    fetch: {
      flags: '--all -a -p --prune -t --tags -q --quiet -v --verbose -f --force --dry-run --no-tags --unshallow',
      values: { number: '--depth' },
      first: ['name'],
      operands: 'name',
      check: fromRemote,
    },
    pull: {
      flags:
        '--rebase --no-rebase -r --ff-only --no-ff --ff --autostash -q --quiet -v --verbose -p --prune --no-edit --tags',
      attached: '--rebase',
      first: ['name'],
      operands: 'name',
      check: fromRemote,
    },
    push: {
      flags:
        '-u --set-upstream -f --force --force-with-lease --tags --follow-tags --all -q --quiet -v --dry-run -n --delete -d --no-verify',
      attached: '--force-with-lease',
      first: ['name'],
      operands: 'name',
      check: fromRemote,
    },
    remote: {
      flags: '-v --verbose',
      commands: { 'get-url': { flags: '--push --all', operands: 'name' } },
    },
    config: {
      flags:
        '--get --get-all --get-regexp --list -l --local --global --system --show-origin --show-scope --name-only -z',
      operands: 'word',
      optionsFirst: true,
      check: unlessConfigured,
    },
    worktree: { commands: { list: { flags: '--porcelain -v' } } },
    submodule: { commands: { status: {} } },
    bisect: { commands: { ...alike('log reset skip', {}), ...alike('good bad start', { operands: 'name' }) } },
    version: {},
    var: { flags: '-l', operands: 'name' },
  },
}
