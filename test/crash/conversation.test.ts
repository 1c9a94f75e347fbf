import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { recoverInterruptedCalls } from '../../src/agent/calls/recover-interrupted-calls.ts'
import type { Turn } from '../../src/models/model.ts'
import { type Disk, realDisk } from '../../src/stores/files/disk.ts'
import { openFileStore } from '../../src/stores/files/store.ts'
import { type DiskPlan, recordingDisk } from '../../src/testing/faulty-disk.ts'
import { agentHarness, answeringModel, run } from '../../src/testing/harnesses/agent-harness.ts'
import { defineTool } from '../../src/tools/define-tool.ts'
import { closingDisk } from './closing-disk.ts'
import { powerCutDisk } from './power-cut-disk.ts'

const WAITING = 'there before'
const LATE = 'sent while the model thought'

describe('a conversation on a machine that loses power after any one file-system call', () => {
  let home: string
  const beginning = () => join(home, 'beginning')
  const now = () => join(home, 'now')

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'deskmates-talk-'))
    mkdirSync(beginning())
    const talk = await agentHarness({ model: answeringModel().model, store: openFileStore({ dir: beginning() }) })
    await talk.team.send({ to: 'lead', content: WAITING })
    await talk.team.close()
  })
  afterAll(() => rmSync(home, { recursive: true }))

  it('continues with every message received once and no tool call run twice', async () => {
    const calls = (await attempt({})).calls.length
    expect(calls).toBeGreaterThan(30)
    const found: string[] = []
    for (const names of ['kept', 'lost'] as const) {
      for (let crashAfter = 0; crashAfter <= calls; crashAfter++) {
        const wrong = await aftermath(await attempt({ crashAfter }, names))
        found.push(...wrong.map((what) => `power cut after call ${crashAfter}, names ${names}: ${what}`))
      }
    }
    console.log(`power: a conversation has ${calls} calls, cut after each, ${found.length} wrong`)
    expect(found).toEqual([])
  }) // F1, F2, F39

  interface Attempt {
    readonly calls: readonly string[]
    readonly changes: number
    readonly wasLateSent: boolean
  }

  /** The conversation from its beginning, on a disk that does as planned; then the power is cut. */
  async function attempt(plan: DiskPlan, names: 'kept' | 'lost' = 'kept'): Promise<Attempt> {
    rmSync(now(), { recursive: true, force: true })
    cpSync(beginning(), now(), { recursive: true })
    const power = powerCutDisk()
    const { disk: inner, closeAll } = closingDisk(power.disk)
    const disk = recordingDisk(plan, inner)
    const life = { changes: 0, wasLateSent: false }
    await live(disk, 2, life).catch(() => {})
    const { calls } = disk
    closeAll()
    power.cut(names)
    return { calls: [...calls], ...life }
  }

  /** A living process goes on. */
  async function aftermath({ changes, wasLateSent }: Attempt): Promise<string[]> {
    const { disk, closeAll } = closingDisk(realDisk)
    const life = { changes, wasLateSent }
    const turns = JSON.stringify(await live(disk, 3, life))
    closeAll()
    const times = (text: string) => turns.split(text).length - 1
    return [
      ...(times(WAITING) === 1 ? [] : [`the waiting message was received ${times(WAITING)} times`]),
      ...(times(LATE) === 1 || (times(LATE) === 0 && !wasLateSent) ? [] : [`the late one ${times(LATE)} times`]),
      ...(life.changes <= 1 ? [] : [`it was changed ${life.changes} times`]),
      ...(turns.includes('done.') ? [] : ['it did not come to its end']),
    ]
  }

  async function live(disk: Disk, generation: number, life: { changes: number; wasLateSent: boolean }) {
    const change = defineTool({
      name: 'change',
      description: 'x',
      input: z.object({}),
      run: () => `changed ${++life.changes}`,
    })
    const next = async ({ turns }: { turns: readonly Turn[] }) => {
      if (turns.some(({ role }) => role === 'tool')) return { text: 'done.' }
      // It thinks, and what is sent meanwhile makes all that stands in the journal durable.
      for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
      await talk.team.send({ to: 'lead', content: LATE }, { commandId: 'late' })
      life.wasLateSent = true
      return { calls: [{ id: 'c', tool: 'change' }] }
    }
    const { model } = answeringModel(next, next, next, next)
    const talk = await agentHarness({
      model,
      tools: [change],
      generation,
      store: openFileStore({ dir: now(), disk, warn() {} }),
    })
    await recoverInterruptedCalls(talk, async () => {})
    await run(talk)
    await talk.team.close()
    return talk.transcript.state.turns
  }
})
