import type { Stop } from '../agent/agent-event.ts'
import type { SessionEvent } from '../agent/session-event.ts'
import type { TeamHandle } from '../journal/team-handle.ts'
import type { ServerStatus } from '../mcp/client/servers.ts'
import type { OpenedSandbox } from '../permissions/sandbox/open-sandbox.ts'
import type { UnfinishedTasks } from '../supervisor/supervisor.ts'

/** One conversation with a lead, which is a team. It outlives the process and can be resumed. */
export interface Session extends AsyncDisposable {
  /** The team's name; `openSession({ team: id })` resumes it. */
  readonly id: string
  readonly team: TeamHandle
  readonly model: string
  /** Names of the tools the lead is offered. */
  readonly tools: readonly string[]
  /** The MCP servers that are configured, and what became of each. */
  readonly mcpServers: readonly ServerStatus[]
  /** Prompts of MCP servers, as they are typed behind a slash. */
  readonly prompts: readonly { readonly name: string; readonly about: string }[]
  /**
   * A prompt that a person typed, with what it names of MCP servers: `/mcp__server__prompt words` becomes that prompt, and
   * behind `@server:uri` the resource is added. Rejects with the reason where that is not possible.
   */
  expandPrompt(prompt: string): Promise<string>
  /** Resolves when it is known which tools MCP servers have, or that one does not come. A run waits for it by itself. */
  toolsReady(signal?: AbortSignal): Promise<void>
  /** Tasks that are not completed, by team; teams without any are left out. */
  readonly left: readonly UnfinishedTasks[]
  /** Whether commands run in a sandbox. Without one they can alter the team's files. */
  readonly sandbox: OpenedSandbox['state']
  /**
   * Gives `prompt`, if any, to the lead and runs until all agents are finished. One run at a time. Leaving the loop
   * early, or aborting, stops the run; the session stays resumable. `typed` is what a person typed of the prompt: files and folders
   * that it names behind `@` are attached, as the lead may read them. Text of others does not belong there.
   */
  run(prompt?: string, signal?: AbortSignal, typed?: string): AsyncGenerator<SessionEvent, Stop>
  /**
   * Summarises the conversation now, with an emphasis on `focus`, to free context. All of it stays in the transcript.
   * The text of the returned `Stop` says what was done.
   */
  compact(focus?: string, signal?: AbortSignal): AsyncGenerator<SessionEvent, Stop>
  /** Asks the members of scaled roles to stop, where `keepsMembers` lets them stay between runs. */
  endMembers(): Promise<void>
  /** Aborted as soon as the session is closed, by any caller: no run begins after that. */
  readonly closing: AbortSignal
  /** Ends everything it started. The session can be opened again, in this or another process. */
  close(): Promise<void>
}
