import { describeServer } from '../../mcp/client/describe-server.ts'
import type { ConfiguredServer } from '../../mcp/client/server-entry.ts'

/** A server with what a person decided about it. */
export function serverLines(server: ConfiguredServer): string[] {
  return [...aboutServer(server), `  state: ${stateText(server)}`]
}

/** A server as a person decides about it: what it runs, which variables it reads, and what it asks for. */
export function aboutServer(server: ConfiguredServer): string[] {
  const about = describeServer(server)
  return [
    `${server.name}  (${server.source}${server.path === undefined ? '' : `, ${server.path}`})`,
    `  ${about.transport === 'stdio' ? 'runs' : 'url'}: ${about.runs}`,
    ...(about.cwd === undefined ? [] : [`  in: ${about.cwd}`]),
    `  reads variables: ${about.variables.length === 0 ? 'none' : about.variables.join(', ')}`,
    ...about.values.map(({ name, value }) => `  ${about.transport === 'stdio' ? 'sets' : 'sends'} ${name}: ${value}`),
    ...(about.transport === 'stdio' ? [`  asks for: ${requests(about)}`] : []),
  ]
}

/** The same for programs. */
export function serverJson(server: ConfiguredServer): object {
  const { name, key, source, path = null, isProject, state } = server
  const { runs, transport, variables, values, ...rest } = describeServer(server)
  const grants = state.kind === 'ready' ? state.grants : null
  return {
    name,
    key,
    source,
    path,
    isProject,
    state: state.kind,
    transport,
    runs,
    variables,
    values,
    asks: rest,
    grants,
  }
}

export function stateText({ state, isProject }: ConfiguredServer): string {
  switch (state.kind) {
    case 'ready': {
      const { network, folders, sandbox } = state.grants
      const more = [...(network ? ['network'] : []), ...folders, ...(sandbox ? [] : ['no sandbox'])]
      const may = more.length === 0 ? '' : `, may use: ${more.join(', ')}`
      return `${isProject ? 'approved' : 'your own'}${may}`
    }
    case 'needs_trust':
      return 'not started: this folder is not trusted (deskmates trust)'
    case 'needs_approval':
      return 'not started: not approved as it is now (deskmates mcp approve)'
    case 'rejected':
      return 'not started: rejected'
    case 'refused':
      return `not started: ${state.why}`
    default:
      return state satisfies never
  }
}

function requests({ network, folders, sandbox }: ReturnType<typeof describeServer>): string {
  const wanted = [
    ...(network ? ['network'] : []),
    ...folders.map((folder) => `folder ${folder}`),
    ...(sandbox ? [] : ['no sandbox']),
  ]
  return wanted.length === 0 ? 'nothing besides the workspace' : wanted.join(', ')
}
