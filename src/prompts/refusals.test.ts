import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { refuse } from '../team/refusal.ts'
import { planGateText, refusalForModel } from './refusals.ts'

const COMMAND = /deskmates [a-z]|(?:^|[\s'"`])--[a-z]/

/** Every text in single quotes or backticks of the sources in a folder. */
function textsIn(folder: string): string[] {
  const url = new URL(folder, import.meta.url)
  return readdirSync(url, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(new URL(name, url), 'utf8').replace(/^\s*(?:\/?\*|\/\/).*$/gm, ''))
    .flatMap((source) => source.match(/(['`])(?:(?!\1)[^\n])*\1/g) ?? [])
}

describe('a refusal', () => {
  it('names neither a command nor a tool in the team, and no command in a prompt', () => {
    const team = textsIn('../team/')
    const prompts = textsIn('./')
    expect(Math.min(team.length, prompts.length)).toBeGreaterThan(50)
    for (const text of team) expect(text).not.toMatch(/\b(?:Task|Team)(?:Create|Delete|Update|List|Get)\b|SendMessage/)
    for (const text of [...team, ...prompts]) expect(text).not.toMatch(COMMAND)
  })

  it('tells a model which tool to use now', () => {
    expect(refusalForModel(refuse('wrong_state', { problem: 'not_claimed', task: '3', by: 'ada' }))).toBe(
      'Task 3 is not claimed. Claim it first: TaskUpdate with taskId 3 and status in_progress.',
    )
    const foreign = { task: '3', owner: 'bob', canForce: true }
    expect(refusalForModel(refuse('not_owner', { ...foreign, by: 'ada' }))).toMatch(/Ask the lead\.$/)
    expect(refusalForModel(refuse('not_owner', { ...foreign, by: 'lead' }))).toBe('Task 3 is owned by bob, not lead.')
    expect(refusalForModel(refuse('plan_gate', { gate: 'required' }))).toBe(planGateText('required'))
  })

  it('says first that no teammate was spawned when its first task is refused', () => {
    const claimed = refuse('wrong_state', { problem: 'claimed', task: '1', owner: 'bob' })
    expect(refusalForModel({ ...claimed, spawn: { member: 'ada', task: '1' } })).toBe(
      'ada was not spawned, because it cannot begin with task 1: Task 1 is already claimed by bob.',
    )
  })
})
