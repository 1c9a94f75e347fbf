// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is shell
import { describe, expect, it } from 'vitest'
import { spell } from './match-command.ts'
import { readShell } from './read-shell.ts'

const commands = (line: string) => readShell(line).commands.map(({ words }) => spell(words))
const redirections = (line: string) =>
  readShell(line).redirections.map(({ kind, target }) => `${kind} ${target.text ?? target.raw}`)

describe('the reader of command lines', () => {
  it('finds every simple command, wherever it stands', () => {
    expect(commands('a 1; b && c || d | e |& f & g\nh')).toEqual(['a 1', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
    expect(commands('{ a; }; (b; (c)); if d; then e; else f; fi; while g; do h; done')).toEqual([...'abcdefgh'])
    expect(commands('for x in 1 $(a); do b "$x"; done')).toEqual(['a', 'b "$x"'])
    expect(commands('x $(a) "$(b)" `c` <(d) >(e)')).toEqual([...'abcde', 'x $(a) "$(b)" `c` /dev/fd/63 /dev/fd/63'])
  })

  it('takes quotes away and leaves comments out', () => {
    expect(commands('g"i"t \'lo\'\\g "a b" a\\ b "" # rm x')).toEqual(["git log 'a b' 'a b' ''"])
    expect(commands('echo a#b; ls # x; rm y\nls')).toEqual(['echo a#b', 'ls', 'ls'])
    expect(commands('git \\\n  log')).toEqual(['git log'])
  })

  it('knows which words are known only when they run', () => {
    const known = (line: string) =>
      readShell(line)
        .commands.at(-1)
        ?.words.map(({ text, glob }) => text ?? glob ?? null)
    expect(known('a $b "$c" ${d} $(e) {f,g} ~/h $\'i\' j* "k*" {} [ x ]')).toEqual([
      'a',
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      'j*',
      'k*',
      '{}',
      '[',
      'x',
      ']',
    ])
  })

  it('finds redirections and what stands in heredocs', () => {
    expect(redirections('a < b > c 2>> d &> e >| f 3<> g 2>&1 >&h <&- <<< i')).toEqual([
      'read b',
      'write c',
      'write d',
      'write e',
      'write f',
      'write g',
      'write h',
    ])
    expect(commands('cat <<E; b\n$(c)\nE\nd')).toEqual(['cat', 'b', 'c', 'd'])
    expect(commands("cat <<'E'\n$(c)\nE\nd")).toEqual(['cat', 'd'])
    expect(commands('cat <<-E\n\t$(c "$(d)")\n\tE\ne')).toEqual(['cat', 'd', 'c "$(d)"', 'e'])
  })

  it('says what it does not know', () => {
    const unknown = ['case x in x) a;; esac', 'f() { a; }', 'function f { a; }', '[[ a ]]', 'a=(b)', '$((1))', '((1))']
    const broken = ['a "', "a '", 'a `', 'a $(', 'a )', 'a >', 'a <<E', 'a \\', 'a\u00a0b', 'a\rb', '${a[0]}', '${a@P}']
    for (const line of [...unknown, ...broken]) expect(readShell(line).unknown, line).toEqual(expect.any(String))
    for (const line of ['', '  ', '# a', 'a', 'a;', 'a & b', '! a'])
      expect(readShell(line).unknown, line).toBe(undefined)
  })
})
