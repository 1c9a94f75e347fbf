import { alike, type Uses } from './use.ts'

/** `VAR=value` and other makefiles are not here: both can name any program. */
const MAKE: Uses = {
  flags: '-s -k -n -B -i --silent --quiet --keep-going --dry-run --always-make --version',
  attached: '-j --jobs',
  operands: 'name',
}

const PYTEST: Uses = {
  flags:
    '-q -v -vv -vvv -x -s -l --lf --ff --co --collect-only --no-header --disable-warnings --quiet --verbose --exitfirst --last-failed --failed-first --version --no-cov --cov',
  values: { word: '-k -m -n', number: '--maxfail --durations', name: '--tb' },
  attached: '--cov --cov-report',
  operands: 'inside',
}
/** What `python -m` may run. */
export const PYTHON_MODULES: Readonly<Record<string, Uses>> = {
  pytest: PYTEST,
  unittest: { flags: '-v -q -f -b', operands: 'name' },
  mypy: { flags: '--strict --no-error-summary --ignore-missing-imports --pretty --version', operands: 'inside' },
  ruff: {
    commands: {
      check: {
        flags: '--fix --no-fix --diff --quiet -q --watch --statistics',
        values: { word: '--select --ignore' },
        operands: 'inside',
      },
      format: { flags: '--check --diff --quiet -q', operands: 'inside' },
    },
    flags: '--version',
  },
  black: { flags: '--check --diff -q --quiet --version', values: { number: '-l' }, operands: 'inside' },
  flake8: { values: { number: '--max-line-length', word: '--select' }, operands: 'inside' },
  compileall: { flags: '-q', operands: 'inside' },
  'json.tool': { flags: '--sort-keys --compact', values: { number: '--indent' }, operands: 'read', most: 1 },
}

/** A file of the workspace, or one of these modules by `-m`, which `refuseModule` looks at. */
const PYTHON: Uses = {
  flags: '--version -V -u -B',
  first: ['script'],
  operands: 'word',
  endsAtOperand: true,
  check: ({ operands, options }) =>
    operands.length > 0 || options.some((option) => /^(--version|-V)$/.test(option))
      ? undefined
      : 'python without a file reads a program from its input',
}

const CARGO_BUILD: Uses = {
  flags:
    '--release --all --workspace --all-targets --all-features --no-default-features --lib --bins --tests --locked --offline --frozen -q --quiet -v --verbose --no-run --no-fail-fast --doc --check --fix --allow-dirty',
  values: { name: '-p --package --bin --test --example --target --exclude', word: '--features', number: '-j' },
  operands: 'name',
  rest: 'word',
}

const GO_BUILD: Uses = {
  flags: '-v -race -short -cover -failfast -json -n',
  values: { word: '-run -timeout -bench', number: '-count -p', name: '-tags' },
  attached: '-run -count -timeout -bench -tags -p',
  operands: 'word',
}

const GITHUB: Uses = {
  flags: '--draft -d --fill --comments -c --verbose --log --log-failed --name-only --patch',
  values: {
    text: '-t --title -b --body',
    read: '-F --body-file',
    name: '-B --base -H --head -s --state',
    number: '-L --limit',
    word: '--json -l --label -a --assignee',
  },
  operands: 'name',
}

const PIP: Uses = {
  flags: '--version -V',
  commands: {
    list: { flags: '--outdated', values: { name: '--format' } },
    show: { operands: 'name' },
    ...alike('freeze check', {}),
  },
}

/** Other languages and tools for building. */
export const LANGUAGES: Readonly<Record<string, Uses>> = {
  make: MAKE,
  ...alike('python python3', PYTHON),
  pytest: PYTEST,
  mypy: PYTHON_MODULES.mypy!,
  ruff: PYTHON_MODULES.ruff!,
  black: PYTHON_MODULES.black!,
  flake8: PYTHON_MODULES.flake8!,
  ...alike('pip pip3', PIP),
  cargo: {
    flags: '--version -V -q',
    commands: alike('build b test t check c clippy fmt doc bench run r tree clean fetch update metadata', CARGO_BUILD),
  },
  rustc: { flags: '--version -V' },
  go: {
    commands: {
      ...alike('build test', GO_BUILD),
      ...alike('vet fmt doc', { operands: 'word' }),
      run: {
        operands: 'word',
        endsAtOperand: true,
        check: ({ operands }) =>
          /^(\.(\/[\w./-]*)?|[\w/-]+\.go)$/.test(operands[0]?.text ?? '') && !operands[0]!.text!.includes('..')
            ? undefined
            : 'go run of something else',
      },
      list: { flags: '-m -json', operands: 'word' },
      mod: { commands: { tidy: { flags: '-v' }, download: {}, verify: {}, graph: {} } },
      version: {},
      env: { operands: 'name' },
    },
  },
  gofmt: { flags: '-l -d -s -w', operands: 'change' },
  gh: {
    flags: '--version',
    commands: {
      pr: { commands: alike('list view status checks diff create comment checkout', GITHUB) },
      issue: { commands: alike('list view status create comment', GITHUB) },
      run: { commands: alike('list view', GITHUB) },
      repo: { commands: { view: GITHUB } },
      auth: { commands: { status: {} } },
    },
  },
  docker: {
    flags: '--version -v',
    commands: {
      ps: { flags: '-a -q --all --quiet', values: { word: '--filter --format' } },
      images: { flags: '-a -q' },
      version: {},
      info: {},
      logs: { flags: '-f -t', values: { word: '--tail -n' }, operands: 'name' },
    },
  },
  curl: {
    flags: '-s -S -f -L -i -I -v -k --silent --show-error --fail --location --include --head --compressed -sS -4 -6',
    values: { name: '-X --request', number: '-m --max-time --retry' },
    operands: 'word',
    check: ({ operands }) =>
      operands.every(({ text }) => /^https?:\/\/[\w.:/?&=%#~+,@-]*$/.test(text ?? ''))
        ? undefined
        : 'curl of something that is not a plain address',
  },
}
