import type { LogName } from '../journal/log/store.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

export function isTeamName(name: string): boolean {
  return NAME.test(name)
}

/** Throws unless this is the name of a log: the last check before a path or a row is made of it. */
export function teamOf(name: LogName): string {
  const [team = '', kind, member = '', ...more] = name.split('/')
  const isTranscript = kind === 'transcripts' && NAME.test(member)
  if (!NAME.test(team) || more.length > 0 || (!isTranscript && (kind !== 'journal' || member !== ''))) {
    throw new TypeError(`${name} is not the name of a log`)
  }
  return team
}
