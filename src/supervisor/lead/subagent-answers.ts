import type { Membership } from '../../agent/membership.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import { notRecordedText, refusedHandOffText } from '../../prompts/reports.ts'
import { refusedResultText } from '../../prompts/subagent.ts'
import { isRefusal } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'
import type { RunSubagent } from '../../tools/subagents/run-subagent.ts'
import { recordAnswer } from '../answers.ts'

/**
 * Checks what subagents answer that a lead starts: one of a role of the organisation hands over with its answer. A wrong answer is
 * given back once; if the next one is wrong too, the result says why, and nothing is recorded.
 */
export function checkingAnswers(
  context: Pick<SessionContext, 'roles' | 'routing'>,
  { team, by }: Membership,
  run: RunSubagent,
): RunSubagent {
  const { roles, routing } = context
  return async (options, ...rest) => {
    const { name: from } = options.type
    if (!routing?.checkAnswer || !roles?.oneShots.some(({ name }) => name === from)) return run(options, ...rest)
    const check = (answer: string) => routing.checkAnswer!({ from, isMember: false, answer }, team.state)
    let isGivenBack = false
    const wantsMore = (answer: string) => {
      const found = isGivenBack ? undefined : check(answer)
      if (!found || !isRefusal(found)) return undefined
      isGivenBack = true
      return refusedResultText(refusalText(found))
    }
    const end = await run({ ...options, wantsMore }, ...rest)
    if (end.problem !== undefined) return end
    const found = check(end.text)
    if (!found) return end
    if (isRefusal(found)) return { ...end, problem: refusedHandOffText(refusalText(found)) }
    const refused = await recordAnswer(context, { team, by, lead: by }, found)
    return refused ? { ...end, problem: notRecordedText(refusalText(refused)) } : end
  }
}
