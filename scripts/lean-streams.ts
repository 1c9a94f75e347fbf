import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const lean = fileURLToPath(new URL('../src/models/lean-streams.ts', import.meta.url))
const packages =
  /[\\/]node_modules[\\/](@ai-sdk[\\/](anthropic|openai|openai-compatible|google|provider-utils)|eventsource-parser)[\\/]/
const names = ['ReadableStream', 'TransformStream', 'TextDecoderStream']

/** The packages whose streams are replaced, for a test runner that would else load them as they are. */
export const leanPackages = [
  /@ai-sdk\/(anthropic|openai|openai-compatible|google|provider-utils)/,
  /eventsource-parser/,
]

/**
 * Gives the provider packages our lean streams instead of Node's, which take half the CPU of a whole call. For builds
 * and tests alike, so that what is tested is what is published.
 */
export function leanStreams(): Plugin {
  return {
    name: 'lean-streams',
    transform(code, id) {
      if (!packages.test(id)) return null
      const used = names.filter((name) => new RegExp(`\\b(new|extends) ${name}\\b`).test(code))
      if (used.length === 0) return null
      // Behind the code: imports count from the start wherever they stand, and every line keeps its number.
      return { code: `${code}\nimport { ${used.join(', ')} } from ${JSON.stringify(lean)}\n`, map: null }
    },
  }
}
