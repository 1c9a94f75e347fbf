import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Disk, realDisk } from '../../src/stores/files/disk.ts'
import { openFileStore } from '../../src/stores/files/store.ts'
import { unreadOf } from '../../src/team/state.ts'
import { agentHarness, answeringModel, run } from '../../src/testing/harnesses/agent-harness.ts'
import { closingDisk } from './closing-disk.ts'
import { powerCutDisk } from './power-cut-disk.ts'

const never = () => new Promise<never>(() => {})

it('keeps a message when its reader is killed before its turn is synced and power is cut then', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'deskmates-killed-'))
  const at = (disk: Disk) => openFileStore({ dir, disk, warn() {} })

  /** Lives until its model was asked and has thought for a while; then it is killed. */
  async function live(
    under: Disk,
    generation: number,
    meanwhile = async (_: Awaited<ReturnType<typeof agentHarness>>) => {},
  ) {
    const { disk, closeAll } = closingDisk(under)
    let asked = () => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const { model } = answeringModel(() => {
      asked()
      return never()
    })
    const talk = await agentHarness({ model, generation, store: at(disk) })
    void run(talk).catch(() => {})
    await isAsked
    await meanwhile(talk)
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
    closeAll()
  }

  try {
    const before = await agentHarness({ model: answeringModel().model, store: at(realDisk) })
    await before.team.send({ to: 'lead', content: 'precious' })
    await before.team.close()

    const power = powerCutDisk()
    let isKilled = false
    const fdatasync = (fd: number) => (isKilled ? never() : power.disk.fdatasync(fd))
    await live({ ...power.disk, fdatasync }, 2, async () => {
      isKilled = true
    })
    // The next process finds the turn, and the write of another process makes the whole journal durable.
    await live(power.disk, 3, async ({ team }) => {
      await team.run({ type: 'task.add', tasks: [{ subject: 'something else' }] })
    })
    power.cut('kept')

    const after = await agentHarness({ model: answeringModel().model, generation: 4, store: at(realDisk) })
    const isUnread = unreadOf(after.team.state, 'lead').length > 0
    const isInTranscript = JSON.stringify(after.transcript.state.turns).includes('precious')
    expect(isUnread || isInTranscript).toBe(true)
  } finally {
    rmSync(dir, { recursive: true })
  }
}) // F1, F2
