// A model on loopback that answers at once, in either protocol: a call of the tool for so many turns, then a last text.
import { createServer } from 'node:http'
import { protocols } from '../protocols.mjs'

/** What the last conversation began with. */
let start

const server = createServer((request, response) => {
  if (request.method === 'GET') return response.end(JSON.stringify(start))
  const protocol = Object.values(protocols).find(({ path }) => request.url.endsWith(path))
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    // The model's name says how many turns there are to be, the id of the last call how many there were.
    const body = Buffer.concat(chunks)
    const turns = Number((/"turns-(\d+)"/.exec(body.subarray(0, 200)) ?? /"turns-(\d+)"/.exec(body))?.[1] ?? 0)
    const last = body.lastIndexOf('"call_')
    const made = last < 0 ? 0 : Number.parseInt(body.subarray(last + 6, last + 16).toString(), 10)
    if (made === 0) start = protocol.start(JSON.parse(body))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(made < turns ? protocol.callEvents(made + 1) : protocol.lastEvents())
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
// Without its parent it would listen for ever.
process.on('disconnect', () => process.exit())
