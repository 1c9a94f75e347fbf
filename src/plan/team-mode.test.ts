import { expect, it } from 'vitest'
import { AGENT_TEAMS_VARIABLE, type ModeSettings, resolveTeamMode } from './team-mode.ts'

const resolved = (settings: ModeSettings | undefined, variable?: string) => {
  const { mode, isFallback, autoDetected } = resolveTeamMode(settings, { [AGENT_TEAMS_VARIABLE]: variable })
  return [mode, isFallback, autoDetected]
}

it.each<[ModeSettings | undefined, string | undefined, unknown[]]>([
  [undefined, '1', ['task', false, undefined]],
  [undefined, undefined, ['task', false, undefined]],
  [{ team_mode: 'task' }, '1', ['task', false, undefined]],
  [{ team_mode: 'task', agent_teams: false }, undefined, ['task', false, undefined]],
  [{ team_mode: 'teammate' }, '1', ['teammate', false, undefined]],
  [{ team_mode: 'teammate', agent_teams: true }, '1', ['teammate', false, undefined]],
  [{ team_mode: 'teammate' }, undefined, ['task', true, undefined]],
  [{ team_mode: 'teammate', agent_teams: false }, '1', ['task', true, undefined]],
  [{ team_mode: 'auto' }, '1', ['teammate', false, true]],
  [{ team_mode: 'auto', agent_teams: true }, '1', ['teammate', false, true]],
  [{ team_mode: 'auto' }, undefined, ['task', true, false]],
  [{ team_mode: 'auto', agent_teams: false }, '1', ['task', true, false]],
  [{}, '1', ['teammate', false, true]],
  [{}, undefined, ['task', true, false]],
])('resolves the team mode of %j with the variable %j', (settings, variable, expected) => {
  expect(resolved(settings, variable)).toEqual(expected)
}) // C2, C4, C5, C7

it.each(['', '0', 'false', 'FALSE', ' '])('takes %j in the variable for "off"', (value) => {
  expect(resolved({ team_mode: 'auto' }, value)).toEqual(['task', true, false])
}) // C5, F40

it('says what is missing for teammates', () => {
  expect(resolveTeamMode({ agent_teams: false }, {}).reason).toContain('"agent_teams": true')
  expect(resolveTeamMode({}, {}).reason).toContain(AGENT_TEAMS_VARIABLE)
}) // C3
