import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { withTeam } from './temporary-team.mjs'

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

/** Milliseconds of a whole command: start, find the team, fold its journal, print. */
export function commandTimes() {
  return withTeam({ tasks: 10 }, async (dir) => ({
    limit: time(['-e', '0'], dir),
    ours: time([cli, 'task', 'list', '--team', 'bench'], dir),
  }))
}

function time(args, dir) {
  const begin = performance.now()
  execFileSync(process.execPath, args, { cwd: dir, env: { ...process.env, DESKMATES_DIR: dir, DESKMATES_TRUST: '1' } })
  return performance.now() - begin
}
