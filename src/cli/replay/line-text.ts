import type { TimedLine } from '../../session/wire/live-line.ts'
import { describeEvent } from '../journal/describe-event.ts'
import { oneLine } from '../output/format.ts'

/** What a line of a session says, in one line of text. */
export function lineText({ line }: TimedLine): string {
  switch (line.type) {
    case 'deskmates/record':
      return `${line.by.name}: ${line.events.map(describeEvent).join(' · ') || 'wrote a record of a newer version'}`
    case 'assistant':
      return `${line.agent} ${answerText(line.message.content) || 'answers nothing'}`
    case 'user':
      return `${line.agent} ${inputText(line.message.content)}`
    case 'deskmates/note':
      return `${line.agent}: ${oneLine(line.text)}`
    default:
      return `${line.agent}: ${line.type}`
  }
}

type Answer = Extract<TimedLine['line'], { type: 'assistant' }>['message']['content']
type Input = Extract<TimedLine['line'], { type: 'user' }>['message']['content']

function answerText(content: Answer): string {
  const parts = content.flatMap((block) => {
    if (block.type === 'text') return block.text.trim() === '' ? [] : [`says: ${oneLine(block.text)}`]
    return block.type === 'tool_use' ? [`calls ${block.name} ${oneLine(tellingPart(block.input))}`.trimEnd()] : []
  })
  return parts.join(' · ')
}

function inputText(content: Input): string {
  const [first] = content
  if (first?.type === 'tool_result') {
    const text = typeof first.content === 'string' ? first.content : first.content.map(partText).join(' ')
    return `gets ${first.is_error ? 'an error' : 'a result'}: ${oneLine(text)}`
  }
  return `reads: ${oneLine(content.map(partText).join(' '))}`
}

function partText(block: Input[number]): string {
  if (block.type === 'document') return `[file ${block.title}, ${block.context}]`
  return block.type === 'text' ? block.text : block.type === 'image' ? '[image]' : ''
}

function tellingPart(input: Readonly<Record<string, unknown>>): string {
  const { command, path, pattern, name, to, recipient, subject, taskId, prompt } = input
  const parts = [command, path, pattern, name, to, recipient, subject, taskId, prompt]
  return String(parts.find((part) => typeof part === 'string') ?? '')
}
