import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

/** The packages that are changed, for a test runner that would else load them as they are. */
export const changed = [
  /@ai-sdk[\\/](anthropic|openai|openai-compatible|google|provider-utils)[\\/]/,
  /[\\/]eventsource-parser[\\/]/,
]

/** What stands in a package, exactly once, and what is to stand there. */
export const changes = [
  // Their schemas never wait for anything, and zod compiles only what need not wait.
  { from: 'z4.safeParseAsync(zodSchema2, value)', to: 'z4.safeParse(zodSchema2, value)' },
  // Of the headers of a request one is looked at and changed.
  { from: 'new Headers(normalizeHeaders(headers))', to: 'new PlainHeaders(normalizeHeaders(headers))' },
  // A conversation is sent again with every turn of it, and only its end is new.
  {
    from: 'convertToOpenAICompatibleChatMessages(prompt),',
    to: 'convertEach(prompt, convertToOpenAICompatibleChatMessages),',
  },
  {
    from: 'tools: openaiTools,\n        tool_choice:',
    to: 'tools: keptFor(tools, openaiTools),\n        tool_choice:',
  },
  { from: 'content: JSON.stringify(body)', to: 'content: bodyText(body)' },
  // Asked for at every piece of an answer.
  {
    from: '? zodSchema(schema) : standardSchema(schema)',
    to: '? schemaOf(schema, zodSchema) : standardSchema(schema)',
  },
]

/** What they use of ours, and how that looks in their code. */
const used = {
  'lean-streams.ts': {
    ReadableStream: /\b(new|extends) ReadableStream\b/,
    TransformStream: /\b(new|extends) TransformStream\b/,
    TextDecoderStream: /\b(new|extends) TextDecoderStream\b/,
  },
  'lean-request.ts': {
    PlainHeaders: /\bnew PlainHeaders\b/,
    convertEach: /\bconvertEach\(/,
    keptFor: /\bkeptFor\(/,
    bodyText: /\bbodyText\(/,
    schemaOf: /\bschemaOf\(/,
  },
}

/**
 * Gives the provider packages lean parts of ours for some of theirs and of Node's, which take more CPU than all the rest
 * of a call. For builds and tests alike, so that what is tested is what is published.
 */
export function leanPackages(): Plugin {
  return {
    name: 'lean-packages',
    transform(code, id) {
      if (!changed.some((name) => name.test(id))) return null
      const lean = changes.reduce((text, { from, to }) => text.replace(from, to), code)
      const imports = Object.entries(used).flatMap(([file, parts]) => {
        const names = Object.entries(parts).flatMap(([name, look]) => (look.test(lean) ? [name] : []))
        const path = fileURLToPath(new URL(`../src/models/${file}`, import.meta.url))
        return names.length > 0 ? [`import { ${names.join(', ')} } from ${JSON.stringify(path)}`] : []
      })
      // Behind the code: imports count from the start wherever they stand, and every line keeps its number.
      return imports.length > 0 ? { code: `${lean}\n${imports.join('\n')}\n`, map: null } : null
    },
  }
}
