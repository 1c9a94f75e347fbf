import { isPlainFormat } from '../builtins.ts'
import { alike, type Uses } from './use.ts'

const GREP: Uses = {
  flags: `-r -R -n -i -l -L -c -v -w -x -o -E -F -P -G -h -H -s -q -a -I -z -b -y --recursive --dereference-recursive --line-number
  --ignore-case --files-with-matches --files-without-match --count --invert-match --word-regexp --line-regexp --only-matching
  --extended-regexp --fixed-strings --perl-regexp --no-filename --with-filename --no-messages --quiet --silent --text --null`,
  values: {
    word: '-e --regexp --include --exclude --exclude-dir -d',
    number: '-A -B -C -m --max-count --after-context --before-context --context',
    read: '-f --file',
  },
  digits: true,
  attached: '--color --colour --binary-files',
  operands: 'read',
}

/** Programs that search, sort and show text, or say something about the machine. */
export const TEXT: Readonly<Record<string, Uses>> = {
  echo: { prints: true },
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
    values: { word: '-d --date' },
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
    values: { word: '-p -C' },
    operands: 'word',
    check: ({ operands }) =>
      operands.every(({ text }) => /^(aux|ax|ef|axu|auxf|-ef)$/.test(text ?? ''))
        ? undefined
        : 'ps with other words is not among its known uses',
  },
  pgrep: { flags: '-f -l -a -x -n -o', operands: 'word' },
  sleep: { operands: 'word' },
  seq: { flags: '-w', values: { word: '-s' }, operands: 'number' },
  ...alike('grep egrep fgrep', GREP),
  rg: {
    flags: `-i -s -S -n -N -l -c -v -w -x -o -F -P -U -a -h -H -u -q -L -p --hidden --no-ignore --files --files-with-matches
    --files-without-match --count --json --multiline --fixed-strings --ignore-case --smart-case --line-number --no-heading --heading
    --no-filename --with-filename --invert-match --word-regexp --only-matching --column --vimgrep --stats --trim --no-messages
    --sort-files --pcre2 --text --quiet --no-config --no-line-number --follow`,
    values: {
      word: '-e -g -t -T --glob --type --iglob -r --replace',
      number: '-A -B -C -m --max-count --max-depth -d --context --max-columns -M',
    },
    attached: '--color --sort --sortr',
    operands: 'read',
  },
  sort: {
    flags:
      '-b -d -f -g -h -i -M -n -r -R -s -u -V -z -c -C --numeric-sort --reverse --unique --version-sort --human-numeric-sort',
    values: { word: '-k -t --key --field-separator', write: '-o --output' },
    operands: 'read',
  },
  uniq: {
    flags: '-c -d -D -i -u -z --count --repeated --unique',
    values: { number: '-f -s -w' },
    operands: 'read',
    most: 1,
  },
  cut: {
    flags: '-s -z --complement',
    values: { word: '-d -f -c -b' },
    attached: '--output-delimiter --fields --delimiter --characters',
    operands: 'read',
  },
  tr: { flags: '-c -C -d -s -t', operands: 'word' },
  column: { flags: '-t -x -n -e -L', values: { word: '-s -o', number: '-c' }, operands: 'read' },
  fold: { flags: '-b -s', values: { number: '-w' }, operands: 'read' },
  fmt: { flags: '-s -u', values: { number: '-w' }, operands: 'read' },
  paste: { flags: '-s -z', values: { word: '-d' }, operands: 'read' },
  join: { flags: '-i', values: { number: '-1 -2', word: '-t' }, operands: 'read' },
  expand: { values: { word: '-t' }, operands: 'read' },
  base64: { flags: '-d -D -i --decode', values: { number: '-w' }, operands: 'read' },
  jq: {
    flags:
      '-r -c -e -s -n -S -M -C -a -j -R --raw-output --compact-output --exit-status --slurp --null-input --sort-keys --tab',
    values: { number: '--indent' },
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
      word: `-name -iname -path -ipath -wholename -regex -iregex -type -mtime -mmin -atime -ctime -cmin -amin -size -perm
      -user -group -newermt -printf -lname -links -regextype`,
      number: '-maxdepth -mindepth -inum',
      read: '-newer -samefile',
    },
    operands: 'read',
  },
  fd: {
    flags: '-H -I -a -i -s -g -F -L -p -l -0 -u --hidden --no-ignore --absolute-path --glob --fixed-strings --follow',
    values: { word: '-e -t -E --extension --type --exclude', number: '-d --max-depth' },
    operands: 'read',
  },
}
