import { z } from 'zod'

/** SHA-256 of a member's token, as 64 hexadecimal digits. The journal never holds the token itself. */
export const TokenHash = z.string().regex(/^[0-9a-f]{64}$/)
