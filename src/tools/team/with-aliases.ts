import { z } from 'zod'

/**
 * What a model writes under a name that others use for the same: `to` for `recipient`. Where both stand and differ, the
 * second name stays and is refused as unknown.
 */
export function withAliases<T>(input: z.ZodType<T>, aliases: Readonly<Record<string, string>>): z.ZodType<T> {
  return z.preprocess((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const fields: Record<string, unknown> = { ...value }
    for (const [alias, name] of Object.entries(aliases)) {
      if (!Object.hasOwn(fields, alias)) continue
      if (fields[name] === undefined) fields[name] = fields[alias]
      else if (fields[name] !== fields[alias]) continue
      delete fields[alias]
    }
    return fields
  }, input)
}
