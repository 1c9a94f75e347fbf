/** Why an escalation goes up: its time is over, or no agent works that could still answer. */
export function unansweredText(silent: string, seconds: number | undefined): string {
  return seconds === undefined
    ? `${silent} ended its turn without an answer`
    : `${silent} did not answer within ${seconds} s`
}

/** For the sender of an escalation, and the log. */
export function escalatedText(why: string, to: string): string {
  return `${why}, so the escalation goes to ${to}.`
}

/** For the user: no member of the team is left to answer. */
export function escalationForUserText(from: string, level: string, issue: string): string {
  return `${from} escalates to ${level}: ${issue}`
}
