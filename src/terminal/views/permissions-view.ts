import { relative } from 'node:path'
import type { Mode } from '../../permissions/rules/policy.ts'
import { DECISIONS, type SessionRule } from '../../session/control/session-rules.ts'
import { type Drawn, draw, EMPTY, paint, spread } from '../drawing/drawn.ts'
import { wrappedLines } from '../drawing/text-lines.ts'
import type { Host } from '../host.ts'
import type { OpenView } from './open-view.ts'

/** The mode and every rule that counts now, with the layer that it comes from. */
export function permissionsView({ view, knowledge }: Host, rules: readonly SessionRule[]): OpenView {
  const sourceOf = ({ from, path }: SessionRule) =>
    path === undefined ? LAYERS[from] : `${LAYERS[from]} · ${shortPath(path, knowledge)}`
  return {
    title: draw`permissions`,
    lines: (columns) => [
      ...DECISIONS.flatMap((decision) => {
        const own = rules.filter((rule) => rule.decision === decision)
        const none = own.length === 0 ? [paint.dim('  no rules')] : []
        return [
          paint.bold(decision),
          ...none,
          ...own.flatMap((rule) => ruleLines(rule.rule, sourceOf(rule), columns)),
          EMPTY,
        ]
      }),
      draw`${paint.bold('mode')} ${view.mode}: ${MEANS[view.mode]}`.fit(columns),
      EMPTY,
      ...wrappedLines(
        'Deny comes first, then ask, then allow; where no rule matches, the mode decides. Another mode: Shift+Tab or /permissions MODE. Rules are changed in .deskmates/settings.json (project), .deskmates/settings.local.json (local) and your own settings (user).',
        columns,
      ).map(paint.dim),
    ],
    keys: '',
    followsEnd: false,
  }
}

/** The rule, and behind or below it where it comes from. */
function ruleLines(rule: string, source: string, columns: number): Drawn[] {
  const [left, right] = [draw`  ${rule}`, paint.dim(draw`${source}`)]
  if (left.columns + 2 + right.columns <= columns && !rule.includes('\n')) return [spread(left, right, columns)]
  const indent = (text: string, by: string) =>
    wrappedLines(text, Math.max(1, columns - by.length)).map((line) => draw`${by}${line}`)
  return [...indent(rule, '  '), ...indent(source, '      ').map(paint.dim)]
}

function shortPath(path: string, { root, env: { HOME: home } }: Host['knowledge']): string {
  const inProject = relative(root, path)
  if (!inProject.startsWith('..')) return inProject
  return home && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}

const LAYERS: Readonly<Record<SessionRule['from'], string>> = {
  managed: 'managed',
  flags: 'command line',
  local: 'local',
  project: 'project',
  user: 'user',
  session: 'this session',
}

const MEANS: Readonly<Record<Mode, string>> = {
  default: 'reads; asks before it writes or runs',
  acceptEdits: 'reads and writes; asks before it runs',
  plan: 'reads; neither writes nor runs',
  dontAsk: 'as default, but what would be asked is denied',
  bypassPermissions: 'everything that no rule denies or asks about',
}
