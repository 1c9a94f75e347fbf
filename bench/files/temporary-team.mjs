import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFileStore, openTeam } from '../../dist/index.js'

/** A new team `bench` in a new folder, for as long as `use` takes. `tasks` are drafts, or how many plain ones. */
export async function withTeam({ members = [], tasks = 0 }, use) {
  const dir = mkdtempSync(join(tmpdir(), 'deskmates-bench-'))
  const drafts = Array.isArray(tasks) ? tasks : Array.from({ length: tasks }, (_, i) => ({ subject: `task ${i}` }))
  try {
    await openTeamIn(dir, async (team) => {
      await team.run({ type: 'team.create', team: 'bench' })
      for (const name of members) await team.run({ type: 'member.join', name, role: 'dev' })
      if (drafts.length > 0) await team.run({ type: 'task.add', tasks: drafts })
    })
    return await use(dir)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** Opens the team in this folder for as long as `work` takes. */
export async function openTeamIn(dir, work, options = {}) {
  const store = await openFileStore({ dir, ...options })
  const team = await openTeam(store, 'bench')
  try {
    return await work(team, store)
  } finally {
    await team.close()
    await store[Symbol.asyncDispose]()
  }
}
