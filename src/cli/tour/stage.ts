import type { Team } from '../../runtime/team.ts'
import type { Answer } from '../../team/answer.ts'
import type { Command } from '../../team/command.ts'
import type { Message } from '../../team/message.ts'
import type { Refusal } from '../../team/refusal.ts'
import type { Cast } from './cast.ts'
import { type Chronicle, eventsOf } from './chronicle.ts'
import type { Letters } from './letters.ts'
import type { Story } from './story.ts'
import type { Voice } from './voice.ts'

/** All an act has: the story, the team it plays in, and a way to tell it. The tour itself plays the lead. */
export interface Stage {
  readonly story: Story
  readonly dir: string
  readonly team: Team
  readonly letters: Letters
  readonly chronicle: Chronicle
  readonly cast: Cast
  readonly voice: Voice
  /** As the lead. */
  run(command: Command): Promise<Answer | Refusal>
  /** Runs our own command line in a process of its own, as a person would; what it printed, parsed. */
  deskmates(...words: string[]): Promise<unknown>
  /** Lets some other program do something in the folder. */
  shell(script: string): Promise<void>
  /** Says it if it is so, and ends the tour if it is not. */
  prove(what: string, isSo: boolean): Promise<void>
}

export function messages(chronicle: Chronicle): Message[] {
  return eventsOf(chronicle, 'message.sent').map(({ message }) => message)
}

/** Where in the journal something happened first, counted in records; -1 if it did not. */
export function placeOf({ all }: Chronicle, type: string, task: string): number {
  return all.findIndex(({ events }) =>
    events.some((event) => event.type === type && 'id' in event && event.id === task),
  )
}
