/** Was this team named by its session, or by the program that started it, and not by a person? */
export function isSessionId(team: string): boolean {
  return /^s-\d{8}-\d{6}-[a-z2-7]{4}$/.test(team) || isUuid(team)
}

/** What a program may choose as the id of a session. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)
}
