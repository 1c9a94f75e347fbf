import type { Word } from '../word.ts'

/**
 * What a value or an operand may be.
 *
 * text    any text; as the value of an option also `"$(…)"`
 * word    any literal text
 * number  digits, perhaps with a sign
 * name    a plain name: letters, digits and `-_./@:^~+`, which means no path to git or npm by itself
 * read    a path that is read
 * write   a file that an option writes: as for a redirection, a rule must let file tools write it
 * change  a path that is made, written or removed by a program whose purpose that is
 * folder  a folder to work in
 * inside  a file or folder of the workspace that a program may change or run on the way
 * script  a program file in the workspace, which is run
 */
export type Kind = 'text' | 'word' | 'number' | 'name' | 'read' | 'write' | 'change' | 'folder' | 'inside' | 'script'

/** The harmless uses of a program: exact names only. What is not in the table is asked about. */
export interface Uses {
  /** Options without a value, with blanks between them. Those of one letter may stand together. */
  readonly flags?: string
  /** Options with a value, by what it may be: the next word, or behind `=`, or behind the letter. */
  readonly values?: Readonly<Partial<Record<Kind, string>>>
  /** Options whose value, if any, is in the same word: `--color=always`, `-U5`. */
  readonly attached?: string
  /** `-5` is a number. */
  readonly digits?: boolean
  /** What stands beside the options; none unless it is said. */
  readonly operands?: Kind
  /** What the first ones are, where they differ. */
  readonly first?: readonly Kind[]
  /** What the last one is, where it differs and there is more than one. */
  readonly last?: Kind
  /** How many operands there may be. */
  readonly most?: number
  /** Options end at the first operand: what follows belongs to a program that is run. */
  readonly endsAtOperand?: boolean
  /** Behind an operand everything is an operand, also what looks like an option. */
  readonly optionsFirst?: boolean
  /** What follows `--`, where it differs from operands. */
  readonly rest?: Kind
  /** The first operand decides. */
  readonly commands?: Readonly<Record<string, Uses>>
  /** Only prints its words, whatever they are. */
  readonly prints?: boolean
  /** Something a table cannot say: why this use is not harmless. */
  check?(given: Given, setting: Setting): string | undefined
}

/** Programs or sub-commands, with blanks between their names, that have the same uses. */
export function alike(names: string, uses: Uses): Record<string, Uses> {
  return Object.fromEntries(names.split(' ').map((name) => [name, uses]))
}

/** What was found in the words of a command. */
export interface Given {
  readonly options: readonly string[]
  readonly operands: readonly Word[]
}

/** What decides about paths, where the command runs. */
export interface Setting {
  mayRead(path: string): boolean
  mayWrite(path: string): boolean
  mayChange(path: string): boolean
  isFolder(path: string): boolean
  /** A regular file inside of the workspace. */
  isScript(path: string): boolean
  /** Whether there is something at this path. */
  exists(path: string): boolean
}

/** Why this use of a program is not among the harmless ones; undefined if it is. */
export function refuseUse(name: string, uses: Uses, words: readonly Word[], setting: Setting): string | undefined {
  return new Reading(name, uses, setting).read(words)
}

class Reading {
  private readonly options: string[] = []
  private readonly operands: Word[] = []
  private readonly flags: ReadonlySet<string>
  private readonly attached: readonly string[]
  private readonly values: ReadonlyMap<string, Kind>
  private readonly name: string
  private readonly uses: Uses
  private readonly setting: Setting

  constructor(name: string, uses: Uses, setting: Setting) {
    this.name = name
    this.uses = uses
    this.setting = setting
    this.flags = new Set(uses.flags?.split(/\s+/))
    this.attached = uses.attached?.split(/\s+/) ?? []
    this.values = new Map(
      Object.entries(uses.values ?? {}).flatMap(([kind, options]) =>
        options.split(/\s+/).map((option) => [option, kind as Kind] as const),
      ),
    )
  }

  read(words: readonly Word[]): string | undefined {
    const { uses, name } = this
    if (uses.prints) {
      const odd = words.find(({ text, loop, isStatus }) => text === undefined && !loop && !isStatus)
      return odd ? this.wrong(odd) : uses.check?.({ options: [], operands: words }, this.setting)
    }
    for (let i = 0; i < words.length; i++) {
      const word = words[i]!
      const { text } = word
      if (text === '--') {
        if (uses.commands) return `${name} -- is not among its known uses`
        if (uses.rest !== undefined && this.operands.length < (uses.first?.length ?? 0)) return this.wrong(word)
        for (const rest of words.slice(i + 1)) {
          if (!this.fits(uses.rest ?? uses.operands, rest)) return this.wrong(rest)
          if (uses.rest === undefined) this.operands.push(rest)
        }
        return this.end()
      }
      if (text === undefined || !/^-./.test(text)) {
        const inner = text === undefined ? undefined : uses.commands?.[text]
        if (uses.commands) {
          if (!inner || !Object.hasOwn(uses.commands, text!)) return this.wrong(word)
          return this.end() ?? refuseUse(`${name} ${text}`, inner, words.slice(i + 1), this.setting)
        }
        this.operands.push(word)
        if (!uses.endsAtOperand) continue
        this.operands.push(...words.slice(i + 1))
        return this.end()
      }
      if (uses.optionsFirst && this.operands.length > 0) return this.wrong(word)
      const next = words[i + 1]
      const taken = this.option(text, next)
      if (typeof taken === 'string') return taken
      i += taken
    }
    return this.end()
  }

