import { it } from 'vitest'
import { openScreen } from '../../testing/terminal/screen-harness.ts'

it('the up arrow in a continued session recalls what the person typed, and nothing else', async () => {
  const line = { session_id: 's1', agent: 'lead', type: 'user', parent_tool_use_id: null } as const
  const said = (texts: readonly string[], typed: { block: number; text: string }[] | undefined) => ({
    at: 1,
    line: {
      ...line,
      message: { role: 'user' as const, content: texts.map((text) => ({ type: 'text' as const, text })) },
      ...(typed && { typed }),
    },
  })
  const { type, shows, called } = await openScreen({
    prepare(control) {
      control.past.push(
        said(['build the form\n\n[added by a hook of the user]\non main'], [{ block: 0, text: 'build the form' }]),
        said(['Job 7 ended: exit 0.', 'and test it'], [{ block: 1, text: 'and test it' }]),
        said(['You were interrupted by the machine.'], []),
        said(['<message from="ada" type="message">\nhi\n</message>'], []),
      )
    },
  })
  await shows('Job 7 ended')
  type('<up><enter>')
  await called('prompt', 'and test it')
  type('<up><up><up><up><up><enter>')
  await called('prompt', 'build the form')
})
