import { agentRows } from '../../view/agent-rows.ts'
import { needsPerson } from '../../view/needs-person.ts'
import { totals } from '../../view/totals.ts'
import type { View } from '../../view/view.ts'

/** What the view does not know. */
export interface StatusFacts {
  readonly version: string
  readonly cwd: string
  /** The folder of the project. */
  readonly root: string
  /** US dollars; null without a limit. */
  readonly budget: number | null
  /** Tokens of the lead's conversation, and how many fit into its model's window. */
  readonly contextTokens: number
  readonly contextWindow: number | undefined
}

/** What the program of the status line gets on its stdin. Where users of Claude Code know a name, it is that one. */
export function statusInput(view: View, facts: StatusFacts, now: number): object {
  const { dollars, tokens } = totals(view)
  const { contextTokens: used, contextWindow: size } = facts
  const model = view.session?.model ?? ''
  const tasks = { pending: 0, in_progress: 0, completed: 0, failed: 0 }
  for (const state of view.teams.values()) for (const { status } of state.tasks.values()) tasks[status]++
  return {
    hook_event_name: 'Status',
    session_id: view.session?.id ?? '',
    version: facts.version,
    cwd: facts.cwd,
    workspace: { current_dir: facts.cwd, project_dir: facts.root },
    model: { id: model, display_name: model.slice(model.indexOf('/') + 1) },
    permission_mode: view.mode,
    cost: { total_cost_usd: dollars, budget_usd: facts.budget, total_tokens: tokens },
    context_window: {
      used_tokens: used,
      context_window_size: size ?? null,
      used_percentage: size === undefined ? null : Math.round((used / size) * 100),
    },
    is_working: view.run.isWorking,
    needs_person: needsPerson(view).length,
    teams: [...view.teams.keys()],
    agents: agentRows(view, now).map(({ name, role, team, state, task, tokens, dollars }) => ({
      ...{ name, role, team, state, task: task?.id ?? null, tokens, cost_usd: dollars },
    })),
    tasks,
  }
}
