import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whether npm's record in `node_modules` matches what `package-lock.json` requires on this machine. */
export function matchesLockFile(root) {
  let installed
  try {
    installed = JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8')).packages
  } catch {
    return false
  }
  const required = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  return Object.entries(required).every(([path, entry]) => {
    if (path === '') return true
    if (path in installed)
      return installed[path].version === entry.version && installed[path].integrity === entry.integrity
    return entry.optional === true && !isForThisMachine(entry)
  })
}

// An optional package without `os` and `cpu` belongs to one that has them, and was left out along with it.
function isForThisMachine({ os, cpu, libc }) {
  if (os === undefined || !os.includes(process.platform)) return false
  if (cpu !== undefined && !cpu.includes(process.arch)) return false
  return libc === undefined || libc.includes(process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl')
}
