/** The end of the system prompt of a lead whose answer is read by a program. */
export function structuredAnswerText(schema: object): string {
  return (
    'A program reads your last message when all work is finished. That message has to be one JSON value, and nothing else: no text around it, no ' +
    `explanation. The value has to fit this JSON Schema:\n${JSON.stringify(schema)}\nUntil then work and write as usual.`
  )
}

/** What the lead reads when its last message is not that value. */
export function wrongAnswerText(fault: string): string {
  return `Your last message is not the JSON value that was asked for: ${fault}. Answer again with the JSON value alone, as the schema in your instructions says.`
}
