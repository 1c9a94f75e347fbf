import type { ToolTurn, Turn } from '../model.ts'

type Output = Extract<ToolTurn['content'][number], { type: 'tool-result' }>['output']
type Piece = Extract<Output, { type: 'content' }>['value'][number]

/** The same turn for a model of interface version 4, which says of every file whether it is data or a URL. */
export function inVersion4(turn: Turn): Turn {
  const isTouched = turn.content.some(
    (part) => part.type === 'file' || (part.type === 'tool-result' && part.output.type === 'content'),
  )
  if (!isTouched) return turn
  return { ...turn, content: (turn.content as unknown[]).map((part) => convertPart(part as never)) } as Turn
}

function convertPart(part: Turn['content'][number]): unknown {
  if (part.type === 'file') return { ...part, data: tagged(part.data) }
  if (part.type !== 'tool-result' || part.output.type !== 'content') return part
  return { ...part, output: { ...part.output, value: part.output.value.map(convertPiece) } }
}

function convertPiece(piece: Piece): unknown {
  switch (piece.type) {
    case 'file-data':
    case 'image-data':
      return { ...piece, type: 'file', data: { type: 'data', data: piece.data } }
    case 'file-url':
    case 'image-url':
      return {
        mediaType: 'image',
        ...without(piece, 'url'),
        type: 'file',
        data: { type: 'url', url: new URL(piece.url) },
      }
    default:
      return piece
  }
}

function tagged(data: string | Uint8Array | URL): unknown {
  return data instanceof URL ? { type: 'url', url: data } : { type: 'data', data }
}

function without<T extends object, K extends keyof T>(whole: T, key: K): Omit<T, K> {
  const { [key]: _, ...rest } = whole
  return rest
}
