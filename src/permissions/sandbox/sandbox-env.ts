import { gitEnv } from './git/git-env.ts'

/** Variables that programs need and that hold no secrets. Everything else stays outside. */
const PASSED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_\w+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|CI|EDITOR|PAGER|NODE_ENV|NODE_OPTIONS|NVM_DIR|NVM_BIN|VOLTA_HOME|FNM_DIR|PNPM_HOME|COREPACK_HOME|GOPATH|GOROOT|GOFLAGS|CARGO_HOME|RUSTUP_HOME|RUSTFLAGS|JAVA_HOME|MAVEN_OPTS|GRADLE_USER_HOME|PYENV_ROOT|VIRTUAL_ENV|PYTHONPATH|PYTHONDONTWRITEBYTECODE|RBENV_ROOT|GEM_HOME|BUN_INSTALL|DENO_DIR|DEBIAN_FRONTEND|SOURCE_DATE_EPOCH|DESKMATES_AGENT|DESKMATES_TEAM|DESKMATES_PROJECT_DIR|CLAUDE_PROJECT_DIR|GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE))$/

/** With a network: where it is reached, and whom to believe. */
const FOR_NETWORK = /^((HTTPS?|NO|ALL)_PROXY|(https?|no|all)_proxy|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/

/** The environment inside of the sandbox: an allow-list, and what the user adds to it by name. */
export function sandboxEnv(
  env: Readonly<Record<string, string>>,
  { also = [], hasNetwork = false }: { also?: readonly string[]; hasNetwork?: boolean } = {},
): Record<string, string> {
  const isPassed = (name: string) => PASSED.test(name) || also.includes(name) || (hasNetwork && FOR_NETWORK.test(name))
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => isPassed(name))),
    ...gitEnv({ runsHooks: true }),
  }
}
