import type { Turn } from '../../models/model.ts'
import { movedResultText } from '../../prompts/left-out.ts'
import type { Memory } from '../agent.ts'
import type { CallResult, Demoted } from '../transcript/transcript-fold.ts'
import { PICTURE_TOKENS, tokensIn } from './weigh.ts'

/** The newest results are what the model works on. */
const NEWEST = 3
/** Smaller ones are not worth a line that says where they are. That line itself is smaller, so no result moves twice. */
const WORTH = 1000
/** What a change said is short, and the only trace of it. */
const STAYS: readonly string[] = ['write_file', 'edit_file', 'Task', 'Skill']

interface Candidate {
  readonly turn: number
  readonly part: number
  readonly result: CallResult
  readonly tokens: number
}

/** Old results worth putting aside, oldest first. */
export function demotable(turns: readonly Turn[]): Candidate[] {
  const all = turns.flatMap((turn, at) =>
    turn.role === 'tool'
      ? turn.content.flatMap((part, i) => (part.type === 'tool-result' ? [{ turn: at, part: i, result: part }] : []))
      : [],
  )
  return all
    .slice(0, -NEWEST)
    .filter(({ result }) => !STAYS.includes(result.toolName))
    .map((candidate) => ({ ...candidate, tokens: resultTokens(candidate.result) }))
    .filter(({ tokens }) => tokens > WORTH)
}

/** Keeps what leaves the conversation where the agent can read it, and says what stands there instead. */
export function demote(candidates: readonly Candidate[], memory: Pick<Memory, 'keep'>): Demoted {
  let saved = 0
  const results = candidates.map(({ turn, part, result, tokens }) => {
    const paths = contentsOf(result).map((content) =>
      typeof content === 'string'
        ? (pathIn(content) ?? memory.keep(content, result.toolName))
        : memory.keep(content, 'image'),
    )
    const text = movedResultText(result.toolName, tokens, paths)
    saved += tokens - tokensIn(text)
    return { turn, part, text }
  })
  return { results, saved }
}

/** A result that was too large from the beginning says where all of it is. */
function pathIn(text: string): string | undefined {
  return /\bbytes are left out here\. All of it is in (.+?): see more with read_file/.exec(text)?.[1]
}

function contentsOf({ output }: CallResult): (string | Uint8Array)[] {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return [output.value]
    case 'content':
      return output.value.flatMap((piece): (string | Uint8Array)[] =>
        piece.type === 'text'
          ? [piece.text]
          : piece.type === 'image-data' || piece.type === 'file-data'
            ? [new Uint8Array(Buffer.from(piece.data, 'base64'))]
            : [],
      )
    case 'execution-denied':
      return [output.reason ?? '']
    default:
      return [JSON.stringify(output.value)]
  }
}

function resultTokens(result: CallResult): number {
  return contentsOf(result).reduce(
    (sum, content) => sum + (typeof content === 'string' ? tokensIn(content) : PICTURE_TOKENS),
    0,
  )
}
