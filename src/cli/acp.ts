import { isAbsolute, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { serveAcp, type WantedSession } from '../acp/agent/serve-acp.ts'
import type { OpenControl } from '../session/control/open-control.ts'
import { closePersonSession, openPersonSession } from './interactive/person-session.ts'
import { warn } from './output/print.ts'
import { name } from './program/arguments.ts'
import type { Call } from './program/context.ts'
import { Misused } from './program/failure.ts'
import type { SubCommand } from './program/sub-command.ts'
import { version } from './program/version.ts'
import { agentsOption } from './run/agents-option.ts'
import { chooseSession } from './run/choose-session.ts'
import { defineSessionOptions, existingFolder, type RunOptions, settingsOf } from './run/options.ts'
import { readSessions } from './sessions/read-sessions.ts'
import { openStore } from './workspace/open-store.ts'
import { readSettings } from './workspace/read-settings.ts'

/** `deskmates acp`: an editor is the front end. It starts this program and speaks the Agent Client Protocol on its streams. */
export const acp: SubCommand<RunOptions> = {
  example: `$ deskmates acp -m anthropic/claude-sonnet-4-5

In the settings of Zed:
{"agent_servers": {"deskmates": {"command": "deskmates", "args": ["acp"]}}}`,
  instead: () => 'Agents are in their session already.',
  define: defineSessionOptions,
  async run(call, options) {
    if (call.isStdinTerminal)
      throw new Misused('An editor starts this command and speaks a protocol with it. For a terminal: deskmates')
    await serveAcp({
      input: Readable.toWeb(Readable.from(call.stdin)) as ReadableStream<Uint8Array>,
      output: outputOf(call),
      version,
      signal: call.signal,
      open: (wanted) => openFor(call, options, wanted),
      async list(cwd) {
        const here = placed(call, cwd)
        await using workspace = await openStore(here)
        return (await readSessions(here, workspace)).map(({ name, title, usedAt }) => ({
          ...{ sessionId: name, cwd, title, updatedAt: new Date(usedAt * 1000).toISOString() },
        }))
      },
    })
  },
}

/** The session and its workspace, which are closed together. */
async function openFor(call: Call, options: RunOptions, wanted: WantedSession): Promise<OpenControl> {
  const { cwd, id, folders, servers } = wanted
  const here = placed(call, cwd)
  const workspace = await openStore(here)
  const warning = (message: string) => void warn(call, message)
  try {
    const resume = id === undefined ? undefined : name(id)
    const team = resume === undefined ? undefined : await chooseSession(here, { resume }, workspace)
    const loaded = await readSettings(here, workspace, settingsOf(options), options.settings)
    const added = [...(options.addDir ?? []).map((dir) => resolve(call.cwd, dir)), ...folders].map(existingFolder)
    const control = await openPersonSession(
      {
        ...{ call: here, options, loaded, workspace, cwd, folders: added, editorServers: servers },
        wanted: { team, isNew: team === undefined },
        agentTypes: agentsOption(options.agents, warning),
      },
      warning,
    )
    return {
      ...control,
      async [Symbol.asyncDispose]() {
        await closePersonSession(control, workspace, team === undefined)
        await workspace[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await workspace[Symbol.asyncDispose]()
    throw error
  }
}

/** An editor says for each session in which folder it works. */
function placed(call: Call, cwd: string): Call {
  if (!isAbsolute(cwd)) throw new Misused(`The folder of a session is an absolute path, not ${JSON.stringify(cwd)}.`)
  const { team: _1, cwd: _2, ...globals } = call.globals
  return { ...call, cwd, globals }
}

/** Output passes the redaction of every command, as text. */
function outputOf({ stdout }: Call): WritableStream<Uint8Array> {
  const decoder = new TextDecoder()
  return new WritableStream({
    write: (bytes) =>
      new Promise((resolve, reject) =>
        stdout.write(decoder.decode(bytes, { stream: true }), (error) => (error ? reject(error) : resolve())),
      ),
  })
}
