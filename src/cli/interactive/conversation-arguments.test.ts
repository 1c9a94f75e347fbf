import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { addGlobals } from '../program/globals.ts'
import { withSeparateValues } from '../program/interpret-arguments.ts'
import { defineOptions } from '../run/options.ts'
import { conversationOf } from './conversation-arguments.ts'

describe('conversationOf', () => {
  it('reads the model and the budget of a command line that opens a conversation', () => {
    expect(conversationOf([])).toEqual({ model: undefined, budget: null })
    expect(conversationOf(['-m', 'anthropic/x', '--max-budget-usd', '0.50', 'fix the build'])).toEqual({
      model: 'anthropic/x',
      budget: 0.5,
    })
    expect(conversationOf(['--sandbox', 'off', '--permission-mode', 'plan', 'fix it, please'])).toBeDefined()
    expect(conversationOf(['--dangerously-skip-permissions'])).toBeDefined()
  })

  it.for([
    ['the newest session', ['-c']],
    ['the newest session with a prompt', ['--continue', 'and now fix it']],
    ['a copy of the newest session', ['-c', '--fork-session']],
    ['a named session', ['-r', 's-20270115-080000-ab2c']],
    ['a team', ['--team', 'web']],
    ['a team behind other options', ['-m', 'x', '--team=web']],
    ['a new session with an id', ['--session-id', '0b9c3f0e-5d0c-4d6e-9a5e-1f2a3b4c5d6e']],
    ['rules', ['--allowedTools', 'bash(git *)', 'edit_file', '--disallowedTools', 'bash(rm *)', 'fix the build']],
    ['folders and limits', ['--add-dir', '../lib', '--max-turns', '9', '--record=r.jsonl']],
  ] as const)('accepts %s: nothing is asked before it', ([, argv]) => {
    expect(conversationOf(argv)).toBeDefined()
  })

  it.for([
    ['a command', ['task', 'list']],
    ['a mistyped command', ['taks']],
    ['one word after a model', ['-m', 'x', 'taks']],
    ['a prompt to print', ['-p', 'what is this']],
    ['help', ['--help']],
    ['JSON', ['--json', '-m', 'x']],
    ['an unknown option', ['-m', 'x', '--modle', 'y']],
    ['a missing value', ['-m']],
    ['a wrong mode', ['--permission-mode', 'all']],
    ['a wrong sandbox', ['--sandbox', 'maybe']],
    ['no amount of dollars', ['--max-budget-usd', 'five']],
    ['two contradicting options', ['--dangerously-skip-permissions', '--permission-mode', 'plan']],
    ['two sessions', ['-c', '--team', 'web']],
    ['a session by two names', ['-r', 's1', '-c']],
    ['a copy of no session', ['--fork-session']],
    ['a new id for a session that is continued', ['-c', '--session-id', '0b9c3f0e-5d0c-4d6e-9a5e-1f2a3b4c5d6e']],
    ['a wrong rule', ['--allowedTools', '(']],
    ['no number of turns', ['--max-turns', '0']],
    ['a team with a path as its name', ['--team', '../web']],
    ['other settings', ['--settings', '{}']],
    ['further MCP servers', ['--mcp-config', '{}']],
    ['a flag with a value', ['--continue=yes']],
    ['JSON alone', ['--json']],
    ['a session to choose', ['-r']],
    ['plain lines', ['--screen-reader']],
    ['another folder', ['--cwd', '/elsewhere', '-m', 'x']],
  ] as const)('leaves %s to commander', ([, argv]) => {
    expect(conversationOf(argv)).toBeUndefined()
  })

  it('accepts no command line that commander refuses, nor one that it understands differently', () => {
    const words = [
      ...['-m', '--model', 'openai/gpt', '--sandbox', 'off', 'require', '--permission-mode', 'plan', 'all', '-c', '-p'],
      ...['--max-budget-usd', '2', 'two', '--append-system-prompt', 'be brief', '--status-line', 'fix the build'],
      ...[
        '--dangerously-skip-permissions',
        '--',
        '--json',
        '--add-dir',
        '-mx',
        '--model=x',
        '--',
        '-',
        '',
        '-r',
        'web',
      ],
      ...['--team', '--fork-session', '--allowedTools', 'bash(ls)', '--team=api', '--resume=', '--cwd', '--max-turns'],
    ]
    let accepted = 0
    for (const a of words) {
      for (const b of words) {
        for (const c of words) {
          const argv = [a, b, c]
          const conversation = conversationOf(argv)
          if (conversation === undefined) continue
          accepted++
          const command = addGlobals(new Command())
            .exitOverride()
            .configureOutput({ outputError: () => {} })
          defineOptions(command)
          command.parse(withSeparateValues(argv), { from: 'user' })
          const { model, maxBudgetUsd = null, print, json, resume, cwd } = command.opts()
          expect({ model, budget: maxBudgetUsd }, argv.join(' ')).toEqual(conversation)
          expect([print, json, cwd, resume === true], argv.join(' ')).toEqual([undefined, undefined, undefined, false])
        }
      }
    }
    expect(accepted).toBeGreaterThan(50)
  })
})
