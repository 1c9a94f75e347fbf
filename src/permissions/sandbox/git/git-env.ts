/**
 * Configuration of git for commands of agents. It holds over every file: no repository that came in as files of another
 * one, no transport that runs a program, no program that watches files, no look into nested repositories, whose own
 * configuration would count there. Hooks run inside of the sandbox, where they can do no more than the command; outside
 * they do not run, because git cannot tell the user's from those of a clone.
 */
export function gitEnv({ runsHooks }: { runsHooks: boolean }): Record<string, string> {
  return asVariables([
    ['safe.bareRepository', 'explicit'],
    ['protocol.ext.allow', 'never'],
    ['core.fsmonitor', 'false'],
    ['diff.ignoreSubmodules', 'dirty'],
    ['diff.submodule', 'short'],
    ['status.submoduleSummary', 'false'],
    ['submodule.recurse', 'false'],
    ['fetch.recurseSubmodules', 'false'],
    ...(runsHooks ? [] : [['core.hooksPath', '/dev/null'] as const]),
  ])
}

/** git takes these from the environment with the precedence of `git -c`. */
export function asVariables(settings: readonly (readonly [key: string, value: string])[]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) }
}
