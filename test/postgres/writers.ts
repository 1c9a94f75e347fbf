import { openTeam, type TeamHandle } from '../../src/journal/team-handle.ts'
import { openPostgresStore } from '../../src/stores/postgres/store.ts'
import { TeamError } from '../../src/team/errors.ts'
import { isRefusal } from '../../src/team/refusal.ts'
import { refusalText } from '../../src/team/refusal-text.ts'

/** Writers that decide and send without a pause, whatever happens to the server, and remember their answers. */
export interface Writers {
  readonly acknowledged: readonly string[]
  /** Ids whose outcome was unknown at first. Each command was repeated under the same id. */
  readonly unknown: ReadonlySet<string>
  /** Resolves when each has begun and finished something new. */
  progress(): Promise<void>
  stop(): Promise<void>
}

const TEAM = 'web'

/** Patient ones get over an outage by themselves; the others soon get `outcome_unknown`, and repeat the command. */
const PATIENCE = [15_000, 200]

/** A link that was cut in the middle of a transaction leaves it open: the server ends it after so many milliseconds. */
const IDLE = 300

/** They are at work when this resolves. */
export async function startWriters(url: string): Promise<Writers> {
  await found(url)
  const acknowledged: string[] = []
  const unknown = new Set<string>()
  const waiting = new Set<{ after: Map<number, number>; resolve(): void }>()
  const done = [0, 0, 0, 0]
  let isOver = false

  async function write(number: number): Promise<void> {
    const timeouts = { server: PATIENCE[number % 2]!, idle: IDLE }
    await using store = await openPostgresStore({ url, timeouts, warn() {} })
    await using team = await openTeam(store, TEAM)
    for (let count = 0; !isOver; count++) {
      const id = `w${number}-${count}`
      await untilAnswered(id, () => (number < 2 ? decide(team, number, id) : send(team, number, id)))
      acknowledged.push(id)
      done[number]!++
      for (const one of [...waiting]) {
        if (![...one.after].every(([writer, before]) => done[writer]! >= before + 2)) continue
        waiting.delete(one)
        one.resolve()
      }
    }
  }

  /** Asks again under the same id until there is an answer. Anything but an outage is a mistake. */
  async function untilAnswered(id: string, ask: () => Promise<void>): Promise<void> {
    for (let tries = 0; tries < 1000; tries++) {
      try {
        return await ask()
      } catch (error) {
        const code = error instanceof TeamError ? error.code : ''
        if (!OUTAGES.has(code)) throw error
        if (code === 'outcome_unknown') unknown.add(id)
      }
    }
    throw new Error(`${id} was never answered.`)
  }

  const all = Promise.all(done.map((_, number) => write(number)))
  const failed = all.then(() => new Promise<never>(() => {}))
  failed.catch(() => {})
  async function progress(): Promise<void> {
    const reached = new Promise<void>((resolve) => {
      waiting.add({ after: new Map(done.entries()), resolve })
    })
    await Promise.race([reached, failed])
  }

  await progress()
  return {
    acknowledged,
    unknown,
    progress,
    async stop() {
      isOver = true
      await all
    },
  }
}

const OUTAGES = new Set(['outcome_unknown', 'not_written', 'not_read', 'store_unreachable'])

async function found(url: string): Promise<void> {
  await using store = await openPostgresStore({ url })
  await using team = await openTeam(store, TEAM)
  await team.run({ type: 'team.create', team: TEAM })
  await team.run({ type: 'task.add', tasks: [{ subject: 'first' }, { subject: 'second' }] })
  for (const name of ['box', 'w2', 'w3']) await team.run({ type: 'member.join', name, role: 'dev' })
}

async function decide(team: TeamHandle, number: number, id: string): Promise<void> {
  const change = { type: 'task.update', id: String(number + 1), description: id } as const
  const answer = await team.run(change, { commandId: id })
  if (isRefusal(answer)) throw new Error(refusalText(answer))
}

async function send(team: TeamHandle, number: number, id: string): Promise<void> {
  const effects = await team.send({ to: 'box', content: id }, { by: { name: `w${number}` }, commandId: id })
  if (isRefusal(effects)) throw new Error(refusalText(effects))
}
