import { type Host, isDone, memberNames, tell } from './host.ts'
import { parseInput } from './input/parse-input.ts'
import { runSlashCommand } from './slash/registry.ts'

/** Does what the person typed. */
export async function submit(host: Host, typed: string): Promise<void> {
  const input = parseInput(typed, memberNames(host))
  switch (input.kind) {
    case 'nothing':
      return
    case 'leave':
      return host.leave({ next: 'quit' })
    case 'slash':
      return runSlashCommand(host, input.name, input.rest)
    case 'shell':
      return host.runOwnCommand(input.command)
    case 'mail':
      return sendMail(host, input.to, input.text)
    case 'prompt':
      return givePrompt(host, input.text)
    default:
      input satisfies never
  }
}

async function givePrompt(host: Host, text: string): Promise<void> {
  const outcome = await host.control.prompt(text)
  if (isDone(host, outcome) && outcome === 'queued') host.queued(text)
}

async function sendMail(host: Host, to: string, text: string): Promise<void> {
  if (text.trim() === '') return tell(host, `Write the message behind the name: @${to} your text`)
  isDone(host, await host.control.send(to, text))
}
