import { cancel, confirm, intro, isCancel, outro, select, text } from '@clack/prompts'
import { knownProviders } from '../../models/providers/providers.ts'
import { MODES } from '../../permissions/rules/modes.ts'
import type { Mode } from '../../permissions/rules/policy.ts'
import type { Settings } from '../../settings/settings.ts'

/** What a person can choose from, with the default first. */
export interface Choices {
  readonly models: readonly string[]
  readonly modes: readonly Mode[]
  /** Rules that make sense in this folder, such as its tests. */
  readonly rules: readonly string[]
}

const OTHER = 'other'
const LATER = 'later'

const ABOUT: Partial<Record<Mode, string>> = {
  default: 'reads; asks before it writes or runs',
  acceptEdits: 'reads and writes; asks before it runs',
  plan: 'reads; says what it would do',
}

/** Asks at the terminal; undefined where the person leaves. */
export async function askSettings({ models, modes, rules }: Choices): Promise<Settings | undefined> {
  intro('deskmates')
  const model = await askModel(models)
  if (model === undefined) return left()
  const mode = await select({
    message: 'What may agents do without asking you?',
    options: modes.map((value) => ({ value, label: value, hint: ABOUT[value] ?? '' })),
  })
  if (isCancel(mode) || !MODES.includes(mode)) return left()
  const allow: string[] = []
  for (const rule of rules) {
    const isAllowed = await confirm({ message: `May agents run ${commandIn(rule)} without asking?` })
    if (isCancel(isAllowed)) return left()
    if (isAllowed) allow.push(rule)
  }
  outro('That is all.')
  return { ...(model !== LATER && { model }), permissions: { mode, ...(allow.length > 0 && { allow }) } }
}

/** What a rule such as `bash(npm test)` allows to run. */
function commandIn(rule: string): string {
  return /^bash\((.*)\)$/s.exec(rule)?.[1] ?? rule
}

/** A model, `later` for none yet, or undefined. */
async function askModel(models: readonly string[]): Promise<string | undefined> {
  const chosen = await select({
    message: 'Which model?',
    options: [
      ...models.map((value) => ({ value, label: value })),
      { value: OTHER, label: 'another one', hint: 'provider/model' },
      { value: LATER, label: 'decide later', hint: 'by -m, or by the key that is set' },
    ],
  })
  if (isCancel(chosen)) return undefined
  if (chosen !== OTHER) return chosen
  const named = await text({
    message: 'Its name',
    placeholder: 'anthropic/sonnet',
    validate: (value) => whyNoModel(value?.trim() ?? ''),
  })
  return isCancel(named) ? undefined : named.trim()
}

/** Undefined for a name that can be used. A provider of the user's own has its address in the settings, which come later. */
export function whyNoModel(name: string): string | undefined {
  const [provider = '', model = ''] = name.split(/\/(.*)/s)
  if (provider === '' || model === '') return 'Write provider/model, such as anthropic/sonnet.'
  if (knownProviders.includes(provider)) return undefined
  return `Unknown provider ${JSON.stringify(provider)}. Known providers: ${knownProviders.join(', ')}.`
}

function left(): undefined {
  cancel('Left.')
}
