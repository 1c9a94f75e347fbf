/** Turns of a transcript that are lost, and what follows from it. */
interface LostTurns {
  readonly member: string
  /** What happened, as a sentence without a subject: `was damaged at line 7 …`. */
  readonly what: string
  /** Tool calls in the lost turns, in words. */
  readonly calls: readonly string[]
  /** The file that keeps the removed lines. */
  readonly archived: string | null
  /** Messages of the lost turns that are unread again. */
  readonly returned: number
}

/** What the agent and the lead read when turns of a transcript are lost. */
export function lostTurnsTexts({ member, what, calls, archived, returned }: LostTurns): {
  agent: string
  lead: string
} {
  const mail = returned === 0 ? '' : ` ${returned} of the messages in the lost part are unread again and arrive anew.`
  const kept = archived === null ? '' : ` The removed lines are kept in ${archived}.`
  const made =
    calls.length === 0
      ? ''
      : `\nTool calls in the lost part; they were not run again and may have taken effect, so look before you repeat one:\n${calls.map((call) => `- ${call}`).join('\n')}`
  const rest = `${mail}${kept}${made}`
  return {
    agent: `Your transcript ${what} You continue with what is left of your conversation; check the state of your work first.${rest}`,
    lead: `The transcript of ${member} ${what} It continues with what is left of its conversation.${rest}`,
  }
}
