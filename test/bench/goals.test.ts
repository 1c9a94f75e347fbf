import { expect, it } from 'vitest'
import agent from '../../bench/agent/rows.mjs'
import team from '../../bench/team/rows.mjs'
import { judge } from '../../bench/verdict.mjs'

it('the rows of the benchmark that prove what a team costs have the goals that were promised', () => {
  const goals = new Map([...agent, ...team].map((row) => [row.id, judge(row, 0).goal]))
  const promised = {
    'team-graph': '≤ 1.16',
    'team-graph-beside-ai-sdk': '≤ 1.05',
    'team-graph-requests': '≤ 135',
    'team-graph-lead-calls': '≤ 3',
    'team-graph-varied': '≤ 1.16',
    'team-graph-varied-beside-ai-sdk': '≤ 1.05',
    'team-graph-varied-lead-calls': '≤ 3',
    'team-turns-beside-ai-sdk': '≤ 1',
    'team-resume': '≤ 0',
    'board-chain': '≤ 2.2',
    'board-fan-out': '≤ 2.2',
    'board-fan-out-singly': '≤ 2.2',
    'team-cached-share': '≥ 0.95',
    'agent-50-turns-openai-ai-sdk': '≤ 1.1',
    'agent-1000-turns-openai-ai-sdk': '≤ 1.1',
    'agent-50-turns-anthropic-ai-sdk': '≤ 1.1',
    'agent-1000-turns-anthropic-ai-sdk': '≤ 1.1',
  }
  for (const [id, goal] of Object.entries(promised)) expect([id, goals.get(id)]).toEqual([id, goal])
})
