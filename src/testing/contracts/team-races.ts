import { describe, expect, it } from 'vitest'
import type { Store } from '../../journal/log/store.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import type { Answer } from '../../team/answers/answer.ts'
import { allTasks } from '../../team/board/board.ts'
import type { Command } from '../../team/command.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'
import type { OpenStore } from './read-all.ts'

/** Two handles on one team, and functions that open more. */
export interface Teams {
  readonly a: TeamHandle
  readonly b: TeamHandle
  another(store?: Store): Promise<TeamHandle>
  readonly open: OpenStore
}

/** The part of the team contract where two handles race for the same thing. */
export function racingTeams(handles: () => Teams): void {
  describe('a race', () => {
    it('of claims of one task has exactly one winner', async () => {
      const { a, b } = handles()
      await add(a, ...Array.from({ length: 20 }, (_, i) => `task ${i}`))
      for (let id = 1; id <= 20; id++) {
        const raced = await Promise.all([a.run(claim(String(id)), as('ada')), b.run(claim(String(id)), as('bob'))])
        const winners = raced.filter((answer) => !isRefusal(answer))
        expect(winners).toHaveLength(1)
        const owner = winners.map(only)[0]?.owner ?? ''
        ok(await a.run({ type: 'task.complete', id: String(id) }, as(owner)))
      }
    }) // A79, F7, B62

    it('of claims of the next task never gives two handles the same task', async () => {
      const { a, another } = handles()
      const names = Array.from({ length: 8 }, (_, i) => `m${i}`)
      const teams = await Promise.all(names.map(() => another()))
      for (const member of names) ok(await a.run({ type: 'member.join', name: member, role: 'dev' }))
      await add(a, ...names)
      const answers = await Promise.all(teams.map((team, i) => team.run(claim(), as(names[i]!))))
      expect(new Set(answers.map((answer) => only(ok(answer)).id)).size).toBe(8)
      await Promise.all(teams.map((team) => team.close()))
    }) // A79, B62, F7

    it('of opposite dependencies accepts one and refuses the other as a cycle', async () => {
      const { a, b } = handles()
      await add(a, 'one', 'two')
      const edges = await Promise.all([
        a.run({ type: 'task.update', id: '1', addBlockedBy: ['2'] }),
        b.run({ type: 'task.update', id: '2', addBlockedBy: ['1'] }),
      ])
      expect(edges.filter((answer) => !isRefusal(answer))).toHaveLength(1)
      expect(edges.find(isRefusal)?.code).toBe('dependency_cycle')
    }) // B59, F18

    it('of new tasks gives them different ids and keeps batches whole', async () => {
      const { a, b } = handles()
      const batch = (subject: string): Command => ({
        type: 'task.add',
        tasks: [{ subject }, { subject, blockedBy: ['+1'] }],
      })
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? a : b).run(batch(`batch ${i}`))))
      const ids = answers.flatMap((answer) => ok(answer).tasks?.map(({ id }) => Number(id)) ?? [])
      expect(ids.toSorted((x, y) => x - y)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
      await a.refresh()
      for (const task of allTasks(a.state)) {
        if (Number(task.id) % 2 === 0) expect(task.blockedBy).toEqual([String(Number(task.id) - 1)])
      }
    }) // B58, F22

    it('of joins with one name creates one member', async () => {
      const { a, b } = handles()
      const join = { type: 'member.join', name: 'eve', role: 'dev' } as const
      const answers = await Promise.all([a.run(join), b.run(join), a.run(join)])
      expect(answers.map((answer) => ok(answer).member?.generation)).toEqual([1, 1, 1])
    }) // A60

    it('of a slow handle with fast ones lets it decide within ten attempts', async () => {
      const { a, b, another, open } = handles()
      let held = false
      const slow = await another(await slowed(open, () => held))
      await add(a, ...Array.from({ length: 300 }, (_, i) => `task ${i}`))
      held = true
      let done = false
      const work = async (team: TeamHandle, member: string) => {
        while (!done) {
          const { tasks } = ok(await team.run(claim(), as(member)))
          if (tasks?.[0]) ok(await team.run({ type: 'task.complete', id: tasks[0].id }, as(member)))
          else done = true
        }
      }
      const fast = Promise.all([work(a, 'ada'), work(b, 'bob')])
      ok(await slow.run({ type: 'member.join', name: 'eve', role: 'dev' }, { commandId: 'slow' }))
      done = true
      await fast
      let tries = 0
      for await (const batch of a.log.audit()) {
        for (const { record, verdict } of batch) {
          if (record?.id === 'slow' && verdict === 'accepted') tries = Number(record.tries ?? 0) + 1
        }
      }
      expect(tries).toBeGreaterThan(0)
      expect(tries).toBeLessThanOrEqual(10)
      await slow.close()
    })
  })
}

export const as = (member: string, commandId?: string) => ({ by: { name: member }, commandId })

export const claim = (id?: string) => ({ type: 'task.claim', id }) as const

async function add(team: TeamHandle, ...subjects: string[]): Promise<void> {
  ok(await team.run({ type: 'task.add', tasks: subjects.map((subject) => ({ subject })) }))
}

export function ok(answer: Answer | Refusal): Answer {
  if (isRefusal(answer)) throw new Error(`Refused (${answer.code}): ${refusalText(answer)}`)
  return answer
}

export function only(answer: Answer | Refusal) {
  const task = isRefusal(answer) ? undefined : answer.tasks?.[0]
  if (!task) throw new Error('There is no task in the answer.')
  return task
}

/** A store whose handle is slow: others have time to decide between its fold and its append. */
async function slowed(open: OpenStore, held: () => boolean): Promise<Store> {
  const store = await open()
  return {
    ...store,
    async log(name) {
      const log = await store.log(name)
      return {
        ...log,
        async append(records) {
          for (let pause = 0; held() && pause < 5; pause++) await new Promise((resolve) => setImmediate(resolve))
          return log.append(records)
        },
      }
    },
  }
}
