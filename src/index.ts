/** The library. Each line here is a decision: what is exported stays. */
export { type ModelOptions, modelFrom } from './models/model-from.ts'
export { persist } from './models/persist.ts'
export { type RecordingOptions, recordModel } from './models/recording/record.ts'
export { replayModel } from './models/recording/replay.ts'
export { resolveModel } from './models/resolve-model.ts'
export type { Script } from './models/scripted/script.ts'
export { type ScriptedOptions, scriptedModel } from './models/scripted/scripted-model.ts'
export type { ModelWorld } from './models/world.ts'
export { type Clock, systemClock } from './ports/clock.ts'
export {
  type Model,
  type ModelEvent,
  ModelFailure,
  type ModelFault,
  type ModelRequest,
  malformedInput,
  type Price,
  type Reply,
  type ToolOffer,
  type Turn,
} from './ports/model.ts'
export type { Cursor, Log, LogRecord, Outcome, Presence, Recorded, RuntimeId, Store } from './ports/store.ts'
export type { Tool, ToolResult, ToolWorld, Wish } from './ports/tool.ts'
export { createRedactor, type RedactingStream, type Redactor } from './redaction/redactor.ts'
export type { AgentEvent, Stop } from './runtime/converse/agent-event.ts'
export type { Limits } from './runtime/converse/conversation.ts'
export type { Ask, AskPlan, Permission, PlanQuestion, Question } from './runtime/crew/asking.ts'
export { type Acting, openTeam, type Team, type TeamOptions } from './runtime/team.ts'
export { openSession } from './session/begin.ts'
export type { SessionOptions } from './session/open-session.ts'
export type { Permissions } from './session/permits.ts'
export type { Session, SessionEvent } from './session/session.ts'
export { SessionOpen, SessionRefused } from './session/take-lead.ts'
export { type FileStoreOptions, openFileStore } from './stores/files/file-store.ts'
export { openMemoryStore } from './stores/memory/memory-store.ts'
export type { PostgresStoreOptions } from './stores/postgres/postgres-store.ts'
export type { Answer } from './team/answer.ts'
export type { Effect } from './team/apply.ts'
export { allTasks, readyTasks } from './team/board.ts'
export type { Command, Letter, TaskChanges } from './team/command.ts'
export { TeamError } from './team/errors.ts'
export type { Author, TeamEvent } from './team/event.ts'
export { isRefusal, type Refusal, type RefusalCode } from './team/refusal.ts'
export { heldBy, roster, type TeamState, unreadOf } from './team/state.ts'
export type { TaskDraft } from './team/task.ts'
export { type MemberView, type MessageView, type TaskView, type TeamView, taskView, teamView } from './team/view.ts'
export { defineTool, type ToolDefinition } from './tools/define-tool.ts'
export { openPostgresStore, openWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts'
