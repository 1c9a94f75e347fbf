/** What a file is by its first bytes, as far as it changes how it can be shown. */
export type Kind =
  | { readonly is: 'text' }
  | { readonly is: 'image'; readonly mediaType: string }
  | { readonly is: 'binary'; readonly name: string }

/** Looks at the beginning only, never at the name: a name can say anything. */
export function kindOf(start: Uint8Array): Kind {
  const found = SIGNATURES.find(({ at = 0, bytes }) => bytes.every((byte, i) => start[at + i] === byte))
  if (found?.mediaType && (found.name !== 'WebP' || startsAt(start, 8, 'WEBP')))
    return { is: 'image', mediaType: found.mediaType }
  if (found) return { is: 'binary', name: found.name }
  return start.includes(0) ? { is: 'binary', name: 'binary' } : { is: 'text' }
}

interface Signature {
  readonly name: string
  readonly at?: number
  readonly bytes: readonly number[]
  /** Of images that models can see. */
  readonly mediaType?: string
}

const SIGNATURES: readonly Signature[] = [
  { name: 'PNG', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], mediaType: 'image/png' },
  { name: 'JPEG', bytes: [0xff, 0xd8, 0xff], mediaType: 'image/jpeg' },
  { name: 'GIF', bytes: codes('GIF8'), mediaType: 'image/gif' },
  { name: 'WebP', bytes: codes('RIFF'), mediaType: 'image/webp' },
  { name: 'PDF document', bytes: codes('%PDF-') },
  { name: 'zip archive', bytes: [0x50, 0x4b, 0x03, 0x04] },
  { name: 'gzip archive', bytes: [0x1f, 0x8b] },
  { name: 'program (ELF)', bytes: [0x7f, ...codes('ELF')] },
  { name: 'program (Mach-O)', bytes: [0xcf, 0xfa, 0xed, 0xfe] },
  { name: 'WebAssembly', bytes: [0x00, ...codes('asm')] },
  { name: 'SQLite database', bytes: codes('SQLite format 3\0') },
  { name: 'UTF-16 text', bytes: [0xff, 0xfe] },
  { name: 'UTF-16 text', bytes: [0xfe, 0xff] },
]

function codes(text: string): number[] {
  return [...text].map((char) => char.charCodeAt(0))
}

function startsAt(bytes: Uint8Array, at: number, text: string): boolean {
  return codes(text).every((code, i) => bytes[at + i] === code)
}
