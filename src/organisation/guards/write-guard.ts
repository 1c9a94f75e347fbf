/** Which folders a department writes to, and no other one. */
export interface DepartmentFolders {
  readonly folders: readonly string[]
}

/**
 * Deny rules that keep a department out of the folders of the others. Being rules, they hold for file tools and for what
 * commands name, before anything allows it; the folder of plans and phases belongs to all.
 */
export function writeGuard(departments: ReadonlyMap<string, DepartmentFolders>, own: string): string[] {
  return [...departments].flatMap(([name, { folders }]) =>
    name === own ? [] : folders.map((folder) => `Edit(${folder.replace(/\/+$/, '')}/**)`),
  )
}
