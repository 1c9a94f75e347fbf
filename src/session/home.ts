import type { AlarmClock } from '../ports/clock.ts'
import type { Model } from '../ports/model.ts'
import type { Store } from '../ports/store.ts'
import type { Boundary, Tool } from '../ports/tool.ts'
import type { Eraser } from '../redaction/eraser.ts'
import type { Limits, Used } from '../runtime/converse/conversation.ts'
import type { AskPlan } from '../runtime/crew/asking.ts'
import type { CrewSettings } from '../runtime/crew/crew-plan.ts'
import type { AgentType } from '../tools/agents/agent-type.ts'
import type { Hooks } from '../tools/hooks/hooks.ts'
import type { Spelling } from '../tools/team/spelling.ts'
import type { Askers } from './asker.ts'
import type { Asker, Permits } from './permits.ts'
import type { SessionEvent } from './session.ts'

/** What all agents of a session share. */
export interface Home {
  readonly store: Store
  readonly clock: AlarmClock
  readonly model: Model
  /** Another model by its name. */
  modelFor(name: string): Promise<Model>
  readonly root: string
  readonly folders: readonly string[]
  /** Takes the user's secrets out of what is written and told; undefined where there are none. */
  readonly eraser?: Eraser | undefined
  readonly env: Readonly<Record<string, string>>
  /** Where large outputs of a team's agents are kept, a folder each. */
  outputsOf(team: string): string
  /** Nobody has more rights than the lead; who only looks has less. Without an asker nobody is asked. */
  permits(isReadOnly: boolean, isSentOut?: boolean, asker?: Asker): Permits
  readonly askers: Askers
  readonly askPlan?: AskPlan | undefined
  /** Keeps commands in, where that works and is wanted. */
  readonly boundary?: Boundary | undefined
  readonly hooks?: Hooks | undefined
  readonly agentTypes: readonly AgentType[]
  /** Of the user, besides ours; for everybody. */
  readonly tools: readonly Tool[]
  /** For the lead alone. */
  readonly leadTools: readonly Tool[]
  /** What people wrote down for agents; for everybody. */
  readonly instructions?: string | undefined
  readonly spelling: Spelling
  readonly limits: Limits
  readonly maxOutput?: number | undefined
  readonly appendSystemPrompt?: string | undefined
  readonly crew: CrewSettings
  /** The run that lasts, or the last one. */
  readonly run: Run
}

export interface Run {
  used: Used
  /** Where events go. */
  tell: (event: SessionEvent) => void
  /** Why the last run ended in the middle of the work, if it did. */
  endedBy?: string | undefined
  /** Aborts it; resolves when nothing of it runs any more. */
  end: () => Promise<void>
}
