import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { addGlobals } from '../program/globals.ts'
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
    ['a session to continue', ['-c']],
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
      ...['--dangerously-skip-permissions', '--', '--json', '--add-dir', '-mx', '--model=x', '--', '-', ''],
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
          command.parse(argv, { from: 'user' })
          const { model, maxBudgetUsd = null, print, json, resume, continue: again } = command.opts()
          expect({ model, budget: maxBudgetUsd }, argv.join(' ')).toEqual(conversation)
          expect([print, json, resume, again], argv.join(' ')).toEqual([undefined, undefined, undefined, undefined])
        }
      }
    }
    expect(accepted).toBeGreaterThan(50)
  })
})
