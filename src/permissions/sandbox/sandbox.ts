import type { ResourceLimits } from '../processes/resource-limits.ts'

/** Limits what a command can reach, whatever the command is. Rules decide before a command runs, the sandbox while it runs. */
export interface Sandbox {
  /**
   * For a command of an agent or a hook. Until the result is released, what the command may not change is held in
   * place. `scripts` are files elsewhere that it can read.
   */
  forCommand(command: string, options?: { readonly scripts?: readonly string[] }): SandboxedStart
  /**
   * For a program that runs as long as the session and serves agents (an MCP server): it reaches what a command reaches, and
   * what the user granted it. No rule about commands opens the network to it.
   */
  forServer(grants: ServerReach): SandboxedStart
  /**
   * For a program of ours: it has no network, sees no variable of the user, and can write nothing; with `canWrite`, what a
   * command could write. With `isGit` it also reaches the repository around the workspace, which commands do not.
   */
  forOwnProgram(options?: { readonly canWrite?: boolean; readonly isGit?: boolean }): SandboxedStart
}

/** What a server may reach besides what a command may; all real paths. */
export interface ServerReach {
  readonly hasNetwork: boolean
  /** Folders it may write to. */
  readonly writable: readonly string[]
  /** Files and folders it may read: its own program, for one. */
  readonly readable: readonly string[]
  /** A folder that only this program sees as its home; without it the one that commands see. */
  readonly home?: string | undefined
  /** Files and folders of the workspace that it cannot see. A folder that is missing does not come into being while it runs. */
  readonly hidden?: readonly { readonly path: string; readonly isFolder: boolean }[] | undefined
  /** False: it gets no variable that the user lets commands see by name. */
  readonly hasGrantedVariables?: boolean | undefined
}

/** How to start a program so that it runs in the sandbox. */
export interface SandboxedStart {
  /** Stands before the program and its arguments. */
  readonly prefix: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly hasNetwork: boolean
  /** Its processes have a namespace of their own, which ends with the first of them. */
  readonly hasOwnProcesses: boolean
  readonly limits: ResourceLimits
  /** Aborted when the command did what it may not do and must be ended at once. */
  readonly violated?: AbortSignal
  /** Call it when no process of the command runs any more. Returns what the command did that was undone, for its result. */
  release(): readonly string[]
}
