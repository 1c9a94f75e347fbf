// Model requests of a team of 8 that rests after its work, closed and resumed in a new session.
import { openSession } from '../../../dist/index.js'
import { names, report, run, takeCounts, withServer, withSession } from '../session.mjs'

const TEAMMATES = 8

await withServer(0, (url) =>
  withSession({ url }, async (session, { options }) => {
    const teammates = names(TEAMMATES).map((name) => ({ name, prompt: 'note 2 times' }))
    await run(session, `spawn ${JSON.stringify(teammates)}`)
    await session.close()
    await takeCounts(url)
    const resumed = await openSession({ ...options, team: session.id })
    await run(resumed)
    const idle = [...resumed.team.state.members.values()].filter(({ status }) => status === 'idle').length
    await resumed.close()
    const { requests } = await takeCounts(url)
    if (idle < TEAMMATES) throw new Error(`only ${idle} of ${TEAMMATES} teammates are idle after resume`)
    await report({ ours: requests })
  }),
)
