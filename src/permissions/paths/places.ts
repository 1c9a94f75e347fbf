import { join, sep } from 'node:path'

export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

export function isInsideAny(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => isInside(folder, path))
}

/** The place a given path means, before links are resolved. */
export function placeOf(path: string, root: string): string {
  return join(path.startsWith(sep) ? sep : root, path)
}

/** The same as the system reads it: `..` behind a link is the folder above where the link leads. */
export function unresolved(path: string, root: string): string {
  return path.startsWith(sep) ? path : `${root}${sep}${path}`
}
