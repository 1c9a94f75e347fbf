import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionEvent } from '../../agent/session-event.ts'
import type { Store } from '../../journal/log/store.ts'
import { openSession } from '../../session/open-session.ts'
import type { Session } from '../../session/session.ts'
import type { SessionOptions } from '../../session/session-options.ts'
import { createPlace, openMemoryStore } from '../../stores/memory/store.ts'
import type { Workspace } from '../../workspace.ts'

/** A session without sandbox and permission checks, on a store in memory and an empty temporary folder by default. */
export async function openTestSession({
  store,
  root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-session-'))),
  ...options
}: Partial<SessionOptions> & Pick<SessionOptions, 'model'> & { readonly store?: Store; readonly root?: string }) {
  return openSession({
    workspace: workspaceOn(store ?? (await openMemoryStore(createPlace())), root),
    permissions: { mode: 'bypassPermissions' },
    sandbox: { mode: 'off' },
    env: {},
    ...options,
  })
}

/** A trusted workspace on the given store; files that belong to no team lie in the folder. */
export function workspaceOn(store: Store, root: string, journalOf: Workspace['journalOf'] = () => root): Workspace {
  return {
    root,
    workspace: root,
    how: 'made by a test',
    teamsFolder: join(root, '.teams'),
    teamsNeedTrust: true,
    store,
    trust: {
      everything: true,
      state: '',
      trustTeam() {},
      isTeamTrusted: () => true,
      forgetTeam() {},
      trustFolder() {},
      isFolderTrusted: () => true,
      declineFolder() {},
      isFolderDeclined: () => false,
    },
    journalOf,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

/** Runs a session until it stops; returns the stop and every event in order. */
export function runToEnd(session: Session, prompt?: string, signal?: AbortSignal) {
  return collectEvents(session.run(prompt, signal))
}

/** Reads a run or a compaction to its end; returns the stop and every event in order. */
export async function collectEvents(loop: ReturnType<Session['run']>) {
  const events: SessionEvent[] = []
  for (;;) {
    const step = await loop.next()
    if (step.done) return { stop: step.value, events }
    events.push(step.value)
  }
}
