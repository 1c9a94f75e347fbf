import { ollamaUrl } from '../../models/providers/base-url.ts'

/** A server on this machine either answers at once or is not there. */
const PATIENCE_MS = 700
const MAX_SHOWN = 5

/** Models of an Ollama server on this machine, as `ollama/NAME`; none where no server answers. */
export async function localModels(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string[]> {
  try {
    const url = new URL('/v1/models', ollamaUrl(env.OLLAMA_HOST ?? 'http://127.0.0.1:11434'))
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]) })
    const { data } = (await response.json()) as { data?: unknown }
    const names = Array.isArray(data)
      ? data.flatMap((model: { id?: unknown }) => (isName(model?.id) ? [model.id] : []))
      : []
    return names.slice(0, MAX_SHOWN).map((name) => `ollama/${name}`)
  } catch {
    return []
  }
}

/** What may stand in a settings file and on a terminal: the answer came from a program we do not know. */
function isName(id: unknown): id is string {
  return typeof id === 'string' && /^[\w.:/-]{1,100}$/.test(id)
}
