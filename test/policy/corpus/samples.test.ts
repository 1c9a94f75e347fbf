import { describe, expect, it } from 'vitest'
import { commandsOf } from './read-lines.ts'
import { isAllowed, type RuleSetName, ruleSets } from './rule-sets.ts'
import { withSlots } from './slot.ts'

/** One line for each guard that stands alone against its kind of attack: fast enough to be run for every mutation. */
const SAMPLES: readonly [RuleSetName, string][] = [
  ['npm-test', "for RANDOM in 'a[$(touch PWNED)]'; do npm test; done"],
  ['npm-test', 'cd sub && npm test'],
  ['npm-test', 'command cd sub; npm test'],
  ['read', ': {PATH}>/dev/null; ls'],
  ['read', "printf '12345%n' PATH; ls"],
  ['read', "test -v 'a[$(touch PWNED)]'"],
  ['git', 'git -C bare status'],
  ['git', 'git fetch bare'],
  ['git', "git config alias.x '!touch PWNED'"],
  ['git', 'git grep --open=./evil/less TODO'],
  ['npm', 'npm run env -- touch PWNED'],
  ['npm', 'npm install ./evil-package'],
  ['write', 'echo x > src/log.txt'],
  ['write', 'echo x > src/link/../notes.txt'],
  ['write', 'echo x > .git/hooks/pre-commit'],
  ['text', "sed '1e touch PWNED' README.md"],
  ['text', 'awk \'BEGIN { system("touch PWNED") }\''],
  ['text', "tar cIf 'touch PWNED' /dev/null src"],
  ['deny-rm', 'time { rm precious.txt; }'],
  ['deny-rm', "trap -- 'rm precious.txt' EXIT"],
  ['deny-read', 'cat /proc/self/cwd/.env'],
  ['deny-read', 'cat .[!x]nv'],
  ['deny-write', 'cp README.md infra'],
]

describe('samples of the attack corpus', () => {
  it('are not allowed, one for each guard', async () => {
    const allowed = await withSlots(1, SAMPLES, async ([rules, text], slot) =>
      commandsOf(text, slot).some((command) => isAllowed(command, ruleSets[rules], slot.root)) ? [text] : [],
    )
    expect(allowed.flat()).toEqual([])
  }) // T1, T2, T5, T6, T11, T12, T13, T17
})
