import type { MessageView } from '../../team/view.ts'
import type { Stage } from './stage.ts'

/** A program that knows nothing of us hands in a message; looking at it does not take it. */
export async function actDoor({ story, letters, voice, deskmates, shell, prove }: Stage) {
  await voice.heading('5. Meanwhile, a program that never heard of us')
  const line = { from: 'ci', content: 'main is red' }
  const script = `echo '${JSON.stringify(line)}' >> .teams/${story.team}/inbox/lead.jsonl`
  await letters.take()
  await voice.command(script)
  await shell(script)
  const peeks = [await look(deskmates), await look(deskmates)]
  await voice.command('deskmates inbox lead     (twice)')
  const [first = [], second = []] = peeks
  const found = first.find(({ from, content }) => from === line.from && content === line.content)
  await prove('it is there, marked external and unverified', found?.external === true)
  await prove('looking took nothing: the second look shows the same', found !== undefined && same(first, second))
  const taken = await letters.take()
  const again = await look(deskmates)
  await prove(
    'taking took it, once',
    taken.filter(({ id }) => id === found?.id).length === 1 && !again.some(({ id }) => id === found?.id),
  )
  return { from: line.from, content: line.content, id: found?.id ?? null }
}

async function look(deskmates: Stage['deskmates']): Promise<MessageView[]> {
  return (await deskmates('inbox', 'lead')) as MessageView[]
}

/** The second look may show more, since others go on writing; never less. */
function same(first: readonly MessageView[], second: readonly MessageView[]): boolean {
  return first.every(({ id }) => second.some((other) => other.id === id))
}
