/**
 * A request tells the whole conversation again, and only its end is new. So what the provider packages made of it the
 * last time is kept, and the JSON of that too. scripts/lean-packages.ts has the packages use this.
 */
interface Told {
  readonly turns: object[]
  readonly messages: object[]
  text: string
}

/** By the first turn of a conversation. */
const told = new WeakMap<object, Told>()
/** The JSON of what is kept here and changed by nobody. */
const texts = new WeakMap<object, string>()

/** For a package that makes its messages of every turn by itself. */
export function convertEach(prompt: readonly object[], convert: (prompt: object[]) => object[]): object[] {
  const [first] = prompt
  if (first === undefined) return []
  let known = told.get(first)
  if (known === undefined || !isBeginning(known.turns, prompt)) {
    known = { turns: [], messages: [], text: '' }
    told.set(first, known)
  }
  for (let at = known.turns.length; at < prompt.length; at++) {
    const turn = prompt[at]!
    const made = convert([turn])
    // All of it before anything is kept: else a turn that fails halfway would be told twice.
    const text = made.map((message) => JSON.stringify(message)).join(',')
    if (text !== '') known.text += known.text === '' ? text : `,${text}`
    known.messages.push(...made)
    known.turns.push(turn)
  }
  const messages = known.messages.slice()
  texts.set(messages, `[${known.text}]`)
  return messages
}

function isBeginning(turns: readonly object[], prompt: readonly object[]): boolean {
  for (let at = 0; at < turns.length; at++) if (turns[at] !== prompt[at]) return false
  return true
}

/** What was made of these the first time, with its JSON. */
export function keptFor<Made extends object>(these: object | undefined, made: Made | undefined): Made | undefined {
  if (these === undefined || made === undefined) return made
  let first = kept.get(these) as Made | undefined
  if (first === undefined) {
    first = made
    kept.set(these, first)
    texts.set(first, JSON.stringify(first))
  }
  return first
}

const kept = new WeakMap<object, object>()

/** `JSON.stringify` for the body of a request. */
export function bodyText(body: Readonly<Record<string, unknown>>): string {
  let members = ''
  for (const name in body) {
    const value = body[name]
    const known = typeof value === 'object' && value !== null ? texts.get(value) : undefined
    const text = known ?? JSON.stringify(value)
    if (text !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${text}`
  }
  return `{${members}}`
}

/** What is made of a schema is the same every time. */
export function schemaOf<Made extends object>(schema: object, make: (schema: object) => Made): Made {
  let made = schemas.get(schema) as Made | undefined
  if (made === undefined) {
    made = make(schema)
    schemas.set(schema, made)
  }
  return made
}

const schemas = new WeakMap<object, object>()

/** As much of `Headers` as a request needs that names them in small letters: values without the space around them. */
export class PlainHeaders {
  readonly #values = new Map<string, string>()

  constructor(init: Readonly<Record<string, string>>) {
    for (const name in init) this.set(name, init[name]!)
  }

  get(name: string): string | null {
    return this.#values.get(name) ?? null
  }

  set(name: string, value: string): void {
    this.#values.set(name, String(value).trim())
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries()
  }
}
