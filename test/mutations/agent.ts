import type { Mutation } from './mutation.ts'

const agent = 'test/agent/promises.test.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'interrupted-call-runs-again',
    mistake: 'A call whose end is unknown is run again after a crash',
    file: 'src/agent/recover-interrupted-calls.ts',
    old: '  for (const call of unanswered(state)) await transcript.result(asPart(call, INTERRUPTED))\n',
    new: '',
    also: [
      {
        file: 'src/agent/loop.ts',
        old: '    for (;;) {\n      if (!agent.order)',
        new: '    yield* runCalls(agent, signal, failures)\n    for (;;) {\n      if (!agent.order)',
      },
    ],
    test: agent,
    fails: 'reports a call whose end is unknown as interrupted',
  },
  {
    name: 'aborted-call-without-result',
    mistake: 'A call that was aborted is left without a result',
    file: 'src/agent/run-calls.ts',
    old: 'if (!isAborted(error, signal)) throw error',
    new: 'if (signal !== undefined) throw error',
    test: agent,
    fails: 'leaves a conversation that can continue when a tool call is aborted',
  },
  {
    name: 'ack-before-turn',
    mistake: 'Mail is acknowledged before the turn that holds it is in the transcript',
    file: 'src/agent/receive-input.ts',
    old: '  await transcript.addInput(turn, mail,',
    new: '  await acknowledge()\n  await transcript.addInput(turn, mail,',
    test: agent,
    fails: 'acknowledges mail only when the turn that holds it',
  },
  {
    name: 'turn-before-journal',
    mistake: 'A turn is in the transcript before the journal records it is about are synced',
    file: 'src/agent/transcript/transcript.ts',
    old: 'await waitUntilDurable?.()',
    new: 'void waitUntilDurable?.()',
    test: agent,
    fails: 'syncs the journal before the transcript holds a turn about it',
  },
  {
    name: 'ack-before-durable',
    mistake: 'Mail is acknowledged before the turn that holds it is synced',
    file: 'src/agent/receive-input.ts',
    old: '  await synced()\n',
    new: '',
    test: agent,
    fails: 'acknowledges mail when its turn is durable',
  },
  {
    name: 'effect-before-durable',
    mistake: 'A call with effects runs before the answer that asks for it is synced',
    file: 'src/agent/run-calls.ts',
    old: '    if (!ready.isRepeatable) await agent.transcript.synced()\n',
    new: '',
    test: agent,
    fails: 'runs a call with effects only when the answer',
  },
  {
    name: 'transcript-read-before-its-fence',
    mistake: 'A transcript is read before the line that opens it for this generation is written',
    file: 'src/agent/transcript/transcript.ts',
    old: '  await write({ open: true })\n',
    new: '  let isOpening = false\n  await foldTo(undefined)\n  isOpening = true\n  await write({ open: true })\n  isOpening = false\n',
    also: [
      {
        file: 'src/agent/transcript/transcript.ts',
        old: 'if (!unread.delete(record.id)) applyTurn',
        new: 'if (!unread.delete(record.id) && (record.open || !isOpening)) applyTurn',
      },
    ],
    test: agent,
    fails: 'folds what the older generation wrote before the line',
  },
]
