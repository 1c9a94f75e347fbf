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

/** Of these, the ones that run their command as it would run without them. */
export const TRANSPARENT: ReadonlySet<string> = new Set(['env', 'command', 'nice', 'nohup', 'stdbuf', 'timeout'])

/** Programs that run another in a way with too many forms: every tail of their words may be the one. */
export const SUFFIXES: ReadonlySet<string> = new Set(
  `su runuser pkexec chroot unshare nsenter setpriv capsh flock chrt taskset prlimit strace ltrace valgrind script
  watch parallel busybox toybox systemd-run at batch firejail bwrap proot fakeroot entr run-parts expect screen tmux
  xvfb-run dbus-run-session rlwrap unbuffer socat ssh docker podman kubectl start-stop-daemon caffeinate arch linux32
  linux64 setarch coproc ld.so ld-linux-x86-64.so.2`.split(/\s+/),
)

export const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'dash', 'zsh', 'ksh', 'mksh', 'ash', 'fish', 'rbash'])

/** Programs that only look at the files they are given. */
export const READERS: ReadonlySet<string> = new Set(
  `cat head tail grep egrep fgrep rg ag ls wc diff cmp file stat nl cut tr od hexdump strings md5sum
  sha1sum sha256sum sha512sum du df tree basename dirname realpath readlink echo printf test [ true false : cd pwd jq
  column fold comm paste rev tac which type`.split(/\s+/),
)

/** Programs that open nothing of what they are told. */
export const PRINTERS: ReadonlySet<string> = new Set('echo printf : true false cd pwd type which'.split(' '))

/** Programs that open all that is in a folder, the current one if they are told none. */
export const GO_THROUGH: ReadonlySet<string> = new Set(
  'rg ag ack rgrep tar bsdtar cpio pax zip 7z rsync mv scp ln'.split(' '),
)
