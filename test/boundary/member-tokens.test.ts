import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openTeam } from '../../src/journal/team-handle.ts'
import { openControl } from '../../src/session/control/open-control.ts'
import { joinWithToken } from '../../src/session/member-tokens.ts'
import { isRefusal } from '../../src/team/refusal.ts'
import { composedModel } from '../../src/testing/harnesses/composed-model.ts'
import { reader, until } from '../../src/testing/harnesses/control-contract.ts'
import { openWorkspace } from '../../src/workspace.ts'

let place: string
beforeEach(() => {
  // Not in /tmp, which every command sees as empty.
  const top = join(homedir(), '.cache')
  mkdirSync(top, { recursive: true })
  place = realpathSync(mkdtempSync(join(top, 'dm-')))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

for (const where of ['beside the workspace', 'in the home folder', 'in the workspace'])
  it(`a command and a file tool read no token of a member (state folder ${where})`, async ({ skip }) => {
    const [root, home] = [join(place, 'work'), join(place, 'home')]
    for (const folder of [root, home]) mkdirSync(folder)
    const state = { 'beside the workspace': join(place, 'state'), 'in the workspace': join(root, 'state') }[where]
    const env = { PATH: process.env.PATH, HOME: home, ...(state !== undefined && { DESKMATES_STATE: state }) }
    await using workspace = await openWorkspace({ cwd: root, env: { ...env, DESKMATES_DIR: root } })
    const file = await tokenFile(workspace, env)
    const token = readFileSync(file, 'utf8')
    // Encoded, since output that looks like a token is redacted anyway.
    const command = `base64 -w0 ${file} || echo DENIED; printenv DESKMATES_MEMBER_TOKEN | base64 -w0; echo ended`
    const { model } = composedModel(({ turns }) => {
      if (turns.length === 1) return { calls: [{ tool: 'bash', input: { command } }] }
      if (turns.length === 3) return { calls: [{ tool: 'read_file', input: { path: file } }] }
      return { text: 'Tried both.' }
    })
    await using control = await openControl({
      ...{ workspace, model, env: { ...env, DESKMATES_MEMBER_TOKEN: token.trim() }, version: '1.2.3', cwd: root },
      permissions: { mode: 'bypassPermissions', allow: [] },
      sandbox: { env: ['DESKMATES_MEMBER_TOKEN'] },
      socket: { access: 'watch' },
    })
    if (control.opened.sandbox !== 'on') skip('bubblewrap does not work here')
    const read = reader(control)
    await control.prompt('Go.')
    await until(() => JSON.stringify(read.of('assistant')).includes('Tried both.'))
    const results = JSON.stringify(read.of('user').filter((line) => JSON.stringify(line).includes('tool_result')))
    expect(results).toContain('DENIED')
    expect(results).toContain('ended')
    expect(results).not.toContain(Buffer.from(token).toString('base64').slice(0, 40))
    expect(results).not.toMatch(/dmt_|redacted/)
  })

async function tokenFile(
  { store }: Awaited<ReturnType<typeof openWorkspace>>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  await using team = await openTeam(store, 'default')
  await team.run({ type: 'team.create', team: 'default' })
  const joined = await joinWithToken(team, env, { name: 'ci', role: 'tester' })
  if (isRefusal(joined) || joined.tokenFile === undefined) throw new Error('ci has no token')
  return joined.tokenFile
}
