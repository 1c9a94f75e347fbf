/** A seeded generator of numbers (mulberry32): the same seed, the same lines. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/**
 * Command lines as bash reads them: mostly plain ones, which rules allow, with every construct of the language mixed in
 * now and then. `wild` is how often, from 0 to 1.
 */
export function generateLine(random: () => number, wild: number): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const isWild = () => random() < wild
  const times = (most: number, make: () => string, between = ' ') =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, make).join(between)

  const program = () =>
    pick(['ls', 'cat', 'grep', 'head', 'wc', 'git', 'npm', 'echo', 'sort', 'find', 'sed', 'printf', 'test'])
  const foreign = () => pick(['touch', 'rm', 'evil', './evil/ls', 'cp', 'curl', 'id', 'make'])
  const variable = () =>
    pick(['f', 'x', 'file', 'PATH', 'HOME', 'IFS', 'RANDOM', '_', 'i', 'BASH_ENV', 'PS4', 'CDPATH'])
  const loopVariable = () => (isWild() ? variable() : pick(['f', 'file', 'i']))
  const literal = () =>
    pick([
      'a',
      'src/a.ts',
      'README.md',
      '-n',
      '-la',
      '1',
      'foo',
      'b.txt',
      'status',
      'log',
      'test',
      '--oneline',
      '--',
      'x y',
      '.env',
      '*',
      '-c',
      '-o',
      'out',
      '{}',
      '-exec',
      'p',
      'src',
    ])

  function quoted(text: string): string {
    const style = random()
    if (/[ *{}]/.test(text)) return isWild() ? text : `'${text}'`
    if (style < 0.7) return text
    if (style < 0.8) return `'${text}'`
    if (style < 0.9) return `"${text}"`
    if (style < 0.95) return `$'${text}'`
    return [...text].map((sign, i) => (i === 0 && /\w/.test(sign) ? `\\${sign}` : sign)).join('')
  }

  function expansion(depth: number): string {
    const inner = () => line(depth + 1)
    return pick([
      () => `$${variable()}`,
      () => `"$${variable()}"`,
      () => `\${${variable()}:-${literal().replace(/[ *{}]/g, '')}}`,
      () => `$(${inner()})`,
      () => `"$(${inner()})"`,
      () => `\`${command(9)}\``,
      () => `<(${inner()})`,
      () => `$((a[$(${foreign()})0]))`,
      () => `\${a[$(${foreign()})0]}`,
      () => `{${literal().replace(/[ {}]/g, '')},${literal().replace(/[ {}]/g, '')}}`,
      () => `$'\\x2d'${literal().replace(/[ *{}]/g, '')}`,
      () => `"\${${variable()}@P}"`,
      () => `~${pick(['', '+', '-', '/x'])}`,
      () => `\${${variable()}:=${foreign()}}`,
      () => `s${pick(['?c', '*', '[r]c'])}`,
    ])()
  }

  function word(depth: number): string {
    return depth < 3 && isWild() ? expansion(depth) : quoted(literal())
  }

  function arguments_(depth: number): string {
    return times(3, () => word(depth))
  }

  function redirection(depth: number): string {
    const target = isWild()
      ? pick(['out', 'PWNED', 'src/link', '../outside', '"$f"', '$(echo out)', '.git/config', 'src/log.txt'])
      : pick(['/dev/null', 'src/out.txt', '&1'])
    if (target === '&1') return '2>&1'
    return pick([
      () => `> ${target}`,
      () => `2> ${target}`,
      () => `>> ${target}`,
      () => '< README.md',
      () => (isWild() ? `{${variable()}}> ${target}` : '2>&1'),
      () => (isWild() ? `<<< "$(${command(depth + 1)})"` : '<<< text'),
    ])()
  }

  function command(depth: number): string {
    const name = isWild()
      ? pick([
          foreign(),
          `$${variable()}`,
          `${program().slice(0, 1)}''${program().slice(1)}`,
          `\\${program()}`,
          word(depth),
        ])
      : program()
    const before = random() < wild / 3 ? `${variable()}=${literal().replace(/[ *{}]/g, '')} ` : ''
    const wrapper =
      random() < wild / 2
        ? `${pick(['env', 'timeout 5', 'nice', 'command', 'time', 'exec', 'builtin', '!', 'xargs', 'env -S', 'bash -c', 'eval', 'nohup', 'time -p', 'coproc', 'env -u A'])} `
        : ''
    const after = random() < 0.2 ? ` ${redirection(depth)}` : ''
    return `${before}${wrapper}${name} ${arguments_(depth)}${after}`.trimEnd()
  }

  const builtin = () =>
    pick([
      () => `read ${variable()} <<< ${foreign()}`,
      () => `printf -v ${variable()} ${foreign()}`,
      () => `declare ${variable()}=${foreign()}`,
      () => `test -v 'a[$(${foreign()} x)]'`,
      () => `trap '${foreign()} x' EXIT`,
      () => `hash -p ./evil/ls ls`,
      () => `alias ls=${foreign()}`,
      () => `set -- ${foreign()}`,
      () => `cd ${pick(['src', '..', 'src/link', '-', 'evil'])}`,
      () => `let 'a[$(${foreign()} x)0]'`,
      () => `export ${variable()}=x`,
      () => `${program()}() { ${foreign()} x; }`,
      () => `. ./evil.sh`,
      () => `enable -n test`,
      () => `exec 3> out`,
      () => `jobs -x ${foreign()} x`,
    ])()

  function compound(depth: number): string {
    const body = () => line(depth + 1)
    return pick([
      () => `for ${loopVariable()} in ${arguments_(depth) || 'a'}; do ${body()}; done`,
      () => `for f in a b.txt; do ${program()} "$f"; done`,
      () => `if ${body()}; then ${body()}; else ${body()}; fi`,
      () => `while ${body()}; do ${body()}; break; done`,
      () => `{ ${body()}; }`,
      () => `( ${body()} )`,
      () => `case ${word(depth)} in a) ${body()};; *) ${body()};; esac`,
      () => `[[ ${word(depth)} == ${word(depth)} ]] && ${body()}`,
      () => `cd src && ${body()}`,
      () => `cat <<'E'\n$(${foreign()} x)\nE\n${body()}`,
      () => (isWild() ? `cat <<E\n$(${foreign()} x)\nE` : `cat <<E\nplain\nE`),
      () => (isWild() ? `time ${compound(depth + 1)}` : `! ${command(depth)}`),
      () => (isWild() ? `(( a[$(${foreign()})0] ))` : `(ls)`),
      () => (isWild() ? builtin() : 'true'),
      () => `git commit -m "$(cat <<'E'\n${literal()}\nE\n)"`,
    ])()
  }

  function line(depth: number): string {
    const part = () =>
      depth < 3 && random() < 0.25 ? compound(depth) : random() < wild / 4 ? builtin() : command(depth)
    const parts = Array.from({ length: 1 + Math.floor(random() * (depth === 0 ? 3 : 1.5)) }, part)
    return parts.reduce(
      (all, next) => `${all}${pick(['; ', ' && ', ' | ', ' || ', '\n', isWild() ? ' & ' : '; '])}${next}`,
    )
  }

  return line(0)
}
