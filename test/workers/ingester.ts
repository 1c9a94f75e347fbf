import { setTimeout as sleep } from 'node:timers/promises'
import { openTeam } from '../../src/journal/team-handle.ts'
import { realDisk } from '../../src/stores/files/disk.ts'
import { openFileStore } from '../../src/stores/files/store.ts'
import { openViews } from '../../src/stores/files/views/views.ts'
import { TEAM } from '../storms/place.ts'

/** Brings in whatever programs leave, without end. */
const [dir = ''] = process.argv.slice(2)
process.on('disconnect', () => process.exit(0))
const warn = (message: string) => void process.stderr.write(`${message}\n`)
const views = openViews({ dir, team: TEAM, disk: realDisk, warn })
const team = await openTeam(await openFileStore({ dir, views: () => views, warn }), TEAM)

for (;;) {
  await team.ingest()
  await Promise.race([views.inboxChanged(100), sleep(100)])
}
