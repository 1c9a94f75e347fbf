import type { Mutation } from './mutation.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'status-without-questions',
    mistake: 'status shows only what the journal says, so a question that waits for a person is missing',
    file: 'src/cli/status/status-view.ts',
    old: "  if (activity === 'at work') for (const live",
    new: "  if (activity === 'unknown') for (const live",
    test: 'src/cli/status/status.test.ts',
    fails: 'shows the open question of a session that runs in another process',
  },
  {
    name: 'status-of-a-dead-process',
    mistake: 'status shows agents of a killed process as working',
    file: 'src/view/member-rows.ts',
    old: "const isCutOff = view.interrupted.has(team) && kind === 'agent' && member.status !== 'idle'",
    new: 'const isCutOff = false',
    test: 'src/cli/run/team-run.test.ts',
    fails: 'is shown as interrupted when its process died, and no agent as working',
  },
]
