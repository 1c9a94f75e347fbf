/** A program that runs the command behind its own options. */
export interface Followed {
  readonly flags: RegExp
  /** Options whose value is the next word. */
  readonly takes?: RegExp
  /** With one of these it runs nothing. */
  readonly alone?: RegExp
  /** Words of its own before the command. */
  readonly operands?: number
  /** Sets variables by words such as A=b. */
  readonly assignments?: boolean
  /** Puts more words behind the command, or in place of `{}`. */
  readonly appends?: boolean
  /** What it runs has other rights, so that a rule must name it too. */
  readonly raises?: boolean
}

const NONE = /^$/

export const FOLLOWED: ReadonlyMap<string, Followed> = new Map<string, Followed>([
  ['env', { flags: /^(-v|--debug)$/, assignments: true }],
  ['command', { flags: /^-p$/, alone: /^-[vV]$/ }],
  ['builtin', { flags: NONE }],
  ['exec', { flags: /^-[cl]+$/, takes: /^-a$/ }],
  ['time', { flags: /^-[pv]$/, takes: /^-f$/ }],
  ['nice', { flags: /^(-\d+|--adjustment=-?\d+|-n-?\d+)$/, takes: /^-n$/ }],
  ['ionice', { flags: /^-(t|[cn]\d)$/, takes: /^-[cn]$/ }],
  ['nohup', { flags: NONE }],
  ['setsid', { flags: /^-[cfw]+$/ }],
  ['stdbuf', { flags: /^-[ioe](0|L|\d+[KM]?)$/, takes: /^-[ioe]$/ }],
  [
    'timeout',
    {
      flags: /^(-[vf]+|--foreground|--preserve-status|--verbose|-k\d.*|-s\w+|--kill-after=.*|--signal=.*)$/,
      takes: /^-[ks]$/,
      operands: 1,
    },
  ],
  [
    'xargs',
    { flags: /^(-[0rtx]+|-[nPLs]\d+|-I.+|-d.+|--null|--no-run-if-empty)$/, takes: /^-[nPLsIdE]$/, appends: true },
  ],
  ['sudo', { flags: /^-[EHnSkb]+$/, takes: /^-[ugpC]$/, assignments: true, raises: true }],
  ['doas', { flags: /^-[nL]+$/, takes: /^-[uC]$/, raises: true }],
])

/** Programs that run another in a way with too many forms: every tail of their words may be the one. */
export const SUFFIXES: ReadonlySet<string> = new Set(
  `su runuser pkexec chroot unshare nsenter setpriv capsh flock chrt taskset prlimit strace ltrace gdb valgrind script
  watch parallel busybox toybox systemd-run at batch firejail bwrap proot fakeroot entr run-parts expect screen tmux
  xvfb-run dbus-run-session rlwrap unbuffer socat ssh docker podman kubectl start-stop-daemon caffeinate arch linux32
  linux64 setarch coproc ld.so ld-linux-x86-64.so.2`.split(/\s+/),
)

export const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'dash', 'zsh', 'ksh', 'mksh', 'ash', 'fish', 'rbash'])

/** Options by which otherwise ordinary programs run others. */
export const RISKY_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  [
    'tar',
    /^(--checkpoint-action|--to-command|--use-compress-program|--rsh-command|--info-script|--new-volume-script|-[a-zA-Z]*[IF])/,
  ],
  ['rsync', /^(-[a-zA-Z]*e|--rsh|--rsync-path)/],
  ['sort', /^--compress-program/],
  ['rg', /^--(pre|hostname-bin)\b/],
  ['man', /^(-[a-zA-Z]*[PH]|--pager|--html)/],
  ['less', /^\+/],
  ['more', /^\+/],
  ['zip', /^(-TT|--unzip-command)/],
  ['scp', /^-[oSF]/],
  ['sftp', /^-[oSF]/],
  ['wget', /^(--use-askpass|--config|-e|--execute)/],
  ['curl', /^(-[a-zA-Z]*K|--config)/],
  ['split', /^--filter/],
])

/** By these a program for awk does more than compute. */
const AWK_ACTS = /[|>@]|system|getline|^-[fil]|^--(file|include|load|exec)/

/** Programs that are given a program in a language of their own, which may do whatever they can. */
export const INTERPRETERS: ReadonlyMap<string, RegExp> = new Map([
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name): [string, RegExp] => [name, AWK_ACTS]),
  ['sed', /^(?!-)(?!\d*(,\d+)?[pdq]$)(?!s([/|,#])[^/|,#]*\2[^/|,#]*\2[gip\d]*$)/],
  ['perl', /^-[a-zA-Z]*[eE]/],
  ['ruby', /^-[a-zA-Z]*e/],
  ['python', /^-[a-zA-Z]*c/],
  ['python3', /^-[a-zA-Z]*c/],
  ['node', /^(-[a-zA-Z]*[ep]|--eval|--print)/],
  ['deno', /^eval$/],
  ['bun', /^(-e|--eval)/],
  ['php', /^-[a-zA-Z]*[rBR]/],
  ['lua', /^-e/],
  ['osascript', /./],
  ['vi', /./],
  ['vim', /./],
  ['nvim', /./],
  ['ex', /./],
  ['ed', /./],
  ['emacs', /./],
  ['gdb', /./],
  ['sqlite3', /./],
  ['psql', /./],
  ['jshell', /./],
])

/** Builtins that change what the words of later commands mean: no pattern allows them, only a rule for all of bash. */
export const CHANGE_LATER: ReadonlySet<string> = new Set(
  `alias bind complete declare disown enable export fc getopts hash let local mapfile pushd popd read readarray
  readonly set shopt source . trap typeset unalias umask unset`.split(/\s+/),
)

/** Variables that change no program's meaning. */
export const HARMLESS_VARIABLES: ReadonlySet<string> = new Set(
  'CI NODE_ENV NO_COLOR FORCE_COLOR COLUMNS LINES TZ LANG LC_ALL TERM DEBIAN_FRONTEND'.split(' '),
)

/** Programs that only look at the files they are given. */
export const READERS: ReadonlySet<string> = new Set(
  `cat head tail less more grep egrep fgrep rg ag ls wc diff cmp file stat nl cut uniq tr od xxd hexdump strings md5sum
  sha1sum sha256sum sha512sum du df tree basename dirname realpath readlink echo printf test [ true false : cd pwd jq
  column fold comm paste rev tac which type`.split(/\s+/),
)

/** Programs that open nothing of what they are told. */
export const PRINTERS: ReadonlySet<string> = new Set([
  'echo',
  'printf',
  ':',
  'true',
  'false',
  'cd',
  'pwd',
  'type',
  'which',
])

/** Programs that open all that is in a folder, the current one if they are told none. */
export const GO_THROUGH: ReadonlySet<string> = new Set('rg ag ack tar zip 7z rsync mv scp'.split(' '))
