import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Git } from '../../permissions/sandbox/run-git.ts'

/** What a commit takes from the user's own configuration of git; nothing else of it is read. */
export interface UserGit {
  /** Variables that name author and committer. */
  readonly author: Readonly<Record<string, string>>
  /** The file of patterns that the user ignores everywhere. */
  readonly ignores: string | undefined
  /** The user wants commits signed. */
  readonly signs: boolean
}

const AUTHOR = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'] as const

/**
 * Author and committer are the user: by the variables of git, the configuration of the repository or the user's own one.
 * Where none of them names a user it is deskmates.
 */
export async function readUserGit(git: Git, env: Readonly<Record<string, string>>): Promise<UserGit> {
  const { HOME } = env
  const settings = HOME === undefined ? undefined : (env.XDG_CONFIG_HOME ?? join(HOME, '.config'))
  const own = HOME === undefined ? [] : [join(settings!, 'git', 'config'), join(HOME, '.gitconfig')]
  const files = own.filter((file) => existsSync(file))
  const values = new Map<string, string>()
  // The repository's own values are read with each file, and win.
  for (const file of files.length === 0 ? ['/dev/null'] : files) {
    const { stdout } = await git.run(['config', '--includes', '--null', '--get-regexp', READ], {
      env: { GIT_CONFIG_GLOBAL: file },
    })
    for (const entry of stdout.split('\0')) {
      const [key = '', value = ''] = entry.split('\n')
      if (value !== '') values.set(key, value)
    }
  }
  const name = values.get('user.name') ?? 'deskmates'
  const email = values.get('user.email') ?? 'deskmates@localhost'
  const author = AUTHOR.map((key) => [key, env[key] || (key.endsWith('NAME') ? name : email)])
  const ignores = values.get('core.excludesfile') ?? (settings && join(settings, 'git', 'ignore'))
  return {
    author: Object.fromEntries(author),
    ignores: ignores?.replace(/^~(?=\/)/, HOME ?? '~'),
    signs: /^(true|yes|on|1)$/i.test(values.get('commit.gpgsign') ?? ''),
  }
}

const READ = '^(user\\.(name|email)|core\\.excludesfile|commit\\.gpgsign)$'

/** Seconds since 1970 and the zone of this machine, as git reads them: `1700000000 +0100`. */
export function gitDate(now: number): string {
  const minutes = -new Date(now * 1000).getTimezoneOffset()
  const zone = Math.abs(minutes)
  const digits = (value: number) => String(value).padStart(2, '0')
  return `${Math.floor(now)} ${minutes < 0 ? '-' : '+'}${digits(Math.floor(zone / 60))}${digits(zone % 60)}`
}
