import type { PersonAnswer } from '../../agent/questions.ts'
import type { Mode } from '../../permissions/rules/policy.ts'
import type { TimedLine } from '../wire/live-line.ts'
import type { SessionRule } from './session-rules.ts'

/**
 * What a person does with a session that is open: the one interface of every front end. The terminal of the same process calls
 * it directly, another process through the control socket.
 */
export interface SessionControl extends AsyncDisposable {
  readonly session: string
  /**
   * Calls `onLine`, soon and never before it returns, with lines that bring a view up to date (`init`, a `state` per team, open
   * questions, mode, run), then with every line as it is written. A reader that fell behind gets such lines again in place
   * of those that it missed. `onEnd` is called when no line follows, with the reason. Returns how to stop it.
   */
  subscribe(onLine: (timed: TimedLine) => void, onEnd?: (why: string) => void): () => void
  /** The conversation of an agent so far, as the lines that were written: the last `most` of them. */
  history(agent: string, most: number): Promise<readonly TimedLine[]>
  /**
   * Gives a prompt to the lead: begins a run, or waits for the lead's next step while a run is going on. `line` is what the person
   * typed, where a command made the prompt from it: that is shown and recalled.
   */
  prompt(text: string, line?: string): Promise<'started' | 'queued' | NotDone>
  /** Ends the turn of an agent. It continues with the next message; nothing that is written is lost. False: it was not in a turn. */
  interrupt(agent: string): Promise<boolean>
  /** Sends a message of the user to a member, or to `all`, with the files that it names behind `@`, as in a prompt. */
  send(to: string, text: string): Promise<NotDone | undefined>
  /** Answers a question once: `late` if it was answered before, or is not needed any more. */
  answer(question: string, answer: QuestionAnswer): Promise<'accepted' | 'late' | NotDone>
  /** Answers an open request between members in the user's name (a plan that waits for the lead, for example). */
  answerRequest(id: string, approve: boolean, feedback: string): Promise<NotDone | undefined>
  /** The rules of permissions that count now, in the order in which they count. */
  rules(): Promise<readonly SessionRule[]>
  /** Never reaches `bypassPermissions` unless the session was started with it. */
  setMode(mode: Mode): Promise<NotDone | undefined>
  /** The model of the lead's next calls. */
  setModel(name: string): Promise<NotDone | undefined>
  /** Starts a teammate. */
  spawn(name: string, role: string, prompt: string): Promise<NotDone | undefined>
  /** Asks a member to stop; with `force` it is stopped at once. */
  stop(member: string, force: boolean): Promise<NotDone | undefined>
  /** Summarises the lead's conversation. Resolves to what was done, in words; empty where a line of the session says it. */
  compact(focus: string | undefined): Promise<string | NotDone>
}

/**
 * With `always`, the rules of the question allow it for the rest of the session; with `saved`, those that are written to the
 * settings of the user, which are narrower where files are meant.
 */
export type QuestionAnswer = PersonAnswer & { readonly always?: boolean; readonly saved?: boolean }

/** Why nothing was done, and what to do instead, for the person who wanted it. */
export interface NotDone {
  readonly refused: string
}
