import { isPlainFormat } from '../builtins.ts'
import type { Uses } from './use.ts'

const printing: Uses = { prints: true }

/** Programs that search, sort and show text, or say something about the machine. */
export const TEXT: Readonly<Record<string, Uses>> = {
  echo: printing,
  printf: {
    prints: true,
    check: ({ operands }) =>
      isPlainFormat(operands[0]?.text ?? '-') ? undefined : 'this format of printf is not among its known uses',
  },
  pwd: { flags: '-L -P' },
  which: { flags: '-a', operands: 'word' },
  type: { flags: '-a -t -p -P', operands: 'word' },
  date: {
    flags: '-u -R --utc',
    attached: '-I --iso-8601',
    values: { '-d': 'word', '--date': 'word' },
    operands: 'word',
    check: ({ operands }) =>
      operands.every(({ text }) => text?.startsWith('+')) ? undefined : 'date would set the clock',
  },
  whoami: {},
  id: { flags: '-u -g -n -G', operands: 'word' },
  uname: { flags: '-a -s -r -m -n -p -o -v' },
  hostname: { flags: '-s -f -i -I' },
  uptime: { flags: '-p -s' },
  nproc: {},
  free: { flags: '-h -m -g -k -b' },
  ps: {
    flags: '-e -f -a -u -x -l -A',
    values: { '-p': 'word', '-C': 'word' },
    operands: 'word',
    check: ({ operands }) =>
      operands.every(({ text }) => /^(aux|ax|ef|axu|auxf|-ef)$/.test(text ?? ''))
        ? undefined
        : 'ps with other words is not among its known uses',
  },
  pgrep: { flags: '-f -l -a -x -n -o', operands: 'word' },
  sleep: { operands: 'word' },
  seq: { flags: '-w', values: { '-s': 'word' }, operands: 'number' },
  grep: grepping(),
  egrep: grepping(),
  fgrep: grepping(),
  rg: {
    flags: `-i -s -S -n -N -l -c -v -w -x -o -F -P -U -a -h -H -u -q -L -p --hidden --no-ignore --files --files-with-matches
    --files-without-match --count --json --multiline --fixed-strings --ignore-case --smart-case --line-number --no-heading --heading
    --no-filename --with-filename --invert-match --word-regexp --only-matching --column --vimgrep --stats --trim --no-messages
    --sort-files --pcre2 --text --quiet --no-config --no-line-number --follow`,
    values: {
      '-e': 'word',
      '-g': 'word',
      '-t': 'word',
      '-T': 'word',
      '-A': 'number',
      '-B': 'number',
      '-C': 'number',
      '-m': 'number',
      '--glob': 'word',
      '--type': 'word',
      '--max-count': 'number',
      '--max-depth': 'number',
      '-d': 'number',
      '--iglob': 'word',
      '-r': 'word',
      '--replace': 'word',
      '--context': 'number',
      '--max-columns': 'number',
      '-M': 'number',
    },
    attached: '--color --sort --sortr',
    operands: 'read',
  },
  sort: {
    flags:
      '-b -d -f -g -h -i -M -n -r -R -s -u -V -z -c -C --numeric-sort --reverse --unique --version-sort --human-numeric-sort',
    values: {
      '-k': 'word',
      '-t': 'word',
      '--key': 'word',
      '--field-separator': 'word',
      '-o': 'write',
      '--output': 'write',
    },
    operands: 'read',
  },
  uniq: {
    flags: '-c -d -D -i -u -z --count --repeated --unique',
    values: { '-f': 'number', '-s': 'number', '-w': 'number' },
    operands: 'read',
    most: 1,
  },
  cut: {
    flags: '-s -z --complement',
    values: { '-d': 'word', '-f': 'word', '-c': 'word', '-b': 'word' },
    attached: '--output-delimiter --fields --delimiter --characters',
    operands: 'read',
  },
  tr: { flags: '-c -C -d -s -t', operands: 'word' },
  column: { flags: '-t -x -n -e -L', values: { '-s': 'word', '-c': 'number', '-o': 'word' }, operands: 'read' },
  fold: { flags: '-b -s', values: { '-w': 'number' }, operands: 'read' },
  fmt: { flags: '-s -u', values: { '-w': 'number' }, operands: 'read' },
  paste: { flags: '-s -z', values: { '-d': 'word' }, operands: 'read' },
  join: { flags: '-i', values: { '-1': 'number', '-2': 'number', '-t': 'word' }, operands: 'read' },
  expand: { values: { '-t': 'word' }, operands: 'read' },
  base64: { flags: '-d -D -i --decode', values: { '-w': 'number' }, operands: 'read' },
  jq: {
    flags:
      '-r -c -e -s -n -S -M -C -a -j -R --raw-output --compact-output --exit-status --slurp --null-input --sort-keys --tab',
    values: { '--indent': 'number' },
    first: ['word'],
    operands: 'read',
    check: ({ operands }) =>
      /\b(import|include)\b/.test(operands[0]?.text ?? '') ? 'this jq program reads other files' : undefined,
  },
  find: {
    // Options of find are words of its expression, in which order decides; none of these runs or writes anything.
    flags: `-L -P -H -print -print0 -ls -not -a -o -and -or -depth -empty -readable -writable -executable -prune -quit -mount -xdev
    -true -false -daystart -nouser -nogroup`,
    values: {
      '-name': 'word',
      '-iname': 'word',
      '-path': 'word',
      '-ipath': 'word',
      '-wholename': 'word',
      '-regex': 'word',
      '-iregex': 'word',
      '-type': 'word',
      '-maxdepth': 'number',
      '-mindepth': 'number',
      '-mtime': 'word',
      '-mmin': 'word',
      '-atime': 'word',
      '-ctime': 'word',
      '-cmin': 'word',
      '-amin': 'word',
      '-size': 'word',
      '-newer': 'read',
      '-perm': 'word',
      '-user': 'word',
      '-group': 'word',
      '-newermt': 'word',
      '-printf': 'word',
      '-lname': 'word',
      '-inum': 'number',
      '-links': 'word',
      '-regextype': 'word',
      '-samefile': 'read',
    },
    operands: 'read',
  },
  fd: {
    flags: '-H -I -a -i -s -g -F -L -p -l -0 -u --hidden --no-ignore --absolute-path --glob --fixed-strings --follow',
    values: {
      '-e': 'word',
      '-t': 'word',
      '-d': 'number',
      '-E': 'word',
      '--extension': 'word',
      '--type': 'word',
      '--max-depth': 'number',
      '--exclude': 'word',
    },
    operands: 'read',
  },
}

function grepping(): Uses {
  return {
    flags: `-r -R -n -i -l -L -c -v -w -x -o -E -F -P -G -h -H -s -q -a -I -z -b -y --recursive --dereference-recursive --line-number
    --ignore-case --files-with-matches --files-without-match --count --invert-match --word-regexp --line-regexp --only-matching
    --extended-regexp --fixed-strings --perl-regexp --no-filename --with-filename --no-messages --quiet --silent --text --null`,
    values: {
      '-e': 'word',
      '-A': 'number',
      '-B': 'number',
      '-C': 'number',
      '-m': 'number',
      '-f': 'read',
      '--regexp': 'word',
      '--max-count': 'number',
      '--after-context': 'number',
      '--before-context': 'number',
      '--context': 'number',
      '--include': 'word',
      '--exclude': 'word',
      '--exclude-dir': 'word',
      '--file': 'read',
      '-d': 'word',
    },
    digits: true,
    attached: '--color --colour --binary-files',
    operands: 'read',
  }
}
