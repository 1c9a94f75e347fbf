import { alike, type Given, type Setting, type Uses } from './use.ts'

const QUIET =
  '-s --silent -q --quiet --if-present --no-audit --no-fund --no-progress --offline --prefer-offline --verbose'
const CHOOSE = { name: '-w --workspace', folder: '--prefix' } as const
const ALL = '--workspaces -ws --include-workspace-root'
const SAVE =
  '-D --save-dev -S --save -E --save-exact -O --save-optional --no-save --save-peer --production --legacy-peer-deps --ignore-scripts --frozen-lockfile --force -f'

/** A script of `package.json`. What stands before `--` would be npm's own. */
const script: Uses = {
  flags: `${QUIET} ${ALL}`,
  values: CHOOSE,
  first: ['name'],
  operands: 'word',
  rest: 'word',
  check: onlyNames,
}
const test: Uses = { flags: `${QUIET} ${ALL}`, values: CHOOSE, operands: 'word', rest: 'word' }
const looking: Uses = {
  flags: '--json --long -l -a --all --parseable',
  values: { number: '--depth' },
  operands: 'name',
}
const installing: Uses = {
  flags: `${QUIET} ${ALL} ${SAVE}`,
  values: CHOOSE,
  attached: '--omit --include',
  operands: 'word',
  check: onlyPackages,
}

/** A name and perhaps a version, as a registry has it: no folder, no archive, no address. */
function onlyPackages({ operands }: Given, setting: Setting): string | undefined {
  for (const { text } of operands)
    if (
      !/^(@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(@[\^~]?[\w.-]+)?$/i.test(text ?? '') ||
      /\.t(ar|gz)/.test(text!) ||
      setting.exists(text!)
    )
      return `${text ?? 'a word'} is not the name of a package`
  return undefined
}

/** `npm run env` runs its words as a command where there is no such script. */
function onlyNames({ operands }: Given): string | undefined {
  if (operands[0]?.text === 'env') return 'npm run env runs any command'
  return operands.every(({ text }) => text === undefined || !text.includes('=')) ? undefined : 'it sets something'
}

const NPM: Uses = {
  flags: `--version -v ${QUIET} ${ALL}`,
  values: CHOOSE,
  commands: {
    ...alike('test t start stop restart', test),
    ...alike('run run-script', script),
    ...alike('ci install i add uninstall remove rm update dedupe', installing),
    ...alike('ls list outdated view info explain why', looking),
    ...alike('ping root bin prefix whoami fund doctor', {}),
    audit: { flags: '--json --production', attached: '--omit --audit-level' },
    help: { operands: 'name' },
    pack: {
      flags: '--dry-run --json',
      check: ({ options }) => (options.includes('--dry-run') ? undefined : 'npm pack writes a file'),
    },
  },
}

/** pnpm and yarn take the name of a script for a command. */
const WITH_SCRIPTS = { ...NPM.commands, ...alike('build lint dev typecheck format check', test) }
const PNPM: Uses = {
  flags: `--version -v -r --recursive ${QUIET}`,
  values: { name: '--filter -F', folder: '-C --dir' },
  commands: WITH_SCRIPTS,
}
const YARN: Uses = { flags: `--version -v ${QUIET}`, values: { folder: '--cwd' }, commands: WITH_SCRIPTS }

/** Checkers, compilers and test runners of JavaScript. They read their own settings from the workspace. */
const TOOLS: Readonly<Record<string, Uses>> = {
  tsc: {
    flags:
      '--noEmit --watch -w -b --build --version -v --strict --pretty --listFiles --incremental --skipLibCheck --emitDeclarationOnly --declaration --showConfig --extendedDiagnostics --diagnostics --force',
    values: { inside: '-p --project', write: '--outDir', name: '--target --module' },
    operands: 'inside',
  },
  vitest: {
    flags:
      '--run --watch --coverage --silent --no-coverage --bail --no-color --changed --globals --passWithNoTests -u --update --version -v',
    values: { word: '-t --testNamePattern', name: '--reporter --project --pool', number: '--testTimeout --retry' },
    attached: '--bail --coverage --changed',
    operands: 'read',
  },
  jest: {
    flags:
      '--watch --coverage --silent --verbose --bail -b -i --runInBand --passWithNoTests --ci --no-coverage -u --updateSnapshot --onlyChanged -o --forceExit --detectOpenHandles --listTests --version --no-cache',
    values: { word: '-t --testNamePattern --testPathPattern --maxWorkers -w', number: '--testTimeout' },
    attached: '--bail --coverage',
    operands: 'read',
  },
  mocha: {
    flags: '--bail -b --recursive --watch -w --exit --no-color --version',
    values: { word: '-g --grep', number: '--timeout -t', name: '--reporter -R' },
    operands: 'inside',
  },
  eslint: {
    flags: '--fix --quiet --cache --no-cache --version -v --debug --no-color --color --fix-dry-run',
    values: { word: '--ext', number: '--max-warnings', name: '-f --format' },
    operands: 'inside',
  },
  prettier: {
    flags: '--check -c --list-different -l --version --no-color --cache --ignore-unknown -u --write -w',
    values: { name: '--log-level --parser' },
    operands: 'inside',
  },
  biome: {
    commands: alike('check lint format ci', {
      flags: '--write --fix --unsafe --staged --changed --no-errors-on-unmatched',
      values: { name: '--max-diagnostics' },
      operands: 'inside',
    }),
  },
  playwright: {
    commands: {
      test: {
        flags: '--list --forbid-only --quiet --update-snapshots',
        values: { word: '-g --grep', name: '--project --reporter', number: '--workers --retries' },
        operands: 'read',
      },
    },
  },
  vite: { commands: { build: { flags: '--minify --sourcemap', values: { name: '--mode' } } }, flags: '--version' },
  next: { commands: { build: {}, lint: {} }, flags: '--version' },
  turbo: {
    commands: { run: { operands: 'name', flags: '--force', values: { name: '--filter' } } },
    flags: '--version',
  },
  knip: { flags: '--production --strict --no-progress --dependencies --exports --files' },
}

const NODE_TEST =
  '--test --test-only --experimental-test-coverage --enable-source-maps --no-warnings --experimental-strip-types --watch'

/** A file of the workspace, with whatever words; none of node's ways to run a text or to load something first. */
const node: Uses = {
  flags: `--version -v --check -c ${NODE_TEST}`,
  values: { word: '--test-name-pattern', name: '--test-reporter' },
  first: ['script'],
  operands: 'word',
  endsAtOperand: true,
  check: ({ options, operands }, setting) =>
    options.includes('--test')
      ? operands.every(({ text }) => text !== undefined && !text.startsWith('-') && setting.isScript(text))
        ? undefined
        : 'node --test takes files of the workspace'
      : operands.length > 0 || options.some((option) => /^(--version|-v)$/.test(option))
        ? undefined
        : 'node without a file reads a program from its input',
}

/** The JavaScript side of a workspace. */
export const NODE: Readonly<Record<string, Uses>> = {
  node,
  npm: NPM,
  pnpm: PNPM,
  yarn: YARN,
  npx: { flags: '--no-install --no', commands: TOOLS },
  ...TOOLS,
}
