/** The library. Each line here is a decision: what is exported stays. */

export type { Limits } from './agent/agent.ts'
export type { AgentEvent, Stop } from './agent/agent-event.ts'
export type { Ask, AskPlan, PersonAnswer, PlanQuestion, Question } from './agent/questions.ts'
export type { SessionEvent } from './agent/session-event.ts'
export { type Clock, systemClock } from './journal/clock.ts'
export type { Cursor } from './journal/log/cursor.ts'
export type { Log, LogRecord, Outcome, Presence, Recorded, RuntimeId, Store } from './journal/log/store.ts'
export { type Acting, openTeam, type TeamHandle as Team, type TeamOptions } from './journal/team-handle.ts'
export { malformedInput } from './models/malformed-input.ts'
export {
  type Model,
  type ModelEvent,
  ModelFailure,
  type ModelFault,
  type ModelRequest,
  type Price,
  type Reply,
  type ToolOffer,
  type Turn,
} from './models/model.ts'
export { type ModelOptions, modelFrom } from './models/providers/model-from.ts'
export { type RecordingOptions, recordModel } from './models/recording/record.ts'
export { replayModel } from './models/recording/replay.ts'
export { resolveModel } from './models/resolve-model.ts'
export { withRetries } from './models/retry.ts'
export type { Script } from './models/scripted/script.ts'
export { type ScriptedOptions, scriptedModel } from './models/scripted/scripted-model.ts'
export type { ModelServices } from './models/services.ts'
export type { Action } from './permissions/permission.ts'
export type { PermissionSettings } from './permissions/rules/policy.ts'
export { createRedactor, type RedactingStream, type Redactor } from './redaction/redactor.ts'
export { openSession } from './session/lazy-open-session.ts'
export type { Session } from './session/session.ts'
export type { SessionOptions } from './session/session-options.ts'
export { type FileStoreOptions, openFileStore } from './stores/files/store.ts'
export { openMemoryStore } from './stores/memory/store.ts'
export type { PostgresStoreOptions } from './stores/postgres/store.ts'
export { SessionOpen, SessionRefused } from './supervisor/lead/take-lead.ts'
export type { Answer } from './team/answers/answer.ts'
export {
  type MemberView,
  type MessageView,
  type TaskView,
  type TeamView,
  taskView,
  teamView,
} from './team/answers/view.ts'
export { allTasks, readyTasks } from './team/board/board.ts'
export type { Command, MessageDraft, TaskChanges } from './team/command.ts'
export { TeamError } from './team/errors.ts'
export type { Author, TeamEvent } from './team/event.ts'
export type { Effect } from './team/message.ts'
export { isRefusal, type Refusal, type RefusalCode } from './team/refusal.ts'
export { refusalText } from './team/refusal-text.ts'
export { heldBy, roster, type TeamState, unreadOf } from './team/state.ts'
export type { TaskDraft } from './team/task.ts'
export { defineTool, type ToolDefinition } from './tools/define-tool.ts'
export type { Tool, ToolContext, ToolResult } from './tools/tool.ts'
export { openPostgresStore, openWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts'
