import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import description from './messages/broadcast.md'
import { say } from './messages/deliver-message.ts'

export const broadcast = defineTool({
  name: 'broadcast',
  description,
  input: z.strictObject({ content: z.string().min(1) }),
  action: () => undefined,
  run: ({ content }, world) => say({ type: 'broadcast', content }, world),
})
