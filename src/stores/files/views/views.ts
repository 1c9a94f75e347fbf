import { join } from 'node:path'
import { monotonicFactory } from 'ulid'
import type { Views } from '../../../journal/views.ts'
import type { TeamState } from '../../../team/state.ts'
import type { Disk } from '../disk.ts'
import { openArchives } from '../inbox/archives.ts'
import { openInboxFiles } from '../inbox/inbox-files.ts'
import { openBoardViews } from './board-views.ts'

/** The files beside a team's journal: views for people, and inbox files. Reads a state without awaiting, so it cannot change halfway. */
export function openViews(options: {
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
  const archives = openArchives({ inbox, disk, warn, ids, now })
  const board = openBoardViews({ dir, team, disk, warn, ids, now })
  const oldFolders = team === 'default' ? [join(dir, '.team', 'inbox')] : []
  const inboxFiles = openInboxFiles({ inbox, oldFolders, archives, disk, warn })

  /** Writing views must not create the folder of a removed team again. */
  const isHere = (state: TeamState) => state.team.get()?.deleted === false && disk.statSync(folder) !== undefined

  return {
    async write(state, cursor) {
      if (!isHere(state)) return
      board.show(state, cursor)
      inboxFiles.show(state)
    },

    async writeSteps(state, cursor) {
      if (!isHere(state)) return []
      const files = board.steps(state, cursor)
      inboxFiles.show(state)
      const steps: (() => void)[] = []
      for (let i = 0; i < files.length; i += FILES_PER_STEP) {
        const some = files.slice(i, i + FILES_PER_STEP)
        // The team may be removed before a step runs.
        steps.push(() => {
          if (disk.statSync(folder)) for (const write of some) write()
        })
      }
      return steps
    },

    async collect(state) {
      if (!isHere(state)) return undefined
      inboxFiles.archiveForeignLines(state)
      if (!archives.readNew(state)) return undefined
      let facts: ReturnType<typeof archives.facts> = []
      return {
        facts: (end) => (facts = archives.facts(end)),
        async settle(end) {
          archives.settle(end, facts)
          inboxFiles.show(end)
        },
      }
    },

    async inboxChanged(atMost, signal) {
      if (signal?.aborted) return
      const retryIn = inboxFiles.retryIn()
      // Polling finds what no watch reports: other folders, late writers, free slots in a full mailbox.
      const pause = Math.min(POLL_MS, atMost, retryIn ?? POLL_MS)
      const ends: (() => void)[] = []
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pause)
        const onAbort = () => resolve()
        signal?.addEventListener('abort', onAbort)
        ends.push(
          () => clearTimeout(timer),
          () => signal?.removeEventListener('abort', onAbort),
        )
        // During a pause between two archivings the timer decides, not the next line.
        if (retryIn !== undefined) return
        const check = () => hasChanged() && resolve()
        ends.push(...watched(check))
        // After the watch began, so that a change in between is seen by one of them.
        check()
      })
      for (const end of ends) end()
    },

    writtenTo: async () => board.writtenTo(),
    async differences(state, cursor) {
      return isHere(state) ? [...board.differences(state, cursor), ...inboxFiles.differences(state)] : []
    },

    async repair(state, cursor) {
      if (!isHere(state)) return
      board.repair(state, cursor)
      inboxFiles.repair(state)
    },
  }

  /** False after writes of this process alone. */
  function hasChanged(): boolean {
    try {
      return inboxFiles.hasChanged() || archives.hasChanged()
    } catch {
      // The next read meets the same error where it can be reported.
      return true
    }
  }

  function watched(touched: () => void): (() => void)[] {
    return [inbox, join(inbox, '.taken')].flatMap((path) => {
      try {
        return [disk.watch(path, touched, () => {})]
      } catch {
        // The folder does not exist yet, or there are no watches left (the journal's watch has warned): polling is enough.
        return []
      }
    })
  }
}

const POLL_MS = 2000
/** Few enough to keep the event loop free; a round of it and a look at the folder for each file cost as much as the file. */
const FILES_PER_STEP = 8
