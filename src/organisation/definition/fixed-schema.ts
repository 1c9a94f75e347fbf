import { z } from 'zod'

/*
 * Schemas of organisation files. The message of every issue is what to write instead: the reader of the files says
 * itself what stands there now.
 */

export function text(fix: string) {
  return z.string(fix).refine((value) => value.trim() !== '', fix)
}

export function whole(least: number, most: number, fix: string) {
  return z.int(fix).min(least, fix).max(most, `${fix} At most ${most}.`)
}

export function yesOrNo(fix: string) {
  return z.boolean(fix)
}

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, `Write one of: ${values.join(', ')}.`)
}

export function listOf<T extends z.ZodType>(item: T, fix: string) {
  return z.array(item, fix)
}

/** Keys that the schema does not have are mistakes. */
export function fixedObject<T extends z.ZodRawShape>(shape: T) {
  const keys = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? `Remove it, or use one of: ${keys}.` : `Write the keys ${keys}.`,
  })
}
