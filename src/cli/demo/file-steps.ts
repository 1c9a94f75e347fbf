/** What one of the demo's agents has found out when it comes to write a file. */
export interface Knowledge {
  /** The words of its task. */
  readonly subject: string
  /** What the tasks before it brought, and files it read, by path. */
  readonly before: string
  readonly files: ReadonlyMap<string, string>
  /** What a colleague answered, by the file that was asked about. */
  readonly answers: ReadonlyMap<string, string>
}

/** How to write one file: which file to read, which teammate to ask, and the call that writes it. */
export interface Craft {
  readonly reads?: readonly string[]
  readonly asks?: { readonly who: string; readonly about: string; readonly question: string }
  make(known: Knowledge): { readonly tool: string; readonly input: Record<string, unknown> } | undefined
}

const PAGE = 'src/page.js'
const SCHEMA = 'src/schema.js'
const SERVER = 'src/server.js'

/** What the scripted agents can build, by path. Anything else they describe in words. */
const KNOWN: Readonly<Record<string, Craft>> = {
  'docs/endpoints.md': {
    reads: [SERVER],
    make: ({ files }) => write('docs/endpoints.md', `# REST endpoints\n\n${bullets(endpointsIn(files.get(SERVER)))}\n`),
  },
  [SCHEMA]: {
    reads: ['src/products.js'],
    asks: { who: 'frontend', about: PAGE, question: `Which fields of a product does ${PAGE} show?` },
    make: ({ answers, files }) =>
      write(SCHEMA, schemaOf(wordsIn(answers.get(PAGE)), files.get('src/products.js') ?? '')),
  },
  'src/graphql.js': { reads: [SCHEMA], make: () => write('src/graphql.js', GRAPHQL) },
  [SERVER]: {
    reads: [SERVER],
    make({ files }) {
      const source = files.get(SERVER) ?? ''
      const [line = ''] = /^ *if \(route === .*$/m.exec(source) ?? []
      if (line === '' || source.includes('/graphql')) return undefined
      const route = `  if (route === 'POST /graphql') return { status: 200, body: query(body.query) }`
      const [first = ''] = source.split('\n')
      const start = source.slice(0, source.indexOf(line) + line.length)
      const changed = start
        .replace(first, `import { query } from './graphql.js'\n${first}`)
        .replace(line, `${route}\n${line}`)
      return { tool: 'edit_file', input: { path: SERVER, old_text: start, new_text: changed } }
    },
  },
  'test/graphql.test.js': {
    reads: [SCHEMA],
    make: ({ files }) => write('test/graphql.test.js', graphqlTest(fieldsIn(files.get(SCHEMA)))),
  },
  [PAGE]: {
    reads: [PAGE],
    asks: { who: 'backend', about: SCHEMA, question: `Which query does ${PAGE} send, now that there is ${SCHEMA}?` },
    make({ answers, files }) {
      const [query] = /\{ products \{[^}]*\} \}/.exec(answers.get(SCHEMA) ?? '') ?? ['{ products { name price } }']
      const source = files.get(PAGE) ?? ''
      const old = `const { body: products } = await ask({ method: 'GET', path: '/products' })`
      if (!source.includes(old)) return undefined
      const asks = `const { body } = await ask({ method: 'POST', path: '/graphql', body: { query: '${query}' } })`
      const input = { path: PAGE, old_text: old, new_text: `${asks}\n  const { products } = body.data` }
      return { tool: 'edit_file', input }
    },
  },
}

export function craftOf(path: string): Craft {
  return (
    KNOWN[path] ?? {
      make: ({ subject, before }) => write(path, `# ${subject}\n\n${before || 'Nothing came before it.'}\n`),
    }
  )
}

/** What a teammate that has read a file answers to a question about it. */
export function answerFrom(path: string, source: string): string {
  if (source.includes('type Query')) return `Send { products { ${fieldsIn(source).join(' ')} } } to POST /graphql.`
  const fields = [...new Set([...source.matchAll(/product\.(\w+)/g)].map(([, field = '']) => field))]
  return fields.length > 0 ? `${path} shows: ${fields.join(', ')}.` : `${path} names no field of a product.`
}

/** `GET /products` and the like, as they stand in the source. */
function endpointsIn(source = ''): string[] {
  return [...source.matchAll(/'((?:GET|POST|PUT|DELETE) \/\w*)'/g)].map(([, endpoint = '']) => endpoint)
}

function write(path: string, content: string) {
  return { tool: 'write_file', input: { path, content } }
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n')
}

/** The names behind the colon of an answer such as `src/page.js shows: name, price.` */
function wordsIn(answer = ''): string[] {
  return (/: (.*)\.$/s.exec(answer.trim())?.[1] ?? 'name, price').split(', ')
}

function fieldsIn(schema = ''): string[] {
  const [, body = ''] = /type Product \{([^}]*)\}/.exec(schema) ?? []
  return [...body.matchAll(/(\w+):/g)].map(([, field = '']) => field)
}

function schemaOf(fields: readonly string[], products: string): string {
  const lines = fields.map((field) => `  ${field}: ${new RegExp(`${field}: \\d`).test(products) ? 'Int' : 'String'}!`)
  return `export const schema = \`
type Product {
${lines.join('\n')}
}

type Query {
  products: [Product!]!
}
\`
`
}

const GRAPHQL = `import { products } from './products.js'
import { schema } from './schema.js'

/** Answers { products { … } }: no more of GraphQL than this app asks for. */
export function query(text) {
  const [, wanted] = /^\\s*\\{\\s*products\\s*\\{([\\w\\s]+)\\}\\s*\\}\\s*$/.exec(text) ?? []
  if (wanted === undefined) return { errors: [{ message: \`Cannot read the query \${text}\` }] }
  const fields = wanted.trim().split(/\\s+/)
  const unknown = fields.find((field) => !schema.includes(\`  \${field}:\`))
  if (unknown) return { errors: [{ message: \`A product has no field \${unknown}\` }] }
  return { data: { products: products.map((one) => Object.fromEntries(fields.map((field) => [field, one[field]]))) } }
}
`

function graphqlTest(fields: readonly string[]): string {
  const all = fields.length > 0 ? fields : ['name']
  return `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer } from '../src/server.js'

const ask = (query) => answer({ method: 'POST', path: '/graphql', body: { query } }).body

test('a query gets the fields it names', () => {
  const { data } = ask('{ products { ${all.join(' ')} } }')
  assert.equal(data.products.length, 3)
  assert.deepEqual(Object.keys(data.products[0]), ${JSON.stringify(all)})
})

test('a field that is not there is named', () => {
  assert.match(ask('{ products { colour } }').errors[0].message, /colour/)
})
`
}
