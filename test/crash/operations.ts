import { isRefusal, type Refusal } from '../../src/team/refusal.ts'
import { refusalText } from '../../src/team/refusal-text.ts'
import { memberNamed, unreadOf } from '../../src/team/state.ts'
import type { Opened } from './fragile-team.ts'
import { FOREIGN } from './fragile-team.ts'

/** Something a user does, that may be cut off anywhere and is done again with the same command id. */
export interface Operation {
  readonly name: string
  /** Calls `acknowledged` with each thing it was told is done. */
  run(opened: Opened, acknowledged: (what: string) => void): Promise<void>
  /** After it was repeated to its end: what is not as it should be, whatever happened to the first try. */
  wrong(opened: Opened, acknowledged: ReadonlySet<string>): readonly string[]
}

export const operations: readonly Operation[] = [
  {
    name: 'send',
    async run({ team }, acknowledged) {
      const effects = granted(await team.send({ to: 'bob', content: 'hello' }, { commandId: 'send-1' }))
      if (effects[0]?.outcome === 'queued') acknowledged('send-1')
    },
    wrong: ({ team }) => expectEqual('mail of bob', mailOf(team, 'bob'), ['hello']),
  },
  {
    name: 'take',
    async run({ team, store }, acknowledged) {
      const command = { type: 'mail.take', member: 'ada', taker: store.presence.self } as const
      const { mail } = granted(await team.run(command))
      if (!mail || mail.messages.length === 0) return
      const ids = mail.messages.map((message) => message.id)
      const effects = await team.acknowledge('ada', ids, mail.take)
      for (const { id, outcome } of effects) if (outcome === 'delivered') acknowledged(id)
    },
    // Everything was acknowledged exactly once: the first try and its repetition share the two messages.
    wrong: ({ team }, acknowledged) => [
      ...expectEqual('mail of ada', mailOf(team, 'ada'), []),
      ...[...acknowledged].filter((id) => !['letter-1', 'letter-2'].includes(id)),
    ],
  },
  {
    name: 'claim',
    async run({ team }, acknowledged) {
      const claim = { type: 'task.claim', id: '2' } as const
      const answer = granted(await team.run(claim, { by: { name: 'ada' }, commandId: 'claim-1' }))
      if (answer.tasks?.[0]?.owner === 'ada') acknowledged('claim-1')
    },
    wrong: ({ team }) => expectEqual('task 2', describeTask(team, '2'), ['in_progress', 'ada', '1 attempts']),
  },
  {
    name: 'join',
    async run({ team }, acknowledged) {
      const join = { type: 'member.join', name: 'cyd', role: 'dev' } as const
      if (granted(await team.run(join, { commandId: 'join-1' })).member?.name === 'cyd') acknowledged('join-1')
    },
    wrong: ({ team }) => expectEqual('generation of cyd', [memberNamed(team.state, 'cyd')?.generation], [1]),
  },
  {
    name: 'view update',
    async run({ team }, acknowledged) {
      const update = { type: 'task.update', id: '1', subject: 'one, renamed' } as const
      granted(await team.run(update, { commandId: 'update-1' }))
      acknowledged('update-1')
    },
    wrong: ({ team }) => expectEqual('subject', [team.state.tasks.get('1')?.subject], ['one, renamed']),
  },
  {
    name: 'ingest',
    async run({ team }, acknowledged) {
      await team.ingest()
      acknowledged('ingest')
    },
    wrong: ({ team }) => expectEqual('mail of lead', mailOf(team, 'lead'), FOREIGN),
  },
]

function mailOf({ state }: Opened['team'], name: string): string[] {
  return unreadOf(state, name).map(({ message }) => message.content)
}

function describeTask({ state }: Opened['team'], id: string): string[] {
  const task = state.tasks.get(id)
  return task ? [task.status, 'owner' in task ? task.owner : 'no owner', `${task.attempts} attempts`] : []
}

function granted<T extends object>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(`Refused, though nothing forbids it: ${refusalText(answer)}`)
  return answer as T
}

function expectEqual(what: string, actual: readonly unknown[], wanted: readonly unknown[]): string[] {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(wanted)]
  return is === should ? [] : [`${what} is ${is} and not ${should}`]
}
