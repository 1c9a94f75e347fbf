import type { Mutation } from './mutation.ts'

const test = 'src/organisation/routing/message-routing.test.ts'

/** Who may write to whom in a department. */
export const mutations: readonly Mutation[] = [
  {
    name: 'routing-after-delivery',
    mistake: 'a message is delivered first, and then refused by the rules of the organisation',
    file: 'src/tools/team/messages/deliver-message.ts',
    old: '  const route = routed(membership, { to, type: named, content })\n',
    new: '  if (canReceive(membership.state, to)) await sent(membership, { to, type, content })\n  const route = routed(membership, { to, type: named, content })\n',
    test,
    fails: 'is delivered from its role to its role, and refused for every other recipient',
  },
  {
    name: 'unknown-role-allowed',
    mistake: 'a member whose role the organisation does not have may write to every role',
    file: 'src/organisation/routing/message-routing.ts',
    old: '  if (!sender) return unknownRole(options, state, from)\n',
    new: "  if (!sender) return { via: 'message' }\n",
    test,
    fails: 'from or to a member with an unknown role is refused',
  },
  {
    name: 'broadcast-past-the-routing',
    mistake: 'a message to all members is not compared with what its sender may write',
    file: 'src/organisation/routing/message-routing.ts',
    old: "nameKey(message.to) === 'all' ? others(state, message.from) : [message.to]",
    new: "nameKey(message.to) === 'all' ? [] : [message.to]",
    test,
    fails: 'to all is refused for a role that may not write to each of them, and delivered for the lead',
  },
  {
    name: 'envelope-of-another-role',
    mistake: 'a sender may claim another role in the envelope of a hand-off',
    file: 'src/organisation/routing/message-routing.ts',
    old: 'name === undefined || name === role ? []',
    new: 'name === undefined || name !== role ? []',
    test,
    fails: 'may stand in an envelope, whose author must be the sender',
  },
  {
    name: 'organisation-file-nested-without-end',
    mistake: 'the YAML parser reads a file that is nested so deeply that it needs all memory',
    file: 'src/tools/yaml-nesting.ts',
    old: 'if (marks > MAX_LEVELS || indent > MAX_INDENT || brackets > MAX_LEVELS) return i + 1',
    new: 'if (indent > MAX_INDENT || marks > MAX_LEVELS) return i + 1',
    test: 'src/organisation/definition/broken-organisations.test.ts',
    fails: 'refuses brackets without end before the parser reads them',
  },
  {
    name: 'plan-run-unrouted',
    mistake: 'in a plan run agents write to any member, whatever the organisation says',
    file: 'src/organisation/routing/plan-routing.ts',
    old: 'roles.includes(DEV_ROLE)) return routing',
    new: 'roles.includes(DEV_ROLE)) return { addedTypes: routing.addedTypes, route: () => ({ via: "message" }) }',
    test: 'src/cli/plan/routing.test.ts',
    fails: 'that an organisation does not allow are refused before delivery, with the allowed recipients',
  },
  {
    name: 'no-stand-in-for-missing-roles',
    mistake: 'developers of a plan run can write to no member, because their senior is not there',
    file: 'src/organisation/routing/message-routing.ts',
    old: "if (!options.isPartial || sent.handoff?.via === 'file') return undefined",
    new: 'if (options.isPartial !== false) return undefined',
    test: 'src/cli/plan/routing.test.ts',
    fails: 'go to the lead for roles that the team does not have, and only there',
  },
]
