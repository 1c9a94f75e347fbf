import { join } from 'node:path'
import type { Store } from '../../src/journal/store.ts'
import type { Workspace } from '../../src/workspace.ts'

/** A workspace on a store of the test's own; only what is not about teams is in the folder. */
export function workspaceOn(store: Store, root: string, journal = root): Workspace {
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
      trustFolder() {},
      isFolderTrusted: () => true,
    },
    journalOf: () => journal,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}