  /** How many further words it takes, or why it may not be. */
  private option(text: string, next: Word | undefined): number | string {
    if (this.flags.has(text) || this.attached.includes(text)) {
      this.options.push(text)
      return 0
    }
    if (this.uses.digits && /^-\d+$/.test(text)) return 0
    const kind = this.values.get(text)
    if (kind) return this.value(text, kind, next)
    if (text.startsWith('--')) {
      const [, long = '', value = ''] = /^(--[^=]+)=(.*)$/s.exec(text) ?? []
      this.options.push(long)
      if (this.attached.includes(long)) return 0
      const inside = this.values.get(long)
      if (!inside) return this.unknownOption(text)
      return this.fits(inside, { raw: value, text: value }) ? 0 : this.wrong({ raw: text })
    }
    return this.bundle(text, next)
  }

  private bundle(text: string, next: Word | undefined): number | string {
    for (let i = 1; i < text.length; i++) {
      const option = `-${text[i]}`
      const rest = text.slice(i + 1)
      if (this.flags.has(option)) {
        this.options.push(option)
        continue
      }
      if (this.attached.includes(option)) {
        this.options.push(option)
        return 0
      }
      const kind = this.values.get(option)
      if (!kind) return this.unknownOption(text)
      if (rest === '') return this.value(option, kind, next)
      this.options.push(option)
      return this.fits(kind, { raw: rest, text: rest }) ? 0 : this.wrong({ raw: text })
    }
    return 0
  }

  private value(option: string, kind: Kind, next: Word | undefined): number | string {
    this.options.push(option)
    if (!next) return `${this.name} ${option} has no value`
    if (next.isScript && kind === 'text') return 1
    // Where a program knows this option without a value, it would be an option.
    if (/^-\S/.test(next.text ?? '') && kind !== 'number') return this.wrong(next)
    return this.fits(kind, next) ? 1 : this.wrong(next)
  }

  private end(): string | undefined {
    const { uses, operands, setting } = this
    if (uses.commands) return undefined
    if (uses.most !== undefined && operands.length > uses.most) return `${this.name} is given too many words`
    for (const [i, word] of operands.entries()) {
      const isLast = uses.last !== undefined && i > 0 && i === operands.length - 1
      const kind = isLast ? uses.last : (uses.first?.[i] ?? uses.operands)
      if (!this.fits(kind, word)) return this.wrong(word)
    }
    return uses.check?.({ options: this.options, operands }, setting)
  }

  private fits(kind: Kind | undefined, word: Word): boolean {
    if (kind === undefined) return false
    if (word.loop) return word.loop.every((one) => this.fitsLoop(kind, one))
    return word.text !== undefined && this.fitsText(kind, word.text)
  }

  /** A pattern of names stands for paths that begin as it does. */
  private fitsLoop(kind: Kind, { text, glob }: Word): boolean {
    if (text !== undefined) return this.fitsText(kind, text)
    if (kind === 'text' || kind === 'word') return true
    return glob === undefined ? kind === 'number' : kind === 'read' && this.setting.mayRead(glob)
  }

  private fitsText(kind: Kind, text: string): boolean {
    const { setting } = this
    switch (kind) {
      case 'text':
      case 'word':
        return true
      case 'number':
        return /^[-+]?\d+$/.test(text)
      case 'name':
        return /^[\w@][\w./@:^~+{}-]*$/.test(text) && !text.includes('..')
      case 'read':
        return setting.mayRead(text)
      case 'write':
        return setting.mayWrite(text)
      case 'change':
        return setting.mayChange(text)
      case 'folder':
        return setting.isFolder(text)
      case 'inside':
        return setting.isFolder(text) || setting.mayChange(text)
      case 'script':
        return setting.isScript(text)
    }
  }

  private unknownOption(text: string): string {
    return `${this.name} ${text.split('=')[0]} is not among its known uses`
  }

  private wrong(word: Word): string {
    return `${this.name} with ${shorten(word.raw)} is not among its known uses`
  }
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
