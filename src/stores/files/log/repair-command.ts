/** The command that repairs the team to which this file belongs. */
export function repairCommand(path: string): string {
  const [, team] = /[\\/]\.teams[\\/]([^\\/]+)[\\/]/.exec(path) ?? []
  return team === undefined || team === 'default'
    ? 'deskmates check --repair'
    : `deskmates check --repair --team ${team}`
}
