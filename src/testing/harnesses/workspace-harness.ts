import { join } from 'node:path'
import type { Store } from '../../journal/store.ts'
import type { Workspace } from '../../workspace.ts'

/** A trusted workspace on the given store; only files that belong to no team lie in the folder. */
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
