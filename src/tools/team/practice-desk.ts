import type { Tool, ToolResult } from '../../ports/tool.ts'
import { BUILT_IN } from '../agents/agent-type.ts'
import { type PracticeWorld, practiceWorld } from '../practice-world.ts'
import { runCall } from '../run-call.ts'
import { toolsFor } from '../toolbox.ts'
import { type PracticeOffice, practiceOffice } from './practice-office.ts'
import type { Spelling } from './spelling.ts'

/** An agent with the tools of its role, in a team with a lead, ada (dev) and bob (tester). Only for tests. */
export interface PracticeDesk {
  readonly office: PracticeOffice
  readonly world: PracticeWorld
  readonly tools: readonly Tool[]
  /** Calls a tool as a model would. */
  call(name: string, input?: object): Promise<ToolResult>
  /** The same, and the test fails if it is refused. */
  ok(name: string, input?: object): Promise<string>
  /** The same, and the test fails if it is not. */
  no(name: string, input?: object): Promise<string>
}

export async function practiceDesk(agent: string, spelling: Spelling = 'team'): Promise<PracticeDesk> {
  const office = await practiceOffice()
  for (const [name, role] of [
    ['ada', 'dev'],
    ['bob', 'tester'],
  ] as const) {
    await office.spawn({ name, role, prompt: `You are ${name}.` })
  }
  return deskIn(office, agent, spelling)
}

/** Another agent of the same team. */
export function deskIn(office: PracticeOffice, agent: string, spelling: Spelling = 'team'): PracticeDesk {
  const isLead = agent === 'lead'
  const world = practiceWorld({ agent, seats: isLead ? office : office.seatsOf(agent) })
  const runAgent = async ({ prompt }: { prompt: string }) => ({ text: `did: ${prompt}` })
  const tools = isLead
    ? toolsFor('lead', { types: BUILT_IN, runAgent, office, spelling })
    : toolsFor('teammate', { spelling })
  const call = (name: string, input: object = {}) => runCall(tools, { name, input }, world)
  const expected = async (wanted: boolean, name: string, input?: object) => {
    const { text, isError = false } = await call(name, input)
    if (isError === wanted) throw new Error(`${name} ${JSON.stringify(input)}: ${text}`)
    return text
  }
  return {
    office,
    world,
    tools,
    call,
    ok: (name, input) => expected(true, name, input),
    no: (name, input) => expected(false, name, input),
  }
}
