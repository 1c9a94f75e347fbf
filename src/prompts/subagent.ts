/** What a subagent reads about itself after a compaction. */
export function subagentSituationText(name: string, type: string, parent: string, prompt: string): string {
  return `You are ${name}, an agent of type ${type}, started by ${parent}. Your task, as it was given to you:\n${prompt}`
}

/** Ends the prompt of a subagent that does the task of a lost teammate. */
export const REPLACEMENT_ADVICE =
  'You do it alone and once. It counts as done only when you complete it with TaskUpdate; if it cannot be done, set its status to failed with the reason.'
