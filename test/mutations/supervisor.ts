import type { Mutation } from './mutation.ts'

const team = 'test/team/promises.test.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'plan-gate-open',
    mistake: 'That a plan needs approval stands in the prompt only',
    file: 'src/permissions/permissions.ts',
    old: 'isOpen(gate) ? undefined',
    new: 'gate !== undefined ? undefined',
    test: team,
    fails: 'lets a teammate change nothing before its plan is approved',
  },
  {
    name: 'model-call-while-idle',
    mistake: 'An idle teammate asks its model now and then whether there is anything to do',
    file: 'src/supervisor/lifecycle.ts',
    old: '      run.onChange()\n',
    new: '      run.onChange()\n      clock.in(300, async () => {\n        const { model, system, transcript } = await agents.open(by)\n        const request = { agent: name, system, turns: transcript.state.turns, tools: [] }\n        await model.reply(request, ending.signal).next()\n      })\n',
    test: team,
    fails: 'makes no model call while a teammate is idle',
  },
  {
    name: 'approval-from-the-journal',
    mistake: 'An approval in the journal lets a call run, whichever process wrote it there',
    file: 'src/supervisor/ask-person.ts',
    old: "if (request.state === 'approved') return undefined",
    new: "if (request.state === 'approved') return 'approved'",
    also: [
      {
        file: 'src/supervisor/ask-person.ts',
        old: "    if (request?.state === 'rejected') return {",
        new: "    if (request?.state === 'approved') return { allowed: true }\n    if (request?.state === 'rejected') return {",
      },
    ],
    test: team,
    fails: 'runs no call because the journal holds an approval',
  },
  {
    name: 'lead-exits-early',
    mistake: 'A run ends when its lead has nothing more to say, while teammates still work',
    file: 'src/supervisor/run.ts',
    old: '      if (isBusy()) {\n',
    new: '      if (!lifecycle.isBusy) return lifecycle.lastStop\n      if (isBusy()) {\n',
    test: team,
    fails: 'continues a run until every teammate has finished',
  },
  {
    name: 'mail-deleted-with-its-team',
    mistake: 'A team is deleted with the mail its members sent to the lead while they stopped',
    file: 'src/supervisor/supervisor.ts',
    old: 'await membershipIn(supervised).unread()',
    new: '[]',
    test: team,
    fails: 'gives the lead the mail that was unread',
  },
]
