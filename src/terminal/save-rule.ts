import type { OpenQuestion } from '../view/view.ts'
import { draw, EMPTY, paint } from './drawing/drawn.ts'
import { wrappedLines } from './drawing/text-lines.ts'
import { type Host, isDone, tell } from './host.ts'
import type { OpenView } from './views/open-view.ts'

/** Ids of questions whose rules were shown. */
const shown = new WeakMap<Host, Set<string>>()

/**
 * Shows what would be written to the settings of the user, and where; `y` writes it, or the same command again with `yes`.
 * Nothing is written before that.
 */
export async function offerSaving(host: Host, question: OpenQuestion, isConfirmed = false): Promise<void> {
  const { savedRules: file, root } = host.knowledge
  if (question.about.kind !== 'permission') return
  const { rulesToSave } = await import('../permissions/rules/saved-rules.ts')
  const rules = rulesToSave(question.about, root)
  if (rules.length === 0) return tell(host, 'No rule can allow this for good. Answer with y, each time you are asked.')
  if (!file)
    return tell(
      host,
      'A rule is saved in the terminal of the session. Do it there, or start the session with --control full.',
    )
  const known = shown.get(host) ?? new Set()
  if (isConfirmed && known.has(question.id)) return saveRules(host, question, rules)
  shown.set(host, known.add(question.id))
  host.open(savingView(host, question, rules, file.path))
}

function savingView(host: Host, question: OpenQuestion, rules: readonly string[], path: string): OpenView {
  return {
    title: draw`save a rule`,
    lines: (columns) => [
      ...wrappedLines(`This is added to permissions.allow in ${path}:`, columns),
      EMPTY,
      ...rules
        .flatMap((rule) => wrappedLines(JSON.stringify(rule), Math.max(1, columns - 2)))
        .map((line) => draw`  ${paint.cyan(line)}`),
      EMPTY,
      ...wrappedLines(
        'It holds in all your projects, now and in every later session, for every agent. Remove it from the file to be asked again.',
        columns,
      ),
    ],
    keys: 'y write it and allow',
    plainKeys: [draw`Write it and allow with: /approve ${question.agent} save yes`],
    followsEnd: false,
    key(data) {
      if (data !== 'y') return false
      host.closeView()
      saveRules(host, question, rules).catch((error: unknown) => tell(host, (error as Error).message))
      return true
    },
  }
}

/** The session has the answer first: what it does not accept is not written either. */
async function saveRules(host: Host, { id }: OpenQuestion, rules: readonly string[]): Promise<void> {
  const { savedRules: file } = host.knowledge
  if (!file) return
  const outcome = await host.control.answer(id, { allowed: true, saved: true })
  if (!isDone(host, outcome)) return
  if (outcome === 'late') return tell(host, 'This question was answered before. Nothing was written.')
  try {
    const added = file.save(rules)
    tell(
      host,
      added.length > 0 ? `Written to ${file.path}: ${added.join(', ')}` : `${file.path} has this rule already.`,
    )
  } catch (error) {
    tell(host, `It is allowed for this session, and no rule was written. ${(error as Error).message}`)
  }
}
