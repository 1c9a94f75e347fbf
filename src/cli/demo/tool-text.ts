import type { SessionEvent } from '../../agent/session-event.ts'
import type { EventText } from '../output/event-text.ts'
import { testsIn } from './conversation.ts'

/** The calls that are worth a line of the demo, and notes other than those about health. */
export function toolText(event: SessionEvent): EventText | undefined {
  if (event.type === 'note' && !event.text.startsWith('[HEALTH]')) return { who: event.agent, what: event.text }
  if (event.type !== 'tool_finished') return undefined
  const { agent, call, result, denied } = event
  const { path = '', command = '', name = '' } = call.input as Record<string, string>
  if (denied !== undefined) return { who: agent, what: `may not use ${call.toolName}: ${denied}`, mood: 'bad' }
  switch (call.toolName) {
    case 'write_file':
      return { who: agent, what: `writes ${path}` }
    case 'edit_file':
      return { who: agent, what: result.isError ? `could not change ${path}` : `changes ${path}` }
    case 'TeamCreate':
      return { who: agent, what: `creates the team ${name}` }
    case 'bash': {
      const tests = testsIn(result.text)
      if (!tests) return { who: agent, what: `runs ${command}` }
      const mood = tests.fail === 0 ? 'good' : 'bad'
      return { who: agent, what: `runs the tests: ${tests.pass} pass, ${tests.fail} fail`, mood }
    }
    default:
      return undefined
  }
}
