import { describe, expect, it } from 'vitest'
import { createRoleRules } from '../../organisation/roles/role-rules.ts'
import { createMessageRouting } from '../../organisation/routing/message-routing.ts'
import { engineering, templateFiles } from '../../testing/harnesses/organisation-harness.ts'
import { memoryTeamControl } from '../../testing/harnesses/team-tool-harness.ts'
import { toolHarness } from '../../testing/harnesses/tool-harness.ts'
import type { RunSubagent } from '../../tools/subagents/run-subagent.ts'
import { checkingAnswers } from './subagent-answers.ts'

const FOUND = { type: 'scout_findings', findings: [{ source: 'src/a.ts', text: 'the cause' }] }

/** Subagents of a lead whose model says these answers, one after the other, each time it is asked again. */
async function subagents(...answers: string[]) {
  const handoffs = templateFiles()['handoffs.yaml']!.replaceAll('  text: true\n', '')
  const organisation = engineering({ 'handoffs.yaml': handoffs })
  const place = { organisation, department: 'backend', folder: 'phases/03-api' }
  const [routing, roles] = [createMessageRouting(place), createRoleRules(place)]
  const control = await memoryTeamControl('web', routing)
  await control.createTeam('web')
  const team = control.team()
  const givenBack: string[] = []
  const model: RunSubagent = async ({ wantsMore }) => {
    for (let text = answers.shift() ?? ''; ; text = answers.shift() ?? '') {
      const more = wantsMore?.(text)
      if (more === undefined) return { text }
      givenBack.push(more)
    }
  }
  const run = checkingAnswers({ roles, routing }, { team, by: { name: 'lead' } }, model)
  return {
    givenBack,
    recorded: () => [...team.state.handOffs.values()],
    start: (name: string) => {
      const type = roles.typeOf(name) ?? { ...roles.typeOf('scout')!, name }
      return run({ type, description: 'd', prompt: 'p', model: undefined }, toolHarness(), () => {})
    },
  }
}

describe('the answer of a subagent that a lead starts', () => {
  it('is recorded as a hand-off of its role', async () => {
    const { start, givenBack, recorded } = await subagents(JSON.stringify(FOUND))
    expect(await start('scout')).toEqual({ text: JSON.stringify(FOUND) })
    expect(givenBack).toEqual([])
    expect(recorded()).toMatchObject([
      { kind: 'scout_findings', from: 'scout', to: 'lead', content: { findings: FOUND.findings } },
    ])
  }) // C1, C17

  it('that lacks a field is given back once with its name, and recorded when it is right', async () => {
    const { start, givenBack, recorded } = await subagents('{"type":"scout_findings"}', JSON.stringify(FOUND))
    expect(await start('scout')).toEqual({ text: JSON.stringify(FOUND) })
    expect(givenBack).toEqual([expect.stringMatching(/Your answer was not accepted\. .*scout_findings: findings: /)])
    expect(recorded()).toHaveLength(1)
  }) // C1, C17

  it('that stays wrong is no result: it names type and fields, and nothing is recorded', async () => {
    const { start, givenBack, recorded } = await subagents('I found it.', 'Really.')
    expect(await start('scout')).toEqual({
      text: 'Really.',
      problem: expect.stringMatching(/refused twice\. .*scout_findings: .*fields findings, artifact/),
    })
    expect([givenBack.length, recorded()]).toEqual([1, []])
  }) // C1, C17

  it('is not checked where its type is no role of the organisation', async () => {
    const { start, givenBack, recorded } = await subagents('I found it.')
    expect(await start('explore')).toEqual({ text: 'I found it.' })
    expect([givenBack, recorded()]).toEqual([[], []])
  }) // C17
})
