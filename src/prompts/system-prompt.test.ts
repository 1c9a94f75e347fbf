import { describe, expect, it } from 'vitest'
import { toolsForTeammate } from '../tools/registry.ts'
import { leadPrompt, teammatePrompt } from './system-prompt.ts'

const where = { team: 'web', root: '/shop', folders: [] }

describe('the system prompt of a teammate', () => {
  const prompt = teammatePrompt({ ...where, name: 'ada', role: 'backend', send: 'SendMessage' })

  it('says its name, its folder, what its tools are for, and to report when it is done', () => {
    expect(prompt).toMatch(
      /^You are ada, a teammate in the team web\. Your role: backend\. You work in the folder \/shop\./,
    )
    for (const tool of ['TaskList', 'TaskUpdate', 'SendMessage']) expect(prompt).toContain(tool)
    expect(prompt).toContain('Your last words go to lead as your result')
    expect(prompt).not.toContain('{')
  }) // A77

  it('says how to submit a plan and answer a shutdown request, and so does the prompt of the lead', () => {
    expect(prompt).toContain('send it with SendMessage (type plan_approval_request)')
    expect(prompt).toContain('A shutdown_request asks you to stop: answer it with SendMessage (type shutdown_response')
    const lead = leadPrompt(where)
    expect(lead).toContain('a plan that waits for approval keeps its teammate waiting')
    expect(lead).toContain('ask your teammates to stop (shutdown_request)')
  }) // B26
})

// One other sign makes a whole request twice as long in memory, and slow to encode, at every turn.
it('uses only ASCII in the system prompts of lead and teammates', () => {
  const tools = toolsForTeammate().map(({ name, description, schema }) => ({ name, description, schema }))
  const all = [leadPrompt(where), teammatePrompt({ ...where, name: 'ada', role: 'dev', send: 'x' }), tools]
  expect(JSON.stringify(all)).toMatch(/^[\x20-\x7e]*$/)
})
