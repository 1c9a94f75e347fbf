import { join } from 'node:path'
import { monotonicFactory } from 'ulid'
import type { Views } from '../../../journal/views.ts'
import type { TeamState } from '../../../team/state.ts'
import type { Disk } from '../disk.ts'
import { openDoor } from '../inbox/archives.ts'
import { openMailViews } from '../inbox/inbox-files.ts'
import { openViews } from './board-views.ts'

/** What a team looks like in files beside its journal. Looks at a state without waiting, so that it never changes half way through. */
export function openMirror(options: {
  /** The folder that holds `.teams` and `.tasks`. */
  readonly dir: string
  readonly team: string
  readonly disk: Disk
  readonly warn: (message: string) => void
  /** Ulids. */
  readonly ids?: () => string
  /** Milliseconds since 1970. */
  readonly now?: () => number
}): Views {
  const { dir, team, disk, warn, now = Date.now } = options
  const ulid = monotonicFactory()
  const ids = options.ids ?? (() => ulid(now()))
  const folder = join(dir, '.teams', team)
  const inbox = join(folder, 'inbox')
  const door = openDoor({ inbox, disk, warn, ids, now })
  const views = openViews({ dir, team, disk, warn, ids, now })
  const oldFolders = team === 'default' ? [join(dir, '.team', 'inbox')] : []
  const mail = openMailViews({ inbox, oldFolders, door, disk, warn })

  /** A team that was put away stays away: showing it must not bring an empty folder of that name back. */
  const isHere = (state: TeamState) => state.team.get()?.deleted === false && disk.statSync(folder) !== undefined

  return {
    async write(state, cursor) {
      if (!isHere(state)) return
      for (const step of views.steps(state, cursor)) step()
      mail.show(state)
    },

    async writeSteps(state, cursor) {
      if (!isHere(state)) return []
      const steps = views.steps(state, cursor)
      mail.show(state)
      // By the time a step is taken the team may have been put away.
      return steps.map((step) => () => {
        if (disk.statSync(folder)) step()
      })
    },

    async collect(state) {
      if (!isHere(state)) return undefined
      mail.gather(state)
      if (!door.look(state)) return undefined
      let facts: ReturnType<typeof door.facts> = []
      return {
        facts: (end) => (facts = door.facts(end)),
        async settle(end) {
          door.settle(end, facts)
          mail.show(end)
        },
      }
    },

    async inboxChanged(atMost, signal) {
      if (signal?.aborted) return
      const waits = mail.waits()
      // Polling finds what no watch tells: other folders, late writers, room in a full mailbox.
      const pause = Math.min(POLL, atMost, waits ?? POLL)
      const ends: (() => void)[] = []
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pause)
        const onAbort = () => resolve()
        signal?.addEventListener('abort', onAbort)
        ends.push(
          () => clearTimeout(timer),
          () => signal?.removeEventListener('abort', onAbort),
        )
        // While we are resting from putting files aside, the time tells when to come, not the next line.
        if (waits !== undefined) return
        const look = () => hasNews() && resolve()
        ends.push(...watched(look))
        // After the watch began: whatever comes in between is seen by one of them.
        look()
      })
      for (const end of ends) end()
    },

    writtenTo: async () => views.shownTo(),
    async differences(state, cursor) {
      return isHere(state) ? [...views.differences(state, cursor), ...mail.differences(state)] : []
    },

    async repair(state, cursor) {
      if (!isHere(state)) return
      views.repair(state, cursor)
      mail.repair(state)
    },
  }

  /** Our own writing is no news. */
  function hasNews(): boolean {
    try {
      return mail.hasNews() || door.hasNews()
    } catch {
      // Whoever comes to look will meet the same error where it can be told.
      return true
    }
  }

  function watched(touched: () => void): (() => void)[] {
    return [inbox, join(inbox, '.taken')].flatMap((path) => {
      try {
        return [disk.watch(path, touched, () => {})]
      } catch {
        // Not there yet, or out of watches, of which the journal's watch already warned: polling is enough.
        return []
      }
    })
  }
}

const POLL = 2000
