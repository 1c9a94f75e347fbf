import { existsSync, lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isInside } from '../paths/territory.ts'
import { gitFolders } from './git-folders.ts'

/** What a command may see and touch. */
export interface Enclosure {
  /** The workspace and further folders, all real paths: the only places it can write to, besides a /tmp of its own. */
  readonly root: string
  readonly folders: readonly string[]
  /** Empty folders that stand in for /tmp and home as long as a session lasts. */
  readonly tmp: string
  readonly home: { readonly real: string; readonly inside: string } | undefined
  /** Whatever else must not be seen: what deskmates keeps, what the user denied. */
  readonly hidden: readonly string[]
  /** What can be seen and not be changed, inside of the places it can write to. */
  readonly kept: readonly string[]
  /** Folders on the PATH, some of which may be in home. */
  readonly path: readonly string[]
  readonly hasNetwork: boolean
  /** Not every bubblewrap knows --disable-userns. */
  readonly forbidsUserns: boolean
}

/** The arguments for bubblewrap, up to the program that is to run inside. Later mounts lie on top of earlier ones. */
export function bubblewrapArgs(enclosure: Enclosure): string[] {
  const { root, folders, tmp, home, hasNetwork, forbidsUserns } = enclosure
  const open = [root, ...folders]
  return [
    ...['--unshare-all', '--unshare-user', ...(hasNetwork ? ['--share-net'] : []), '--die-with-parent'],
    ...['--cap-drop', 'ALL', ...(forbidsUserns ? ['--disable-userns'] : [])],
    // Bubblewrap leaves /proc/sys open to root, whose commands could then change the kernel's settings.
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--remount-ro', '/proc'],
    ...there(EMPTIED).flatMap((path) => ['--tmpfs', path]),
    ...RUN_PARTS.flatMap((path) => ['--ro-bind-try', path, path]),
    ...there(SYSTEM_SECRETS).flatMap(hide),
    ...toolsOn(enclosure, EMPTIED).flatMap(readOnly),
    ...['--bind', tmp, '/tmp'],
    ...(home && !open.some((folder) => isInside(folder, home.real)) ? homeOf(home, enclosure) : []),
    ...enclosure.hidden.filter((path) => existsSync(path) && !isIn(path, open)).flatMap(hide),
    ...open.flatMap((folder) => ['--bind', folder, folder]),
    ...open.flatMap(keepOf),
    ...(home ? SECRETS.map((name) => join(home.real, name)).filter((path) => isIn(path, open)) : [])
      .filter((path) => existsSync(path))
      .flatMap(hide),
    ...enclosure.kept.filter((path) => existsSync(path)).flatMap(readOnly),
    ...enclosure.hidden.filter((path) => existsSync(path) && isIn(path, open)).flatMap(hide),
    ...['--chdir', root],
  ]
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
const SECRETS = `.ssh .aws .azure .gnupg .gpg .netrc .npmrc .pypirc .docker .kube .config .git-credentials .vault-token
  .password-store .local/share/keyrings .local/state .mozilla .terraform.d .bash_history .zsh_history .node_repl_history
  .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .pgpass .my.cnf .databricks.cfg
  Library`.split(/\s+/)

/** An empty home that lasts as long as the session, with the tools people keep there and none of their keys. */
function homeOf(home: { real: string; inside: string }, enclosure: Enclosure): string[] {
  const known = TOOLS.map((name) => join(home.real, name)).filter((folder) => existsSync(folder))
  const tools = new Set([...known, ...toolsOn(enclosure, [home.real])])
  return ['--bind', home.inside, home.real, ...[...tools].flatMap(readOnly)]
}

/** Folders of programs inside of those that are emptied. */
function toolsOn({ path, home }: Enclosure, emptied: readonly string[]): string[] {
  const found = path.filter((folder) => emptied.some((place) => isInside(place, folder) && folder !== place))
  return found.filter((folder) => existsSync(folder)).map(withItsTools(home?.real ?? '/root'))
}

const TOOLS = `.nvm .volta .fnm .asdf .pyenv .rbenv .rustup .cargo/bin .cargo/registry .bun/bin .deno/bin .sdkman go/bin
  go/pkg .local/bin .local/lib .local/share/mise .local/share/pnpm .local/share/uv .local/share/pipx .local/share/fnm
  .gitconfig .config/git/config .config/git/ignore`.split(/\s+/)

/** Programs in `bin` often need what lies beside it; but beside `~/bin` and `~/.local/bin` lies everything. */
function withItsTools(home: string): (folder: string) => string {
  return (folder) => {
    const above = dirname(folder)
    const isOwn = basename(folder) === 'bin' && above !== home && dirname(above) !== home
    return isOwn ? above : folder
  }
}

/** Inside of a folder that can be written to: what decides what agents and git do can be read only, or not at all. */
function keepOf(folder: string): string[] {
  const at = (name: string) => join(folder, name)
  const state = ['.teams', '.tasks'].map(at).filter((path) => existsSync(path))
  const kept = KEPT.map(at).filter(isOwn)
  // Another program takes orders from it too, so that nobody may make it either.
  const claude =
    isOwn(at('.claude')) || existsSync(at('.claude')) ? [] : ['--tmpfs', at('.claude'), '--remount-ro', at('.claude')]
  return [...gitFolders(folder), ...state.flatMap(hide), ...kept.flatMap(readOnly), ...claude]
}

const KEPT = [
  '.deskmates',
  'deskmates.yaml',
  'deskmates.yml',
  '.claude',
  '.agents',
  '.husky',
  '.githooks',
  'agents',
  'skills',
]

function hide(path: string): string[] {
  // Bound without devices: whoever opens it is refused.
  if (!lstatSync(path).isDirectory()) return ['--ro-bind', '/dev/null', path]
  return ['--tmpfs', path, '--remount-ro', path]
}

function readOnly(path: string): string[] {
  return ['--ro-bind', path, path]
}

/** Nothing can be mounted on a link; what it leads to is protected where it is. */
function isOwn(path: string): boolean {
  return existsSync(path) && !lstatSync(path).isSymbolicLink()
}

function isIn(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isInside(folder, path))
}

function there(paths: readonly string[]): string[] {
  return paths.filter((path) => existsSync(path) && !lstatSync(path).isSymbolicLink())
}
