import { placeOf } from '../paths/places.ts'
import { orUndefined } from '../paths/safe-reads.ts'
import type { Action, PermissionQuestion } from '../permission.ts'
import { parseRule } from './parse-rule.ts'
import { allows } from './rule.ts'

/**
 * The rules by which the settings of the user allow what was asked about; empty where no rule can. Settings of the user count
 * in every project and for good, so a rule about files names the file by its absolute path.
 */
export function rulesToSave({ action, rules }: Pick<PermissionQuestion, 'action' | 'rules'>, root: string): string[] {
  if (rules.length === 0) return []
  if (action.kind === 'read' || action.kind === 'write') return [fileRule(action, root)].flatMap((rule) => rule ?? [])
  const absolute = rules.map((rule) => inProject(rule, root))
  return absolute.every((rule) => rule !== undefined) ? absolute : []
}

/** Undefined for a name that means something else in a pattern. */
function fileRule({ tool, kind, path }: Extract<Action, { kind: 'read' | 'write' }>, root: string): string | undefined {
  const place = placeOf(path, root)
  const rule = `${kind === 'write' ? 'edit' : tool}(/${place})`
  const parsed = orUndefined(() => parseRule(rule))
  return parsed && allows(parsed, tool, { kind, tool, path: place }, root) && !/[*?[\]{}\\]/.test(place)
    ? rule
    : undefined
}

/** A command may write a file too, which its rule names relative to the project. */
function inProject(rule: string, root: string): string | undefined {
  const [, tool, path] = /^(write_file|edit_file|edit|write)\((.+)\)$/s.exec(rule) ?? []
  if (tool === undefined || path === undefined) return rule
  return fileRule({ kind: 'write', tool: 'write_file', path }, root)
}
