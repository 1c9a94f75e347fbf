import { basename, join } from 'node:path'
import type { Word } from '../word.ts'
import { alike, type Given, type Setting, type Uses } from './use.ts'

const reading = (flags: string, more: Partial<Uses> = {}): Uses => ({ flags, operands: 'read', ...more })

/** What is put into a folder takes the place of what is there, also of a link that leads elsewhere. */
function intoFolder({ operands, options }: Given, setting: Setting): string | undefined {
  const isDeep = options.some((option) => /^(-[rRa]|--recursive)$/.test(option))
  const target = operands.at(-1)?.text
  if (target === undefined) return 'where it writes is not known before'
  for (const { text, loop } of operands.slice(0, -1))
    for (const source of loop?.map((word) => word.text) ?? [text]) {
      if (source === undefined) return 'what it writes is not known before'
      const place = join(target, basename(source))
      if (!setting.mayChange(place) || place === join(target)) return `it may not write ${place}`
      // What is merged into a folder may follow the links in it.
      if (isDeep && setting.exists(setting.isFolder(target) && setting.exists(target) ? place : target))
        return `${target} is there already`
    }
  return undefined
}

const COLUMNS =
  '-a -A -l -h -R -r -t -S -1 -d -F -i -s -n -p -g -o -G -H -L -B -b -c -C -k -m -N -q -Q -u -U -v -x -X -Z'

/** Programs that list, read, compare, make, copy and remove files. */
export const FILES: Readonly<Record<string, Uses>> = {
  ls: reading(
    `${COLUMNS} --all --almost-all --human-readable --recursive --directory --classify --full-time --inode --reverse --size`,
    {
      attached: '--color --sort --time --format --time-style --indicator-style',
      values: { word: '-I --ignore', number: '-w' },
    },
  ),
  cat: reading('-A -b -e -E -n -s -t -T -u -v --number --show-all --show-ends --squeeze-blank'),
  ...alike('tac rev cksum zcat', reading('')),
  nl: reading('-p', { values: { word: '-b -s -n', number: '-w -v' } }),
  head: reading('-q -v -z --quiet --verbose', {
    digits: true,
    values: { number: '-n -c --lines --bytes' },
  }),
  tail: reading('-q -v -z -f -F --quiet --verbose --follow --retry', {
    digits: true,
    values: { number: '-n -c --lines --bytes -s' },
  }),
  wc: reading('-l -w -c -m -L --lines --words --bytes --chars --max-line-length'),
  stat: reading('-L -t -f --dereference --terse', { values: { word: '-c --format --printf' } }),
  file: reading('-b -i -L -h -k --brief --mime --mime-type --mime-encoding'),
  du: reading('-a -b -c -h -k -m -s -S -x -L --summarize --human-readable --total --all --apparent-size', {
    values: { number: '-d --max-depth', word: '--exclude' },
  }),
  df: reading('-a -h -H -i -k -T -l -P'),
  tree: reading('-a -d -f -i -l -p -s -h -u -g -D -F -C -n -J -X --dirsfirst --noreport --gitignore --prune --du', {
    values: { number: '-L --filelimit', word: '-I -P' },
  }),
  realpath: reading('-e -m -s -q -L -P', { values: { word: '--relative-to' } }),
  readlink: reading('-e -f -m -n -q'),
  basename: { flags: '-a -z', values: { word: '-s' }, operands: 'word' },
  dirname: { flags: '-z', operands: 'word' },
  ...alike('md5sum sha1sum sha256sum sha512sum', reading('-b -t -c --check --quiet --status')),
  shasum: reading('-b -t', { values: { number: '-a' } }),
  diff: reading(
    '-u -r -N -q -s -w -b -B -i -y -a -c -e -n --brief --recursive --unified --side-by-side --ignore-all-space --no-dereference --suppress-common-lines',
    {
      values: { number: '-U -C -W', word: '-x --exclude' },
      attached: '--color --unified',
    },
  ),
  cmp: reading('-s -l -b --silent --quiet', { values: { number: '-n' } }),
  comm: reading('-1 -2 -3 -i --nocheck-order'),
  od: reading('-A -c -x -b -d -o -v', { values: { word: '-t', number: '-N -j' }, attached: '-A' }),
  hexdump: reading('-C -c -b -x -v', { values: { number: '-n -s' } }),
  xxd: reading('-p -u -b -i', { values: { number: '-l -s -c' }, most: 1 }),
  strings: reading('-a -f', { values: { number: '-n' } }),
  mkdir: { flags: '-p -v --parents --verbose', operands: 'change' },
  touch: { flags: '-a -c -m --no-create', operands: 'change' },
  rmdir: { flags: '-p -v --parents', operands: 'change' },
  rm: { flags: '-r -R -f -v -d --recursive --force --verbose --dir', operands: 'change' },
  cp: {
    flags: '-r -R -f -v -p -n -u -a --recursive --force --verbose --no-clobber --update --preserve',
    operands: 'read',
    last: 'change',
    check: intoFolder,
  },
  mv: { flags: '-f -v -n -u --force --verbose --no-clobber', operands: 'change', check: intoFolder },
  tee: { flags: '-a --append', operands: 'change' },
  zipinfo: reading('-1 -l -s -v'),
  unzip: reading('-l -v -t -q', {
    check: ({ options }) => (options.some((one) => /^-[lt]$/.test(one)) ? undefined : 'unzip writes files'),
  }),
  gzip: {
    flags: '-l -t -v',
    operands: 'read',
    check: ({ options }) => (options.some((one) => /^-[lt]$/.test(one)) ? undefined : 'gzip writes files'),
  },
}

/**
 * tar that lists an archive, or makes one. Its flags may stand without `-`, and each that takes a value takes the next
 * word; so only these are read: c, t, v, z, j, J, and one `f` at the end. Taking files out of an archive may replace
 * anything in the folder, so that is asked about.
 */
export function refuseTar(words: readonly Word[], setting: Setting): string | undefined {
  const [flags, archive, ...rest] = words.map(({ text }) => text)
  if (flags === undefined || archive === undefined) return 'tar without an archive is not among its known uses'
  const [, mode] = /^-?(?=[vzjJ]*([ct]))[ctvzjJ]+f$/.exec(flags) ?? []
  if (mode === undefined || [...flags].filter((flag) => /[ct]/.test(flag)).length !== 1)
    return `tar ${flags} is not among its known uses`
  if (/^-|:/.test(archive)) return 'the archive is not a plain file'
  if (mode === 'c' ? !setting.mayWrite(archive) : !setting.mayRead(archive)) return `tar may not use ${archive}`
  if (rest.some((text) => text === undefined || text.startsWith('-') || !setting.mayRead(text)))
    return 'tar is given words that are not plain paths'
  return undefined
}
