import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { readWhole, replaceContent } from '../paths/content.ts'
import { openForWriting } from '../paths/open-for-writing.ts'
import { hashOf } from './reads.ts'
import description from './write-file.md'

export const writeFile = defineTool({
  name: 'write_file',
  description,
  input: z.strictObject({ path: z.string().min(1), content: z.string() }),
  action: ({ path }) => ({ kind: 'write', tool: 'write_file', path }),
  run({ path, content }, world) {
    using file = openForWriting(path, world, { mayCreate: true })
    // From here to the end nothing is awaited: no other agent of this process writes in between.
    const old = file.isNew ? Buffer.alloc(0) : readWhole(file.fd, file.shown)
    const known = world.reads.get(file.real)
    if (!file.isNew && known !== undefined && known !== hashOf(old))
      return { text: `${file.shown} changed since you read it. Read it again, then write.`, isError: true }
    const bytes = Buffer.from(content)
    replaceContent(file.fd, bytes, old)
    world.reads.set(file.real, hashOf(bytes))
    world.onWrite?.(file.real)
    const replaced = old.length > 0 ? ` (in place of ${old.length})` : ''
    return `Wrote ${bytes.length} bytes to ${file.shown}${replaced}`
  },
})
