/** What a subagent reads about itself after a compaction. */
export function subagentSituationText(name: string, type: string, parent: string, prompt: string): string {
  return `You are ${name}, an agent of type ${type}, started by ${parent}. Your task, as it was given to you:\n${prompt}`
}

/** Ends the prompt of a subagent that does the task of a lost teammate. */
export const REPLACEMENT_ADVICE =
  'You do it alone and once. It counts as done only when you complete it with TaskUpdate; if it cannot be done, set its status to failed with the reason.'

/** What a one-shot agent reads whose final answer is no valid hand-off of its role. */
export function refusedAnswerText(refusal: string): string {
  return `${answerAgainText(refusal)} the task fails if it is refused again.`
}

/** The same for a subagent without a task of the board. */
export function refusedResultText(refusal: string): string {
  return `${answerAgainText(refusal)} a second one that is refused counts as no result.`
}

function answerAgainText(refusal: string): string {
  return `Your answer was not accepted. ${refusal} Answer again, with nothing but that object:`
}
