import { isCancel, log, note, select } from '@clack/prompts'
import { usualModel } from '../../models/providers/providers.ts'
import type { Workspace } from '../../workspace.ts'
import { localModels } from '../config/local-models.ts'
import type { Call } from '../program/context.ts'
import { readSettings } from '../workspace/read-settings.ts'

const DEMO = 'demo'
const KEY = 'key'

/**
 * Where no model is named and no key is set: a choice instead of an error. A model of a local server; undefined where there is a
 * model already; `left` where the person has to do something first, or watched the demo.
 */
export async function modelWithoutKey(
  call: Call,
  workspace: Workspace,
  given: string | undefined,
): Promise<string | undefined> {
  const { settings } = await readSettings(call, workspace, {}, given)
  if (settings.model !== undefined || hasKey(call, settings)) return undefined
  call.prompt?.close()
  const models = await localModels(call.env, call.signal)
  const chosen = await select({
    message: 'No key of a model provider is set. How do you want to begin?',
    options: [
      ...models.map((value) => ({ value, label: value, hint: 'runs on this machine' })),
      { value: DEMO, label: 'watch the demo', hint: 'a small team on a scripted model; free' },
      { value: KEY, label: 'set a key', hint: 'ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY …' },
    ],
  })
  if (isCancel(chosen)) return 'left'
  if (chosen === DEMO) {
    const { demo } = await import('../demo/demo.ts')
    await demo.run(call, { speed: '1' })
    return 'left'
  }
  if (chosen !== KEY) {
    log.info('To use it without this question: deskmates init')
    return chosen
  }
  note(
    'export ANTHROPIC_API_KEY=…   (or OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY)\nin your shell, then start deskmates again. deskmates doctor says what is set.',
    'Set a key',
  )
  return 'left'
}

function hasKey({ env }: Call, settings: Parameters<typeof usualModel>[1]): boolean {
  try {
    usualModel(env, settings)
    return true
  } catch {
    return false
  }
}
