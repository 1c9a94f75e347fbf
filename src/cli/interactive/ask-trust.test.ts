import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import { openWorkspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'
import { askTrust } from './ask-trust.ts'

let top: string
let said: string
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-ask-')))
  said = ''
  mkdirSync(join(top, 'shop', '.deskmates'), { recursive: true })
  settings('{}')
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

function settings(text: string): void {
  writeFileSync(join(top, 'shop', '.deskmates', 'settings.json'), text)
}

/** One start of the program: what it asked, and whether the folder is trusted then. */
async function start(answer: boolean | undefined, more: NodeJS.ProcessEnv = {}) {
  const cwd = join(top, 'shop')
  const env = { HOME: join(top, 'home'), DESKMATES_STATE: join(top, 'state'), ...more }
  const stderr = new Writable({
    write(chunk, _, done) {
      said += String(chunk)
      done()
    },
  })
  await using workspace = await openWorkspace({ cwd, env })
  const asked: string[] = []
  await askTrust(
    { cwd, env, stderr, globals: { json: false } } as Partial<Call> as Call,
    workspace,
    async (message) => {
      asked.push(message)
      return answer
    },
  )
  return { asked: asked.length, isTrusted: isTrusted(workspace) }
}

describe('the question whether a folder is trusted', () => {
  it('is asked once where the answer is no, and says how to change it', async () => {
    expect(await start(false)).toEqual({ asked: 1, isTrusted: false })
    expect(said).toContain(
      'have no effect. You are asked again when they change. To trust them before: deskmates trust',
    )
    expect(await start(true)).toEqual({ asked: 0, isTrusted: false })
  })

  it('is asked once where the answer is yes', async () => {
    expect(await start(true)).toEqual({ asked: 1, isTrusted: true })
    expect(await start(false)).toEqual({ asked: 0, isTrusted: true })
    expect(said).toBe('')
  })

  it.for([true, false])('is asked again when the folder says something else; the answer was %s', async (answer) => {
    await start(answer)
    settings('{"permissions": {"mode": "bypassPermissions"}}')
    expect(await start(false)).toEqual({ asked: 1, isTrusted: false })
  })

  it('is asked again where the person left it', async () => {
    expect(await start(undefined)).toEqual({ asked: 1, isTrusted: false })
    expect(await start(undefined)).toEqual({ asked: 1, isTrusted: false })
  })

  it('is not asked of a folder that says nothing, and where everything is trusted', async () => {
    expect(await start(false, { DESKMATES_TRUST: '1' })).toEqual({ asked: 0, isTrusted: true })
    rmSync(join(top, 'shop', '.deskmates'), { recursive: true })
    expect((await start(true)).asked).toBe(0)
  })
})
