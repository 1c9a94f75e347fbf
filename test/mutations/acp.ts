import type { Mutation } from './mutation.ts'

const test = 'src/acp/agent/serve-acp.test.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'acp-cancel-ignored',
    mistake: 'an editor that cancels a turn waits until the agents are finished by themselves',
    file: 'src/acp/agent/acp-session.ts',
    old: '      isCancelling = true\n      interruptAll()\n',
    new: '      isCancelling = true\n',
    also: [
      {
        file: 'src/acp/agent/acp-session.ts',
        old: '    if (isCancelling) interruptAll()\n',
        new: '',
      },
    ],
    test,
    fails: 'cancels a turn: the lead is interrupted',
  },
  {
    name: 'acp-cancels-lead-only',
    mistake: 'teammates work on after an editor cancelled the turn',
    file: 'src/acp/agent/acp-session.ts',
    old: "if (state === 'working' || state === 'waiting_approval' || name === 'lead')",
    new: "if (state === name || name === 'lead')",
    test,
    fails: 'cancels the work of teammates too',
  },
  {
    name: 'acp-denial-allows',
    mistake: 'every answer of an editor allows the call',
    file: 'src/acp/agent/permission-request.ts',
    old: 'return outcome.optionId === ONCE ? { allowed: true } : { allowed: false }',
    new: 'return { allowed: true }',
    test,
    fails: 'denies a call, and the model learns it',
  },
  {
    name: 'acp-prompt-ends-early',
    mistake: 'a prompt ends before the lead has read it',
    file: 'src/acp/agent/acp-session.ts',
    old: 'prompt.place > promptsSeen || ',
    new: '',
    test,
    fails: 'gets the end of a prompt after its answer',
  },
]
