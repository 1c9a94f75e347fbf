import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPresets } from '../../acp/client/check-presets.ts'
import { type Examination, notAvailable, pass } from './examination.ts'

/** Which agents of other vendors are installed, and whether each speaks the protocol. No prompt is sent. */
export const vendorAgents: Examination = {
  name: "others' agents",
  onDisk: false,
  remedy: 'Reinstall the one that does not answer, or use another agent type',
  async examine({ call, root }) {
    const { env, clock } = call
    const cwd = mkdtempSync(join(tmpdir(), 'deskmates-doctor-'))
    const found = await checkPresets({ env, clock, cwd, writable: [root] }).finally(() =>
      rmSync(cwd, { recursive: true, force: true }),
    )
    const texts = found.map(({ title, state, why }) => `${title}: ${state}${why === undefined ? '' : ` (${why})`}`)
    const isUsable = found.some(({ state }) => state === 'works')
    if (isUsable) return pass(texts.join('; '))
    const missing = found.filter(({ state }) => state === 'not installed')
    return notAvailable(texts.join('; '), missing[0] && `To work with one: ${missing[0].install}`)
  },
}
