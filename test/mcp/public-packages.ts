import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** Where they are, or why they are not there. */
export type Installed = { readonly folder: string } | { readonly why: string }

const INSTALL_MS = 240_000

/** Installs packages once into a cache of the user, without running any script of theirs. */
export async function installServers(packages: readonly string[]): Promise<Installed> {
  const name = createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 16)
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folder = join(cache, 'deskmates', 'mcp-servers', name)
  if (existsSync(folder)) return { folder }
  if (process.env.DESKMATES_OFFLINE)
    return { why: 'DESKMATES_OFFLINE is set, and the public servers are not installed' }
  mkdirSync(dirname(folder), { recursive: true })
  const made = mkdtempSync(`${folder}-`)
  try {
    writeFileSync(join(made, 'package.json'), '{"private":true}')
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1']
    await promisify(execFile)('npm', ['install', ...options, ...packages], { cwd: made, timeout: INSTALL_MS })
    // In one step: another process may be installing them too.
    if (existsSync(folder)) rmSync(made, { recursive: true, force: true })
    else renameSync(made, folder)
    return { folder }
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    return { why: `the public servers cannot be installed: ${String((error as Error).message).slice(0, 200)}` }
  }
}
