import type { Turn } from '../../models/model.ts'

/** A history that does not fit, as one text of at most so many characters: every turn is in it, long ones cut. */
export function flatten(turns: readonly Turn[], most: number): string {
  const lines = turns.flatMap(linesOf)
  for (let longest = 8000; longest > 60; longest = Math.floor(longest / 2)) {
    const text = lines.map((line) => cut(line, longest)).join('\n')
    if (text.length <= most) return text
  }
  // Thousands of turns: the beginning says what it is about, the end where it stands.
  const short = lines.map((line) => cut(line, 60)).join('\n')
  const half = Math.floor(most / 2) - 20
  return `${short.slice(0, half)}\n[much is left out here]\n${short.slice(-half)}`
}

function linesOf(turn: Turn): string[] {
  return turn.content.flatMap((part): string[] => {
    switch (part.type) {
      case 'text':
        return [`${turn.role === 'user' ? 'told to you' : 'you said'}: ${part.text}`]
      case 'tool-call':
        return [`you called ${part.toolName}: ${JSON.stringify(part.input)}`]
      case 'tool-result': {
        const { output } = part
        const value = 'value' in output ? output.value : (output.reason ?? '')
        const texts = Array.isArray(value)
          ? value.map((piece) =>
              typeof piece === 'object' && piece && 'text' in piece ? String(piece.text) : '(a file)',
            )
          : [typeof value === 'string' ? value : JSON.stringify(value)]
        return [`result of ${part.toolName}: ${texts.join(' ')}`]
      }
      case 'file':
        return [`${turn.role === 'user' ? 'shown to you' : 'you made'}: a file (${part.mediaType})`]
      default:
        return []
    }
  })
}

function cut(line: string, longest: number): string {
  if (line.length <= longest) return line
  const half = Math.floor(longest / 2)
  return `${line.slice(0, half)} […] ${line.slice(-half)}`
}
