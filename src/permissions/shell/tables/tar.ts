import type { Word } from '../word.ts'
import type { Setting } from './use.ts'

/**
 * tar that lists an archive, or makes one. Its letters may stand without `-`, and each that takes a value takes the next
 * word; so only these are read: c, t, v, z, j, J, and one `f` at the end. Taking files out of an archive may replace
 * anything in the folder, so that is asked about.
 */
export function refuseTar(words: readonly Word[], setting: Setting): string | undefined {
  const [letters, archive, ...rest] = words.map(({ text }) => text)
  if (letters === undefined || archive === undefined) return 'tar without an archive is not among its known uses'
  const [, mode] = /^-?(?=[vzjJ]*([ct]))[ctvzjJ]+f$/.exec(letters) ?? []
  if (mode === undefined || [...letters].filter((letter) => /[ct]/.test(letter)).length !== 1)
    return `tar ${letters} is not among its known uses`
  if (/^-|:/.test(archive)) return 'the archive is not a plain file'
  if (mode === 'c' ? !setting.mayWrite(archive) : !setting.mayRead(archive)) return `tar may not use ${archive}`
  if (rest.some((text) => text === undefined || text.startsWith('-') || !setting.mayRead(text)))
    return 'tar is given words that are not plain paths'
  return undefined
}
