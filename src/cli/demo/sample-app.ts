/** A small app with a REST interface, a page that uses it, and tests of its own. No dependencies. By path. */
export const SAMPLE_APP: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "shop-window",
  "private": true,
  "type": "module",
  "scripts": { "start": "node src/main.js", "test": "node --test test/*.test.js" }
}
`,
  'src/products.js': `export const products = [
  { id: 1, name: 'Desk', price: 240, stock: 4 },
  { id: 2, name: 'Chair', price: 90, stock: 12 },
  { id: 3, name: 'Lamp', price: 35, stock: 0 },
]
`,
  'src/server.js': `import { products } from './products.js'

/** Answers one request: { method, path, body } → { status, body }. */
export function answer({ method, path, body }) {
  const route = \`\${method} \${path}\`
  if (route === 'GET /products') return { status: 200, body: products }
  if (route === 'GET /stock') return { status: 200, body: products.map(({ id, stock }) => ({ id, stock })) }
  return { status: 404, body: { error: \`\${route} is not here\` } }
}
`,
  'src/main.js': `import { createServer } from 'node:http'
import { answer } from './server.js'

createServer(async (request, response) => {
  let text = ''
  for await (const piece of request) text += piece
  const { status, body } = answer({ method: request.method, path: request.url, body: text && JSON.parse(text) })
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}).listen(process.env.PORT ?? 3000, '127.0.0.1')
`,
  'src/page.js': `/** The shop window. \`ask\` sends one request and resolves to what the server answers. */
export async function page(ask) {
  const { body: products } = await ask({ method: 'GET', path: '/products' })
  return products.map((product) => \`<li>\${product.name}: \${product.price} EUR</li>\`).join('\\n')
}
`,
  'test/server.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer } from '../src/server.js'

test('lists the products', () => {
  const { status, body } = answer({ method: 'GET', path: '/products' })
  assert.equal(status, 200)
  assert.deepEqual(body.map(({ name }) => name), ['Desk', 'Chair', 'Lamp'])
})

test('tells what is in stock', () => {
  const { body } = answer({ method: 'GET', path: '/stock' })
  assert.deepEqual(body[1], { id: 2, stock: 12 })
})

test('knows nothing else', () => {
  assert.equal(answer({ method: 'GET', path: '/nothing' }).status, 404)
})
`,
  'test/page.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { page } from '../src/page.js'
import { answer } from '../src/server.js'

test('the page shows every product with its price', async () => {
  const html = await page(async (request) => answer(request))
  assert.match(html, /Desk: 240 EUR/)
  assert.equal(html.split('\\n').length, 3)
})
`,
}
