import type { StandardSchemaV1 } from '@standard-schema/spec'

type Names = Readonly<Record<string, string>>

/** Accepts parameters under other names: `synonyms` maps each to the name that `input` knows. */
export function withCanonicalNames<Input>(
  input: StandardSchemaV1<unknown, Input>,
  synonyms: Names,
): StandardSchemaV1<unknown, Input> {
  const { validate, ...standard } = input['~standard']
  return {
    '~standard': {
      version: standard.version,
      vendor: standard.vendor,
      validate: (value) => validate(canonical(value, synonyms)),
    },
  }
}

/** A synonym that stands beside its canonical name with another value stays, and is refused as unknown. */
function canonical(value: unknown, synonyms: Names): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const fields: Record<string, unknown> = { ...value }
  for (const [synonym, name] of Object.entries(synonyms)) {
    if (!Object.hasOwn(fields, synonym)) continue
    if (fields[name] === undefined) fields[name] = fields[synonym]
    else if (fields[name] !== fields[synonym]) continue
    delete fields[synonym]
  }
  return fields
}
