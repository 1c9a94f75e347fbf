import type { Mutation } from './mutation.ts'

const tools = 'test/tools/promises.test.ts'
const policy = 'test/policy/promises.test.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'guessed-request',
    mistake: 'An answer that names no request goes to the first open one',
    file: 'src/tools/team/messages/open-requests.ts',
    old: 'if (meant.length === 1) return',
    new: 'if (meant.length >= 1) return',
    test: tools,
    fails: 'answers no request without its id',
  },
  {
    name: 'unseen-mail-delivered',
    mistake: 'Mail counts as delivered although the result had no room for it',
    file: 'src/tools/team/messages/read-inbox.ts',
    old: 'const mail = shown.map',
    new: 'const mail = waiting.map',
    test: tools,
    fails: 'delivers only the mail that read_inbox shows',
  },
  {
    name: 'completed-before-other-changes',
    mistake: 'A task is completed first, and the other changes of the call are refused afterwards',
    file: 'src/tools/team/board/update-steps.ts',
    old: "[...edges, ...first, { type: 'task.complete', id, result, commit }]",
    new: "[{ type: 'task.complete', id, result, commit }, ...edges, ...first]",
    test: tools,
    fails: 'completes a task only when every other change',
  },
  {
    name: 'checked-path-opened-again',
    mistake: 'A path is resolved and judged, and then opened by its name again',
    file: 'src/tools/paths/open-for-reading.ts',
    old: 'spot = openSpot(placeOf(path, access.root))',
    new: 'spot = { ...openSpot(placeOf(path, access.root)), at: placeOf(path, access.root) }',
    test: policy,
    fails: 'judges the file it opens',
  },
  {
    name: 'hook-timeout-allows',
    mistake: 'A hook that times out counts as one that agrees',
    file: 'src/permissions/hooks/hooks.ts',
    old: 'const isClosed = (fail',
    new: "const isClosed = outcome.kind !== 'late' && (fail",
    test: policy,
    fails: 'takes a hook that times out for a refusal',
  },
  {
    name: 'rule-compared-as-prefix',
    mistake: 'A rule for commands is compared with how the command line begins',
    file: 'src/permissions/rules/policy.ts',
    old: "action?.kind === 'run' ? allowedRun(tool, action.line, policy)",
    new: "action?.kind === 'run'\n      ? { rule: policy.allow.find(({ pattern = '-' }) => action.command.startsWith(pattern.replace(/[ :]?\\*$/, ''))) }",
    test: policy,
    fails: 'allows no command that only begins like an allowed one',
  },
  {
    name: 'secrets-redacted-per-chunk',
    mistake: 'Each chunk of a stream is redacted by itself',
    file: 'src/redaction/redactor.ts',
    old: '        const isInWord = buffer.length > shown\n',
    new: "        if (piece !== '') return text(piece)\n        const isInWord = buffer.length > shown\n",
    test: 'test/memory/promises.test.ts',
    fails: 'shows no secret of a stream',
  },
  {
    name: 'synonym-overwrites-its-parameter',
    mistake: 'A parameter that a model wrote twice with different values silently gets the second one',
    file: 'src/tools/parameter-names.ts',
    old: 'if (fields[name] === undefined) fields[name] = fields[synonym]\n    else if (fields[name] !== fields[synonym]) continue',
    new: 'fields[name] = fields[synonym]',
    test: 'src/tools/parameter-names.test.ts',
    fails: 'a parameter under another name',
  },
]
