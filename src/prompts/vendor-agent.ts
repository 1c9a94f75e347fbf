/** The first words to another vendor's agent: it has a system prompt of its own, so who it is comes with the first message. */
export function vendorBriefing(system: string, server: string): string {
  return `${system}

You work with your own tools for files and commands. The tools for the board and the mail come from the MCP server ${server}: complete your task with its TaskUpdate, and write to others with its tool for messages. Messages to you arrive here by themselves, and your next task too: end your turn rather than wait or poll. What you say at the end of a turn goes to the lead.`
}

/** Before the first message of a conversation that its program does not have any more. */
export function vendorRecap(situation: string, recent: string): string {
  const words = recent === '' ? '' : `\n\nThe end of the conversation, shortened:\n<earlier>\n${recent}\n</earlier>`
  return `Your earlier conversation is lost to your program. What is true now:\n${situation}${words}\n\nCheck what is done already before you do anything again.`
}

/** Before messages that may have reached the program before it ended. */
export const VENDOR_MAY_KNOW =
  'Your program ended before it had answered the following. You may have read it, and have acted on it already: check before you do anything again.'

/** The conversation is to go on, and nothing new was said. */
export const VENDOR_GO_ON = 'Your turn was interrupted. Continue where you were.'

/** A call of the program was denied: the protocol has no place for the reason. */
export function vendorDeniedText(what: string, why: string): string {
  return `Denied: ${what}. ${why}`
}
