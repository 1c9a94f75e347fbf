import type { Ask, AskPlan, PersonAnswer } from '../../agent/questions.ts'
import type { Action } from '../../permissions/permission.ts'
import { decideByRules } from '../../permissions/rules/policy.ts'
import { rulesToSave } from '../../permissions/rules/saved-rules.ts'
import type { SessionPolicy } from '../../permissions/rules/session-policy.ts'
import type { QuestionLine } from '../wire/live-line.ts'
import type { QuestionAnswer } from './session-control.ts'

/** The questions of all agents of a session to a person, each open until its first answer. */
export interface Questions {
  readonly ask: Ask
  readonly askPlan: AskPlan
  /** The oldest first. */
  readonly open: readonly AskedQuestion[]
  /** `late`: it has an answer already, its agent does not need one any more, or there was no such question. */
  answer(id: string, given: QuestionAnswer): 'accepted' | 'late'
  /** Called when a question is asked and when it is closed. */
  watch(watcher: QuestionWatcher): void
}

/** A question, and the agent that asks it. */
export interface AskedQuestion {
  readonly agent: string
  readonly line: QuestionLine
}

export interface QuestionWatcher {
  /** Answers that are to hold for the rest of the session go there. */
  readonly policy: SessionPolicy
  onAsked(question: AskedQuestion): void
  onClosed(question: AskedQuestion, outcome: 'allowed' | 'denied' | 'void'): void
}

interface Open extends AskedQuestion {
  readonly action: Action | undefined
  close(outcome: 'allowed' | 'denied' | 'void', answer?: PersonAnswer): void
}

export function createQuestions(): Questions {
  const open = new Map<string, Open>()
  let watcher: QuestionWatcher | undefined
  let count = 0

  /** Never resolves once `signal` aborts: the agent that asked does not wait any more. */
  function put(
    agent: string,
    about: Omit<QuestionLine, 'type' | 'id'>,
    action: Action | undefined,
    signal: AbortSignal,
  ): Promise<PersonAnswer> {
    return new Promise((resolve) => {
      if (signal.aborted) return
      const id = `q${++count}`
      const withdraw = () => question.close('void')
      const question: Open = {
        agent,
        action,
        line: { type: 'deskmates/question', id, ...about },
        close(outcome, answer) {
          open.delete(id)
          signal.removeEventListener('abort', withdraw)
          watcher?.onClosed(question, outcome)
          if (answer) resolve(answer)
        },
      }
      signal.addEventListener('abort', withdraw)
      open.set(id, question)
      watcher?.onAsked(question)
    })
  }

  /** The same action may be asked about by several agents at once. */
  function closeAllowedByRule(policy: SessionPolicy): void {
    for (const { line, action, close } of [...open.values()]) {
      if (line.about.kind !== 'permission' || line.about.rules.length === 0) continue
      const { decision, rule } = decideByRules(line.about.tool, action, policy.current)
      if (decision === 'allow' && rule !== undefined) close('allowed', { allowed: true })
    }
  }

  return {
    ask: ({ agent, team, call, action, why, rules }, signal) => {
      const { toolName: tool, toolCallId: tool_use_id, input } = call
      const about = { kind: 'permission', tool, tool_use_id, input, action, why, rules } as const
      return put(agent, { team, about }, action, signal)
    },
    askPlan: ({ agent, team, plan }, signal) => put(agent, { team, about: { kind: 'plan', plan } }, undefined, signal),
    get open() {
      return [...open.values()]
    },
    answer(id, { always = false, saved = false, ...given }) {
      const question = open.get(id)
      if (!question) return 'late'
      const { about } = question.line
      const isForSession = (always || saved) && given.allowed && about.kind === 'permission' && about.rules.length > 0
      if (isForSession && watcher) {
        const { policy } = watcher
        policy.allow(saved ? rulesToSave(about, policy.current.root) : about.rules)
      }
      question.close(given.allowed ? 'allowed' : 'denied', given)
      if (isForSession && watcher) closeAllowedByRule(watcher.policy)
      return 'accepted'
    },
    watch(given) {
      watcher = given
    },
  }
}
