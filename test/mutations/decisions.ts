import type { Mutation } from './mutation.ts'

const crash = 'test/crash/promises.test.ts'
const team = 'test/team/promises.test.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'claim-without-overlap-check',
    mistake: 'A claim ignores the files of other claims',
    file: 'src/team/board/board.ts',
    old: 'if (files.length === 0) return undefined',
    new: 'if (files.length >= 0) return undefined',
    test: crash,
    fails: 'refuses a claim whose files overlap another claim',
  },
  {
    name: 'missing-fence',
    mistake: 'What a replaced generation writes still counts',
    file: 'src/team/mail/mail.ts',
    old: 'if (by.generation === undefined) return false',
    new: 'if (by.name !== undefined) return false',
    test: crash,
    fails: 'ignores what a replaced generation writes',
  },
  {
    name: 'lease-over-a-live-process',
    mistake: 'The lease of taken mail counts more than the process that still lives',
    file: 'src/team/mail/decide-mail.ts',
    old: 'return unknown.has(taken.taker) && taken.until <= now',
    new: 'return taken.until <= now',
    test: crash,
    fails: 'gives mail that a living process took to no other process',
  },
  {
    name: 'approval-without-generation',
    mistake: 'The approval of a plan counts for every later generation of that name',
    file: 'src/team/members/plan-gate.ts',
    old: '    fromGeneration === member.generation &&\n',
    new: '',
    test: team,
    fails: 'requires a new plan approval from a teammate that was resumed',
  },
  {
    name: 'claim-ignores-role',
    mistake: 'A teammate claims a ready task that is meant for another role',
    file: 'src/team/state.ts',
    old: 'const [open, its] = [lists?.get(null), lists?.get(roleKey(role))]',
    new: 'const [open, its] = [lists?.get(null), [...(lists?.values() ?? [])].at(-1)]',
    test: team,
    fails: 'leaves a task unclaimed that is meant for another role',
  },
  {
    name: 'claim-by-id-ignores-role',
    mistake: 'A member claims a task for another role when it names the task',
    file: 'src/team/board/decide-claims.ts',
    old: 'return role === null || roleKey(role) === roleKey(member.role)',
    new: 'return role === null || member.role !== undefined',
    test: 'src/team/board/decide-claims.test.ts',
    fails: 'goes by role: a task for another role is refused by id and skipped without an id',
  },
  {
    name: 'stop-overwritten-by-idle',
    mistake: 'A turn that ends late makes a stopped teammate idle again',
    file: 'src/team/fold/apply-members.ts',
    old: "      if (['stopped', 'stopping', 'lost'].includes(before.status)) return\n",
    new: '',
    test: team,
    fails: 'keeps a stopped teammate stopped',
  },
  {
    name: 'summary-forgets-members',
    mistake: 'After a summary an agent no longer knows the members of its team',
    file: 'src/prompts/situation.ts',
    old: '    ...rosterOf(state, name),\n',
    new: '',
    test: 'test/memory/promises.test.ts',
    fails: 'names the members and the open tasks of the team',
  },
]
