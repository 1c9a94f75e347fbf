import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PrepareFailed } from './failure.mjs'

/** Runs npm with these arguments in that folder and returns what it printed; ends it when `signal` aborts. */
export function openNpm(signal) {
  return async (args, cwd) => {
    try {
      const options = { cwd, signal, maxBuffer: 1 << 26 }
      return (await promisify(execFile)('npm', [...args, '--no-audit', '--no-fund'], options)).stdout
    } catch (error) {
      const reason = (error.stderr || error.message).trim()
      throw new PrepareFailed(
        `npm ${args.join(' ')} failed in ${cwd}: ${reason}\n` +
          'Check the network and the registry of your npm configuration, then run the same command again.',
      )
    }
  }
}

/** Packs what would be published and installs that, in `folder` and without any network: it needs nothing else. */
export async function installPackage(root, folder, npm) {
  const app = join(folder, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{ "private": true }')
  await npm(['pack', '--ignore-scripts', '--pack-destination', folder], root)
  const packed = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  await npm(['install', '--offline', '--ignore-scripts', '--no-package-lock', join(folder, packed)], app)
  return app
}
