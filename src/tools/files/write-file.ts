import { z } from 'zod'
import { defineOwnTool } from '../own-tool.ts'
import { readWhole, replaceContent } from '../paths/content.ts'
import { openForWriting } from '../paths/open-for-writing.ts'
import { hashOf } from './reads.ts'
import description from './write-file.md'

export const writeFile = defineOwnTool({
  name: 'write_file',
  roles: ['lead', 'teammate', 'code'],
  description,
  input: z.strictObject({ path: z.string().min(1), content: z.string() }),
  action: ({ path }) => ({ kind: 'write', tool: 'write_file', path }),
  run({ path, content }, context) {
    using file = openForWriting(path, context, { mayCreate: true })
    // Nothing is awaited from here on, so that no other agent of this process writes in between.
    const old = file.isNew ? Buffer.alloc(0) : readWhole(file.fd, file.shown)
    const known = context.reads.get(file.real)
    if (!file.isNew && known !== undefined && known !== hashOf(old))
      return { text: `${file.shown} changed since you read it. Read it again, then write.`, isError: true }
    const bytes = Buffer.from(content)
    replaceContent(file.fd, bytes, old)
    context.reads.set(file.real, hashOf(bytes))
    context.onWrite?.(file.real)
    const replaced = old.length > 0 ? ` (in place of ${old.length})` : ''
    return `Wrote ${bytes.length} bytes to ${file.shown}${replaced}`
  },
})
