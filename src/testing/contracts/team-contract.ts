import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../journal/log/store.ts'
import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import type { Answer } from '../../team/answers/answer.ts'
import { taskView } from '../../team/answers/view.ts'
import { allTasks } from '../../team/board/board.ts'
import type { Command } from '../../team/command.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'
import { unreadOf } from '../../team/state.ts'
import { brokenInvariants } from '../invariants.ts'
import { manualClock } from '../manual-clock.ts'
import type { OpenStore } from './read-all.ts'
import { as, claim, ok, only, racingTeams } from './team-races.ts'

export function teamContract(name: string, makePlace: () => Promise<OpenStore>): void {
  describe(`a team on ${name}`, () => {
    let open: OpenStore
    let stores: Store[]
    let clock: ReturnType<typeof manualClock>
    let a: TeamHandle
    let b: TeamHandle

    async function another(store?: Store): Promise<TeamHandle> {
      const place = store ?? (await open())
      if (!store) stores.push(place)
      return openTeam(place, 'web', { clock })
    }

    beforeEach(async () => {
      open = await makePlace()
      stores = []
      clock = manualClock()
      a = await another()
      b = await another()
      ok(await a.run({ type: 'team.create', team: 'web' }))
      for (const member of ['ada', 'bob']) ok(await a.run({ type: 'member.join', name: member, role: 'dev' }))
    })

    afterEach(async () => {
      for (const team of [a, b]) {
        await team.refresh()
        expect(brokenInvariants(team.state)).toEqual([])
        await team.close()
      }
      for (const store of stores) await store[Symbol.asyncDispose]()
    })

    const add = async (...subjects: string[]) =>
      ok(await a.run({ type: 'task.add', tasks: subjects.map((subject) => ({ subject })) }))
    const board = async (team: TeamHandle) => {
      await team.refresh()
      return allTasks(team.state).map((task) => taskView(team.state, task))
    }

    racingTeams(() => ({ a, b, another, open }))

    describe('two handles', () => {
      it("see each other's changes, and so does one that opens later", async () => {
        await add('one')
        ok(await b.run(claim('1'), as('ada')))
        expect((await board(a))[0]).toMatchObject({ owner: 'ada', status: 'in_progress' })
        ok(await a.run({ type: 'task.complete', id: '1', result: 'done' }, as('ada')))
        expect((await board(b))[0]).toMatchObject({ owner: 'ada', status: 'completed', result: 'done' })
        const later = await another()
        expect(await board(later)).toEqual(await board(a))
        await later.close()
      }) // A47, A59

      it('keep teams apart: mail and tasks of one team are not in another', async () => {
        const other = await openTeam(stores[0]!, 'api', { clock })
        ok(await other.run({ type: 'team.create', team: 'api' }))
        ok(await other.run({ type: 'member.join', name: 'ada', role: 'dev' }))
        await other.send({ to: 'all', content: 'only here' })
        ok(await other.run({ type: 'task.add', tasks: [{ subject: 'only here' }] }))
        await a.refresh()
        expect(unreadOf(a.state, 'ada')).toEqual([])
        expect(await board(a)).toEqual([])
        expect(await stores[1]!.teams()).toEqual(['api', 'web'])
        await other.close()
      }) // F16, A59

      it('wake each other', async () => {
        await b.refresh()
        const woken = b.changed(60_000)
        await add('one')
        await woken
        await b.refresh()
        expect(b.state.tasks.get('1')).toBeDefined()
      }) // A80
    })

    describe('a command id', () => {
      it('returns the first answer to every kind of command, from either handle and after more changes', async () => {
        await add('x1', 'x2', 'x3', 'x4', 'x5')
        const lead = { by: { name: 'lead' } }
        const commands: [Command, string][] = [
          [{ type: 'team.delete' }, 'skip'],
          [{ type: 'supervise', runtime: stores[0]!.presence.self }, 'user'],
          [{ type: 'member.join', name: 'eve', role: 'qa' }, 'user'],
          [{ type: 'member.spawn', name: 'bot', role: 'dev', runtime: stores[0]!.presence.self }, 'user'],
          [{ type: 'member.lose', name: 'bot', reason: 'silent' }, 'user'],
          [{ type: 'task.add', tasks: [{ subject: 'new' }] }, 'user'],
          [{ type: 'task.update', id: '5', priority: 9 }, 'user'],
          [{ type: 'task.claim', lease: 50 }, 'ada'],
          [{ type: 'task.renew', id: '5', lease: 70 }, 'ada'],
          [{ type: 'task.release', id: '5' }, 'ada'],
          [{ type: 'task.claim', id: '1' }, 'ada'],
          [{ type: 'task.complete', id: '1', result: 'r' }, 'ada'],
          [{ type: 'task.claim', id: '2' }, 'bob'],
          [{ type: 'task.fail', id: '2', reason: 'why' }, 'bob'],
          [{ type: 'request.open', kind: 'shutdown', to: 'eve', content: 'stop' }, 'lead'],
          [{ type: 'request.answer', id: 'r1', approve: true }, 'eve'],
          [{ type: 'mail.take', member: 'lead', taker: stores[0]!.presence.self }, 'user'],
          [{ type: 'member.stop', name: 'eve' }, 'user'],
        ]
        const first = new Map<string, Answer | Refusal>()
        for (const [i, [command, by]] of commands.entries()) {
          if (by !== 'skip') first.set(`k${i}`, ok(await a.run(command, as(by, `k${i}`))))
        }
        ok(await b.run({ type: 'task.update', id: '5', status: 'deleted' }, lead))
        ok(await b.run({ type: 'member.stop', name: 'ada' }, lead))
        const records = await countOf(a)
        const fresh = await another()
        for (const [i, [command, by]] of commands.entries()) {
          if (by === 'skip') continue
          for (const team of [a, b, fresh]) {
            expect(await team.run(command, as(by, `k${i}`)), command.type).toEqual(first.get(`k${i}`))
          }
        }
        expect(await countOf(a)).toBe(records)
        expect(await b.run({ type: 'task.claim' }, as('bob', 'k2'))).toMatchObject({ code: 'command_id_taken' })
        await fresh.close()
      })

      it('sends a message once and returns its first outcome again', async () => {
        const send = (team: TeamHandle) => team.send({ to: 'bob', content: 'once' }, as('ada', 'm1'))
        const first = await send(a)
        expect(first).toMatchObject([{ to: 'bob', outcome: 'queued' }])
        ok(await b.run({ type: 'member.stop', name: 'bob' }))
        expect(await send(b)).toEqual(first)
        expect(await send(a)).toEqual(first)
      }) // F15

      it('that is used twice at once, by one handle or two, runs its command once', async () => {
        const create = { type: 'task.add', tasks: [{ subject: 'once' }] } as const
        const answers = await Promise.all([a, a, b, b].map((team) => team.run(create, { commandId: 'same' })))
        for (const answer of answers) expect(ok(answer).tasks).toMatchObject([{ id: '1' }])
        expect(await board(a)).toHaveLength(1)
      })
    })

    describe('chained commands', () => {
      it('of one tick keep their order, and each sees the effects of those before it', async () => {
        const [added, claimed, completed, again, next] = await Promise.all([
          a.run({ type: 'task.add', tasks: [{ subject: 'one' }, { subject: 'two' }] }),
          a.run(claim('1'), as('ada')),
          a.run({ type: 'task.complete', id: '1' }, as('ada')),
          a.run(claim('1'), as('bob')),
          a.run(claim(), as('bob')),
        ])
        expect([added, claimed, completed].map((answer) => ok(answer!).tasks?.[0]?.id)).toEqual(['1', '1', '1'])
        expect(again).toMatchObject({ code: 'wrong_state' })
        expect(only(ok(next!)).id).toBe('2')
      })

      it('are decided again together when another handle decided first', async () => {
        await add('one', 'two')
        const [first, second, third] = await Promise.all([
          a.run(claim('1'), as('ada')),
          a.run({ type: 'task.complete', id: '1' }, as('ada')),
          b.run({ type: 'task.add', tasks: [{ subject: 'between' }] }),
        ])
        expect([first, second, third].map((answer) => isRefusal(answer!))).toEqual([false, false, false])
        expect((await board(b))[0]).toMatchObject({ status: 'completed', owner: 'ada', attempts: 1 })
      })
    })

    describe('mail', () => {
      it('returns the outcome for each recipient at once', async () => {
        expect(await a.send({ to: 'all', content: 'hi' }, as('ada'))).toMatchObject([
          { to: 'lead', outcome: 'queued' },
          { to: 'bob', outcome: 'queued' },
        ])
        expect(await b.send({ to: 'zoe', content: 'hi' })).toMatchObject({ code: 'unknown_member' })
      }) // A67, A68

      it('that both handles send at the same time arrives completely, in one order for all', async () => {
        const sends = Array.from({ length: 40 }, (_, i) =>
          (i % 2 ? a : b).send({ to: 'bob', content: `m${i}` }, as('ada')),
        )
        for (const sent of await Promise.all(sends)) expect(sent).toMatchObject([{ outcome: 'queued' }])
        const read = async (team: TeamHandle) => {
          await team.refresh()
          return unreadOf(team.state, 'bob').map(({ message }) => message.content)
        }
        expect((await read(a)).toSorted()).toEqual(Array.from({ length: 40 }, (_, i) => `m${i}`).toSorted())
        expect(await read(b)).toEqual(await read(a))
      }) // A70, F1

      it('is taken by one of two readers, and only that reader acknowledges it', async () => {
        for (let i = 0; i < 30; i++) await a.send({ to: 'bob', content: `m${i}` }, as('ada'))
        const acknowledged: string[] = []
        const read = async (team: TeamHandle, taker: string) => {
          for (;;) {
            const { mail } = ok(await team.run({ type: 'mail.take', member: 'bob', taker, limit: 3 }))
            if (!mail || mail.messages.length === 0) return
            const ids = mail.messages.map(({ id }) => id)
            const effects = await team.acknowledge('bob', ids, mail.take)
            acknowledged.push(...effects.filter(({ outcome }) => outcome === 'delivered').map(({ id }) => id))
          }
        }
        await Promise.all([read(a, stores[0]!.presence.self), read(b, stores[1]!.presence.self)])
        await read(a, stores[0]!.presence.self)
        expect(acknowledged).toHaveLength(30)
        expect(new Set(acknowledged).size).toBe(30)
      }) // A69, F1, F2

      it('arrives whole, however long it is, and bounces whole', async () => {
        const content = `first line\n${'報告 '.repeat(20_000)}`
        await a.send({ to: 'bob', content }, as('ada'))
        await b.refresh()
        const unread = unreadOf(b.state, 'bob').map(({ message }) => message.content)
        expect(await b.loadLongTexts(unread)).toEqual([content])
        const taker = stores[1]!.presence.self
        const { mail } = ok(await b.run({ type: 'mail.take', member: 'bob', taker }))
        expect(mail?.messages).toMatchObject([{ content }])
        ok(await b.run({ type: 'member.stop', name: 'bob' }, as('bob')))
        await a.refresh()
        const back = await a.loadLongTexts(unreadOf(a.state, 'ada').map(({ message }) => message.content))
        expect(back).toEqual([expect.stringContaining(content)])
        const task = { subject: 'long', description: content }
        expect(only(ok(await a.run({ type: 'task.add', tasks: [task] }))).description).toBe(content)
        await b.refresh()
        expect((await b.loadLongTexts(await board(b)))[0]?.description).toBe(content)
      }) // F9

      it('bounces to its sender when its reader is stopped, by either handle', async () => {
        await a.send({ to: 'bob', content: 'unread' }, as('ada'))
        ok(await b.run({ type: 'member.stop', name: 'bob' }, as('bob')))
        await a.refresh()
        expect(unreadOf(a.state, 'ada').map(({ message }) => message)).toMatchObject([{ type: 'error', from: 'bob' }])
        expect(await a.send({ to: 'bob', content: 'late' }, as('ada'))).toMatchObject({ code: 'member_stopped' })
      }) // F11
    })

    describe('time', () => {
      it('ends a lease when either handle writes the next command', async () => {
        await add('one')
        ok(await a.run({ type: 'task.claim', id: '1', lease: 600 }, as('ada')))
        clock.advance(599)
        expect(await b.run(claim('1'), as('bob'))).toMatchObject({ code: 'wrong_state' })
        clock.advance(1)
        expect((await board(b))[0]).toMatchObject({ owner: 'ada' })
        expect(only(ok(await b.run(claim('1'), as('bob'))))).toMatchObject({ owner: 'bob', attempts: 2 })
        expect(await a.run({ type: 'task.complete', id: '1' }, as('ada'))).toMatchObject({ code: 'not_owner' })
      }) // F24

      it('ends a request at its deadline, and the request outlives its handle', async () => {
        ok(await a.run({ type: 'request.open', kind: 'shutdown', to: 'ada', content: 'stop' }))
        const later = await another()
        await later.refresh()
        expect(later.state.requests.get('r1')).toMatchObject({ state: 'pending' })
        clock.advance(31)
        expect(await later.run({ type: 'request.answer', id: 'r1', approve: true }, as('ada'))).toHaveProperty('code')
        ok(await later.run({ type: 'task.add', tasks: [{ subject: 'any' }] }))
        await a.refresh()
        expect(a.state.requests.get('r1')).toMatchObject({ state: 'timed_out' })
        await later.close()
      }) // F28, B43
    })

    describe('closing', () => {
      it('finishes the commands that were given before', async () => {
        const team = await another()
        const added = team.run({ type: 'task.add', tasks: [{ subject: 'last words' }] })
        const sent = team.send({ to: 'bob', content: 'last words' })
        await team.close()
        expect(ok(await added).tasks).toHaveLength(1)
        expect(await sent).toMatchObject([{ outcome: 'queued' }])
        expect(await board(a)).toHaveLength(1)
      })
    })
  })
}

async function countOf(team: TeamHandle): Promise<number> {
  let count = 0
  for await (const batch of team.log.audit()) count += batch.length
  return count
}
