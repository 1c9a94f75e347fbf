import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isInside, isInsideAny } from '../paths/places.ts'
import { entriesIn } from '../paths/safe-reads.ts'
import type { ResourceLimits } from '../processes/resource-limits.ts'
import type { ProtectedGit } from './git/git-folders.ts'
import type { Hidden, SandboxProfile } from './profile.ts'

/** What there is on this machine, of which an profile is made. */
export interface FileLookup {
  readonly root: string
  readonly folders: readonly string[]
  readonly tmp: string
  readonly home: { readonly real: string; readonly inside: string } | undefined
  /** What deskmates keeps, what the user denied to be read, and what the user denied to be written. */
  readonly hidden: readonly string[]
  readonly kept: readonly string[]
  readonly git: ProtectedGit
  /** Files outside of the workspace that are shown all the same: the scripts of hooks. */
  readonly scripts: readonly string[]
  /** Folders on the PATH, some of which may be in home. */
  readonly path: readonly string[]
  readonly canWrite: boolean
  readonly hasNetwork: boolean
  readonly limits: ResourceLimits
}

/** Describes what a command may see and touch on this machine as it is now. */
export function buildProfile(around: FileLookup): SandboxProfile {
  const { root, folders, tmp, home, git, canWrite, hasNetwork, limits } = around
  const writable = [...new Set([root, ...folders, ...git.shared])]
  const isHomeOpen = home !== undefined && writable.some((folder) => isInside(folder, home.real))
  const state = writable.flatMap((folder) => ['.teams', '.tasks'].map((name) => join(folder, name)))
  const keys = home && isHomeOpen ? SECRETS.map((name) => join(home.real, name)) : []
  const emptied = there(EMPTIED)
  return {
    root,
    writable,
    canWrite,
    tmp,
    home: isHomeOpen ? undefined : home,
    emptied,
    shown: [
      ...RUN_PARTS.filter((path) => existsSync(path)),
      ...toolsOn(around, emptied),
      ...(home && !isHomeOpen ? homeTools(home.real, around) : []),
      ...around.scripts.filter((path) => existsSync(path) && !isInsideAny(writable, path)),
    ],
    hidden: hiddenOf([...there(SYSTEM_SECRETS), ...around.hidden, ...state, ...keys]),
    readOnly: [
      ...writable.flatMap((folder) => KEPT.map((name) => join(folder, name))).filter(isOwn),
      ...[...around.kept, ...git.readOnly].filter((path) => existsSync(path)),
    ],
    pinned: git.pinned.filter((path) => existsSync(path)),
    absent: [...writable.map((folder) => join(folder, '.claude')).filter((path) => !existsSync(path)), ...git.absent],
    hasNetwork,
    limits,
  }
}

/** Sockets of other programs, other people's files. A socket can be used where it can only be read. */
const EMPTIED = `/run /var/tmp /home /root /media /mnt /srv /var/snap /var/spool /var/mail /var/lib/docker
  /var/lib/containerd /var/lib/kubelet /var/lib/lxd /var/lib/incus /var/lib/libvirt /var/lib/mysql
  /var/lib/postgresql`.split(/\s+/)
/** Without these names are not resolved, and some distributions have no programs. */
const RUN_PARTS = ['/run/systemd/resolve', '/run/resolvconf', '/run/current-system', '/run/wrappers']
/** Root's commands lose every right but that of an owner, and root owns these. */
const SYSTEM_SECRETS = `/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssl/private
  /etc/ssh /etc/deskmates /etc/wireguard /etc/letsencrypt /etc/kubernetes /etc/docker /etc/krb5.keytab /etc/ppp
  /etc/NetworkManager/system-connections`.split(/\s+/)

/** Where keys lie, for those who work in their home itself. */
export const SECRETS =
  `.ssh .aws .azure .gnupg .gpg .netrc .npmrc .pypirc .docker .kube .config .git-credentials .vault-token
  .password-store .local/share/keyrings .local/state .mozilla .terraform.d .bash_history .zsh_history .node_repl_history
  .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .pgpass .my.cnf .databricks.cfg
  Library`.split(/\s+/)

/** In an empty home: the tools people keep there and none of their keys. */
function homeTools(home: string, around: FileLookup): string[] {
  const known = TOOLS.map((name) => join(home, name)).filter((folder) => existsSync(folder))
  return [...new Set([...known, ...toolsOn(around, [home])])]
}

const TOOLS = `.nvm .volta .fnm .asdf .pyenv .rbenv .rustup .cargo/bin .cargo/registry .bun/bin .deno/bin .sdkman go/bin
  go/pkg .local/bin .local/lib .local/share/mise .local/share/pnpm .local/share/uv .local/share/pipx .local/share/fnm
  .gitconfig .gitignore .gitignore_global .config/git/config .config/git/ignore`.split(/\s+/)

/** Folders of programs inside of those that are emptied. */
function toolsOn({ path, home }: FileLookup, emptied: readonly string[]): string[] {
  const found = path.filter((folder) => emptied.some((place) => isInside(place, folder) && folder !== place))
  return [...new Set(found.filter((folder) => existsSync(folder)).map(withItsTools(home?.real ?? '/root')))]
}

/** Programs in `bin` often need what lies beside it; but beside `~/bin` and `~/.local/bin` lies everything. */
function withItsTools(home: string): (folder: string) => string {
  return (folder) => {
    const above = dirname(folder)
    const isOwnFolder = basename(folder) === 'bin' && above !== home && dirname(above) !== home
    return isOwnFolder ? above : folder
  }
}

/** What decides what agents do, inside of a folder that can be written to. */
const KEPT = '.deskmates deskmates.yaml deskmates.yml .claude .agents .husky .githooks agents skills'.split(' ')

/** By their real paths: nothing can be mounted on a link, and what it leads to is what has to be hidden. */
function hiddenOf(paths: readonly string[]): Hidden[] {
  const real = new Set(paths.filter((path) => existsSync(path)).map((path) => realpathSync(path)))
  return [...real].map((path) => ({ path, isFolder: lstatSync(path).isDirectory() }))
}

/** Nothing can be mounted on a link; what it leads to is protected where it is. */
function isOwn(path: string): boolean {
  return existsSync(path) && !lstatSync(path).isSymbolicLink()
}

function there(paths: readonly string[]): string[] {
  return paths.filter((path) => existsSync(path) && !lstatSync(path).isSymbolicLink())
}

/** Folders that are not searched: too large, or protected as a whole. */
const PASSED_BY = new Set(['.git', 'node_modules', '.teams', '.tasks'])
const MAX_ENTRIES = 20_000

/**
 * The files and folders that rules deny, so that no program opens by itself what it may not be told to open. Links are
 * not followed: what they lead to is there under its own name. Stops at a size no project should have.
 */
export function deniedFiles(
  folders: readonly string[],
  forbids: (kind: 'read' | 'write', path: string) => boolean,
): { hidden: string[]; kept: string[] } {
  const [hidden, kept]: [string[], string[]] = [[], []]
  const left = [...folders]
  for (let seen = 0; left.length > 0 && seen < MAX_ENTRIES; ) {
    const folder = left.pop()!
    for (const entry of entriesIn(folder)) {
      seen++
      const path = join(folder, entry.name)
      if (entry.isSymbolicLink()) continue
      if (forbids('read', path)) hidden.push(path)
      else if (forbids('write', path)) kept.push(path)
      else if (entry.isDirectory() && !PASSED_BY.has(entry.name)) left.push(path)
    }
  }
  return { hidden, kept }
}
