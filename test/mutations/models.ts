import type { Mutation } from './mutation.ts'

const models = 'test/models/promises.test.ts'
const cached = 'test/agent/cached-share.test.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'retry-after-output',
    mistake: 'A model is asked again although part of its answer was shown',
    file: 'src/models/retry.ts',
    old: '  if (failure.emitted) return undefined\n',
    new: '',
    test: models,
    fails: 'does not retry an answer once part of it was shown',
  },
  {
    name: 'empty-success',
    mistake: 'An answer without content counts as a success',
    file: 'src/models/providers/model-from.ts',
    old: '    if (assembly.isEmpty) throw emptyAnswer(end, failed)\n',
    new: '',
    test: models,
    fails: 'never treats an empty answer as a success',
  },
  {
    name: 'breakpoints-miss-the-previous-end',
    mistake: 'Mail behind results takes the breakpoint at which the previous request ended',
    file: 'src/models/providers/prompt.ts',
    old: 'new Set([last, lastInputBefore(prompt, answer)])',
    new: 'new Set([last, lastInputBefore(prompt, Math.max(answer, last))])',
    test: cached,
    fails: 'reads everything before new mail from the cache',
  },
  {
    name: 'tool-order-changes',
    mistake: 'The order of the tools changes within a conversation',
    file: 'src/models/providers/model-from.ts',
    old: 'toolsOf(request.tools, areToolsMarked)',
    new: 'toolsOf(request.turns.length > 9 ? request.tools.toReversed() : request.tools, areToolsMarked)',
    test: cached,
    fails: 'begins with the whole previous request',
  },
  {
    name: 'tools-not-shared',
    mistake: 'Tools are cached only together with the system prompt, which differs between teammates',
    file: 'src/models/providers/prompt.ts',
    old: 'isMarked && at === offers.length - 1',
    new: 'isMarked && at === offers.length',
    test: cached,
    fails: 'has at most four breakpoints',
  },
  {
    name: 'five-breakpoints',
    mistake: "The tools are marked although the user's own breakpoint needs the fourth place",
    file: 'src/models/providers/model-from.ts',
    old: 'form.hasBreakpoints && options.options?.anthropic?.cacheControl === undefined',
    new: 'form.hasBreakpoints',
    test: 'test/models/providers/wire.test.ts',
    fails: "leaves a breakpoint to the user's own",
  },
  {
    name: 'breakpoint-replaces-options',
    mistake: 'a breakpoint takes the place of what a turn tells its provider',
    file: 'src/models/providers/prompt.ts',
    old: '{ ...others, anthropic: { ...anthropic, ...BREAKPOINT.anthropic } }',
    new: 'BREAKPOINT',
    test: 'src/models/providers/prompt.test.ts',
    fails: 'keeps the options of a turn',
  },
  {
    name: 'breakpoints-for-every-provider',
    mistake: 'turns are marked for providers that cache by themselves',
    file: 'src/models/providers/prompt.ts',
    old: 'if (hasBreakpoints) markRequestEnds',
    new: 'markRequestEnds',
    test: 'src/models/providers/prompt.test.ts',
    fails: 'has no breakpoint for a provider that caches by itself',
  },
]
