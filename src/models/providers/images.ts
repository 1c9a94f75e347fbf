import type { ToolTurn, Turn, UserTurn } from '../model.ts'

/**
 * everywhere    in prompts and in results of tools
 * user turns    only there: images of results follow in a user turn of their own
 * nowhere       the model gets a line of text in the place of each image
 */
export type ImageSupport = 'everywhere' | 'user turns' | 'nowhere'

/** The turns as a model with this support can be given them. Turns without images stay the same objects. */
export function withImages(turns: readonly Turn[], support: ImageSupport): readonly Turn[] {
  if (support === 'everywhere' || !turns.some(hasImages)) return turns
  const given: Turn[] = []
  let moved: UserTurn['content'] = []
  for (const turn of turns) {
    const [content, waiting] = [turn.role === 'user' ? moved : [], moved]
    if (waiting.length > 0 && turn.role !== 'user') given.push({ role: 'user', content: waiting })
    moved = []
    if (!hasImages(turn) && content.length === 0) given.push(turn)
    else if (turn.role === 'user')
      given.push({ ...turn, content: [...content, ...(support === 'nowhere' ? described(turn) : turn.content)] })
    else if (turn.role === 'tool') {
      given.push({ ...turn, content: turn.content.map((part) => (part.type === 'tool-result' ? asText(part) : part)) })
      if (support === 'user turns') moved = imagesOf(turn)
    } else given.push(turn)
  }
  return moved.length > 0 ? [...given, { role: 'user', content: moved }] : given
}

export function hasImages(turn: Turn): boolean {
  return turn.role === 'user' ? turn.content.some(isImage) : turn.role === 'tool' && imagesOf(turn).length > 0
}

function isImage(part: Turn['content'][number]): boolean {
  return part.type === 'file' && part.mediaType.startsWith('image/')
}

type Result = Extract<ToolTurn['content'][number], { type: 'tool-result' }>

function imagesOf({ content }: ToolTurn): UserTurn['content'] {
  return content.flatMap((part) =>
    part.type === 'tool-result' && part.output.type === 'content'
      ? part.output.value.flatMap((piece) =>
          piece.type === 'image-data' ? [{ type: 'file' as const, data: piece.data, mediaType: piece.mediaType }] : [],
        )
      : [],
  )
}

function described({ content }: UserTurn): UserTurn['content'] {
  return content.map((part) => (part.type === 'file' && isImage(part) ? { type: 'text', text: NOT_SHOWN } : part))
}

/** Providers without images in results would get their data as text. */
function asText(result: Result): Result {
  const { output } = result
  if (output.type !== 'content' || !output.value.some(({ type }) => type === 'image-data')) return result
  const value = output.value.map((piece) => (piece.type === 'text' ? piece.text : IN_RESULT)).join('\n')
  return { ...result, output: { type: 'text', value } }
}

const NOT_SHOWN = '[There is an image here, which this model cannot see. Say so if it matters.]'
const IN_RESULT = '[The image is not part of this result; a model that sees images gets it behind the results.]'
