import type { Turn } from '../../models/model.ts'
import { movedResultText } from '../../prompts/left-out.ts'
import type { Memory } from '../agent.ts'
import type { CallResult, Demoted, TranscriptState } from '../transcript/transcript-fold.ts'
import { PICTURE_TOKENS, tokensIn } from './weigh.ts'

/** The newest results stay: the model works on them. */
const KEPT_RESULTS = 3
/** Smaller results stay. The line that replaces a result is smaller too, so no result is demoted twice. */
const MIN_DEMOTED_TOKENS = 1000
/** Their results are short, and the only trace of a change. */
const NEVER_DEMOTED: readonly string[] = ['write_file', 'edit_file', 'Task', 'Skill']

interface Candidate {
  readonly turn: number
  readonly part: number
  readonly result: CallResult
  readonly tokens: number
}

/** Old results that are worth demoting, oldest first. */
export function demotable(turns: readonly Turn[]): Candidate[] {
  const all = turns.flatMap((turn, at) =>
    turn.role === 'tool'
      ? turn.content.flatMap((part, i) => (part.type === 'tool-result' ? [{ turn: at, part: i, result: part }] : []))
      : [],
  )
  return all
    .slice(0, -KEPT_RESULTS)
    .filter(({ result }) => !NEVER_DEMOTED.includes(result.toolName))
    .map((candidate) => ({ ...candidate, tokens: resultTokens(candidate.result) }))
    .filter(({ tokens }) => tokens > MIN_DEMOTED_TOKENS)
}

/** Keeps demoted results in files that the agent can read; returns the texts that replace them. */
export function demote(
  candidates: readonly Candidate[],
  memory: Pick<Memory, 'keep'>,
  { outputPaths }: Pick<TranscriptState, 'outputPaths'>,
): Demoted {
  let saved = 0
  const results = candidates.map(({ turn, part, result, tokens }) => {
    const paths = contentsOf(result).map((content) =>
      typeof content === 'string'
        ? // A result that was cut from the beginning has its file already.
          (outputPaths.get(result) ?? memory.keep(content, result.toolName))
        : memory.keep(content, 'image'),
    )
    const text = movedResultText(result.toolName, tokens, paths)
    saved += tokens - tokensIn(text)
    return { turn, part, text }
  })
  return { results, saved }
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
