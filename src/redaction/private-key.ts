const NAME = '(?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?'
const BEGIN = `-----BEGIN ${NAME}-----`
/** Also as JSON, indented or with numbers of lines: whatever a key looks like on its way through a program. */
const BODY = '[A-Za-z0-9+/=\\s\\\\:,.()-]'

/** A private key in PEM, also one whose end is missing. */
export const PRIVATE_KEY = new RegExp(
  `${BEGIN}(?:${BODY}{0,65536}?-----END ${NAME}-----|(?:\\s|\\\\[nrt])*(?:[A-Za-z0-9+/=]{16,}(?:\\s|\\\\[nrt]|\\d{1,6}(?=\\s|\\\\t))*)+)`,
  'g',
)

const BEGUN = new RegExp(`^(?:-----BEGIN [A-Z0-9 ]{0,60}-{0,5}|${BEGIN}${BODY}{0,65536})$`)
const ENDED = new RegExp(`-----END ${NAME}-----`)

/** Where a key begins that goes on behind the end of this text; -1 if none does. */
export function openKey(text: string): number {
  const at = text.lastIndexOf('-----BEGIN ')
  if (at === -1) return -1
  const rest = text.slice(at)
  return BEGUN.test(rest) && !ENDED.test(rest) ? at : -1
}

/** Where a key begins that is whole, and goes on behind this place; -1 if none does. */
export function keyAcross(text: string, place: number): number {
  const at = place > 0 ? text.lastIndexOf('-----BEGIN ', place - 1) : -1
  if (at === -1) return -1
  PRIVATE_KEY.lastIndex = at
  const found = PRIVATE_KEY.exec(text)
  PRIVATE_KEY.lastIndex = 0
  return found && found.index < place && found.index + found[0].length > place ? found.index : -1
}
