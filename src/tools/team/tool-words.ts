/**
 * Refusals name the command that helps, for people. A model has tools instead, and may not run those commands: each is
 * replaced by the tool, and a sentence with one that nobody thought of is left out.
 */
export function inToolWords(message: string): string {
  const told = INSTEAD.reduce((text, [command, tool]) => text.replace(command, tool), message)
  const sentences = told.split(/(?<=[.!?]) (?=[A-Z])/)
  const kept = sentences.filter((sentence) => !/\bdeskmates [a-z]|(?:^|\s)--[a-z]/.test(sentence))
  return kept.length === sentences.length ? told : [...kept, 'Use your tools, or ask the lead.'].join(' ')
}

/** Nothing that stands in place of an argument is more than one word. */
const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [/deskmates task list/g, 'TaskList'],
  [/deskmates task claim (\S+) --as \S+/g, 'TaskUpdate with taskId $1 and status in_progress'],
  [/deskmates task fail (\S+) --as MEMBER --reason TEXT/g, 'TaskUpdate with taskId $1, status failed and a reason'],
  [/deskmates task release (\S+) --force/g, 'TaskUpdate with taskId $1 and status pending'],
  [/The lead or the user can force it with --force\./g, 'Ask the lead.'],
  [/Delete it with --detach/g, 'Delete it with detach: true'],
  [/A failure needs a reason: --reason TEXT/g, 'A failure needs a reason'],
  [/ See: deskmates requests(?:, deskmates answer)?/g, ' Answer one with its request_id.'],
  [/deskmates team create \S+/g, 'TeamCreate'],
  [/deskmates team delete \S+/g, 'TeamDelete'],
]
