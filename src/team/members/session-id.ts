/** Was this team named by its session, and not by a person? */
export function isSessionId(team: string): boolean {
  return /^s-\d{8}-\d{6}-[a-z2-7]{4}$/.test(team)
}
