import { join } from 'node:path'
import { monotonicFactory } from 'ulid'
import type { Mirror } from '../../ports/mirror.ts'
import type { TeamState } from '../../team/state.ts'
import { codeOf, type Disk } from './disk.ts'
import { openDoor } from './door.ts'
import { openMailViews } from './mail-views.ts'
import { openViews } from './views.ts'

/** What a team looks like in files beside its journal. Works without waiting: a state never changes half way through. */
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
}): Mirror {
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
    async show(state, cursor) {
      if (!isHere(state)) return
      views.show(state, cursor)
      mail.show(state)
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

    async knocked(atMost, signal) {
      const stop = new AbortController()
      let heard = () => {}
      watchBoth(() => heard(), stop.signal)
      // Polling finds what no watch tells: other folders, late writers, room in a full mailbox.
      const ended = Promise.race([pause(Math.min(POLL, atMost), stop.signal), aborted(signal, stop.signal)]).then(
        () => true,
      )
      try {
        // Asked after the watch began: whatever comes in between is seen by one of them. Our own writing is no news.
        while (!signal?.aborted && !mail.hasNews() && !door.hasNews()) {
          const touched = new Promise<boolean>((resolve) => {
            heard = () => resolve(false)
          })
          const waited = mail.waits()
          const due = waited === undefined ? [] : [pause(waited, stop.signal).then(() => true)]
          if (await Promise.race([ended, touched, ...due])) return
        }
      } finally {
        stop.abort()
      }
    },

    async differences(state, cursor) {
      return isHere(state) ? [...views.differences(state, cursor), ...mail.differences(state)] : []
    },

    async repair(state, cursor) {
      if (!isHere(state)) return
      views.repair(state, cursor)
      mail.repair(state)
    },
  }

  function watchBoth(touched: () => void, stop: AbortSignal): void {
    for (const path of [inbox, join(inbox, '.taken')]) {
      try {
        const end = disk.watch(path, touched, () => {})
        stop.addEventListener('abort', end)
      } catch (error) {
        // Not there yet, or out of watches, of which the journal's watch already warned: polling is enough.
        if (!['ENOENT', 'EMFILE', 'ENOSPC'].includes(codeOf(error) ?? '')) throw error
      }
    }
  }
}

const POLL = 2000

function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    stop.addEventListener('abort', () => clearTimeout(timer))
  })
}

function aborted(signal: AbortSignal | undefined, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { signal: stop }))
}
