import type { Row } from '../verdict.mjs'

declare const rows: readonly Row[]
export default rows
