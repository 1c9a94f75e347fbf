import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

type Row = [config: object | undefined, env: string | undefined, mode: string, isFallback: boolean, detected?: boolean]

/** Every row of the table of the source, with each value that a switch can have. */
const rows: Row[] = [
  [undefined, undefined, 'task', false],
  [undefined, '1', 'task', false],
  [{ team_mode: 'task' }, undefined, 'task', false],
  [{ team_mode: 'task', agent_teams: true }, '1', 'task', false],
  [{ team_mode: 'task', agent_teams: false }, '1', 'task', false],
  [{ team_mode: 'teammate' }, '1', 'teammate', false],
  [{ team_mode: 'teammate', agent_teams: true }, 'yes', 'teammate', false],
  [{ team_mode: 'teammate', agent_teams: true }, undefined, 'task', true],
  [{ team_mode: 'teammate', agent_teams: false }, undefined, 'task', true],
  [{ team_mode: 'teammate', agent_teams: false }, '1', 'task', true],
  [{ team_mode: 'auto' }, '1', 'teammate', false, true],
  [{ team_mode: 'auto', agent_teams: true }, 'true', 'teammate', false, true],
  [{ team_mode: 'auto' }, undefined, 'task', true, false],
  [{ team_mode: 'auto', agent_teams: false }, '1', 'task', true, false],
  [{}, '1', 'teammate', false, true],
  [{}, undefined, 'task', true, false],
  ...['', ' ', '0', 'false', 'FALSE'].map((off): Row => [{ team_mode: 'teammate' }, off, 'task', true]),
]

describe('plan mode', () => {
  it.each(rows)(
    'says of the configuration %j with the variable %j: %s',
    async (config, env, mode, isFallback, detected) => {
      if (config) {
        mkdirSync(join(cli.dir, '.yolo-planning'))
        writeFileSync(join(cli.dir, '.yolo-planning/config.json'), JSON.stringify(config))
      }
      const lines = (
        await cli.ok('plan mode', { env: { ...cli.env, CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: env } })
      ).split('\n')
      expect(lines).toEqual([
        `team_mode=${mode}`,
        `fallback_notice=${isFallback}`,
        ...(detected === undefined ? [] : [`auto_detected=${detected}`]),
        expect.stringMatching(/^reason=./),
        '',
      ])
    },
  ) // C2, C3, C4, C5, C7, F40
})
