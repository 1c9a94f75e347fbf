/** The command line of the official Inspector. */
export const client = {
  title: 'MCP Inspector',
  node: '22',
  package: () => ({
    name: '@modelcontextprotocol/inspector',
    version: '2.12.0',
    program: 'clients/launcher/build/index.js',
  }),
  async prove({ node, program, run, server, claimBy, withHttp, env: { DESKMATES_STATE } }) {
    const inspect = async (...args) => JSON.parse(await run(node, [program, '--cli', ...args]))
    const { command, args } = server('inspector')
    // It passes no other variable on.
    const stdio = [command, ...args, '-e', `DESKMATES_STATE=${DESKMATES_STATE}`]
    const { tools } = await inspect(...stdio, '--method', 'tools/list', '--strict')
    for (const name of ['task_claim', 'inbox', 'wait_for_news'])
      if (!tools.some((tool) => tool.name === name && tool.outputSchema)) throw new Error(`${name} is not listed`)
    await claimBy('inspector', async () => {
      const claimed = await inspect(...stdio, '--method', 'tools/call', '--tool-name', 'task_claim')
      if (claimed.structuredContent.task.owner !== 'inspector') throw new Error(JSON.stringify(claimed))
    })
    const refused = await inspect(
      ...[...stdio, '--method', 'tools/call'],
      ...['--tool-name', 'task_get', '--tool-arg', 'id="99"'],
    ).catch(({ message }) => message)
    if (!JSON.stringify(refused).includes('unknown_task')) throw new Error(`no refusal: ${JSON.stringify(refused)}`)
    await withHttp('inspector-http', ({ url, token }) => {
      const over = ['--transport', 'http', '--server-url', url, '--header', `Authorization: Bearer ${token}`]
      return claimBy('inspector-http', () => inspect(...over, '--method', 'tools/call', '--tool-name', 'task_claim'))
    })
    return [`${tools.length} tools listed`, 'a claim over stdio', 'a refusal read', 'a claim over HTTP']
  },
}
