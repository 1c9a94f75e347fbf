import { existsSync, statSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { MODES } from '../../permissions/rules/modes.ts'
import { parseRules } from '../../permissions/rules/parse-rule.ts'
import type { Mode } from '../../permissions/rules/policy.ts'
import type { SandboxMode } from '../../permissions/sandbox/open-sandbox.ts'
import { SANDBOX_MODES } from '../../permissions/sandbox/sandbox-modes.ts'
import { CONTROL_ACCESS, type ControlAccess } from '../../session/control/control-access.ts'
import type { Settings } from '../../settings/settings.ts'
import { isUuid } from '../../team/members/session-id.ts'
import { list, name } from '../program/arguments.ts'
import { Misused } from '../program/failure.ts'
import { count, dollars } from './amounts.ts'

export const FORMATS = ['text', 'json', 'stream-json'] as const
export type Format = (typeof FORMATS)[number]
const INPUT_FORMATS = ['text', 'stream-json'] as const

export interface RunOptions {
  readonly print?: string | true
  readonly inputFormat?: (typeof INPUT_FORMATS)[number]
  readonly includePartialMessages?: true
  readonly jsonSchema?: string
  readonly sessionId?: string
  readonly forkSession?: true
  readonly settings?: string
  readonly agents?: string
  readonly outputFormat?: Format
  readonly model?: string
  readonly fallbackModel?: string[]
  readonly maxTurns?: number
  readonly maxBudgetUsd?: number
  readonly permissionMode?: Mode
  readonly dangerouslySkipPermissions?: true
  readonly allowedTools?: string[]
  readonly disallowedTools?: string[]
  readonly sandbox?: SandboxMode
  readonly continue?: true
  readonly resume?: string | true
  readonly here?: true
  readonly appendSystemPrompt?: string
  readonly addDir?: string[]
  readonly record?: string
  readonly verbose?: true
  readonly mcpConfig?: string[]
  readonly strictMcpConfig?: true
  readonly control?: ControlAccess
  readonly screenReader?: true
  readonly statusLine?: string
}

export function defineOptions(command: Command): void {
  command.name('-p').usage("'what to do' [options]").argument('[prompt...]')
  const options = [
    new Option('-p, --print [prompt]', 'run this prompt and print the answer; text from stdin is appended'),
    new Option('-c, --continue', 'resume the newest session of this folder'),
    new Option('-r, --resume [session]', 'resume this session, or choose one on a terminal').argParser(name),
    new Option('--session-id <uuid>', 'the id of the new session').argParser(sessionId),
    new Option('--fork-session', 'with -c or -r: a new session with the conversation of its lead, nothing else'),
    new Option('--input-format <format>', 'text, or stream-json: messages as JSON lines on stdin').choices(
      INPUT_FORMATS,
    ),
    new Option('--include-partial-messages', 'with stream-json output: parts of answers while they stream'),
    new Option('--json-schema <schema>', 'the answer is JSON that fits this JSON Schema (or file)'),
    new Option('--control <access>', 'what other terminals may do without a sandbox: watch, or full').choices(
      CONTROL_ACCESS,
    ),
    new Option('--screen-reader', 'on a terminal: plain lines, nothing is drawn again'),
    new Option('--status-line <command>', 'on a terminal: draw what it prints below the prompt; it gets JSON on stdin'),
  ]
  for (const option of options) command.addOption(option)
  defineRunOptions(command)
}

/** The options of `-p` and `resume`. */
export function defineRunOptions(command: Command): void {
  const options = [
    new Option('--output-format <format>', 'text, json (the result) or stream-json (every event)').choices(FORMATS),
    new Option('--here', 'resume here a session that belongs to another folder'),
    new Option('--record <file>', 'record requests and answers, for -m replay:FILE'),
    new Option('--verbose', 'print progress on stderr, also where it is not a terminal'),
  ]
  for (const option of options) command.addOption(option)
  defineSessionOptions(command)
}

/** What a session is opened with, whatever its front end is. */
export function defineSessionOptions(command: Command): void {
  const options = [
    new Option('-m, --model <model>', 'provider/model, scripted:FILE or replay:FILE'),
    new Option('--fallback-model <models>', 'used when the model before it fails').argParser(list),
    new Option('--max-turns <n>', 'maximum number of model calls').argParser(count),
    new Option('--max-budget-usd <dollars>', 'maximum cost in US dollars').argParser(dollars),
    new Option('--permission-mode <mode>', 'what happens where no rule applies').choices(MODES),
    new Option('--dangerously-skip-permissions', 'the same as --permission-mode bypassPermissions'),
    new Option('--allowedTools <rules>', "such as 'bash(git *),edit_file(src/**)'").argParser(rules),
    new Option('--disallowedTools <rules>', 'denied even if another rule allows it').argParser(rules),
    // Aliases, hidden to keep the help readable.
    new Option('--allowed-tools <rules>').argParser(rules).hideHelp(),
    new Option('--disallowed-tools <rules>').argParser(rules).hideHelp(),
    new Option('--sandbox <mode>', 'run commands in a sandbox: where it works, always, or never').choices(
      SANDBOX_MODES,
    ),
    new Option('--append-system-prompt <text>', 'appended to the instructions'),
    new Option('--add-dir <dir>', 'another folder that agents may read and write').argParser(another),
    new Option('--settings <file or json>', 'more settings, above those of the project'),
    new Option('--agents <json>', 'agent types for this session: {"NAME": {"description": "…", "prompt": "…"}}'),
    new Option('--mcp-config <file or json>', 'more MCP servers, as in .mcp.json').argParser(another),
    new Option('--strict-mcp-config', 'no MCP servers but those of --mcp-config'),
  ]
  for (const option of options) command.addOption(option)
}

/** The settings that the command line overrides. */
export function settingsOf(options: RunOptions): Settings {
  const { model, fallbackModel, allowedTools, disallowedTools, sandbox, statusLine } = options
  const mode = modeOf(options)
  const permissions = {
    ...(mode && { mode }),
    ...(allowedTools && { allow: allowedTools }),
    ...(disallowedTools && { deny: disallowedTools }),
  }
  return {
    ...(model !== undefined && { model }),
    ...(fallbackModel && { fallbackModels: fallbackModel }),
    ...(Object.keys(permissions).length > 0 && { permissions }),
    ...(sandbox && { sandbox: { mode: sandbox } }),
    ...(statusLine !== undefined && { statusLine: { type: 'command' as const, command: statusLine } }),
  }
}

/** --dangerously-skip-permissions is an alias for users of other programs; with another mode it contradicts. */
function modeOf({ permissionMode, dangerouslySkipPermissions }: RunOptions): Mode | undefined {
  if (!dangerouslySkipPermissions) return permissionMode
  if (permissionMode === undefined || permissionMode === 'bypassPermissions') return 'bypassPermissions'
  throw new Misused(
    `--dangerously-skip-permissions and --permission-mode ${permissionMode} contradict each other. Use one of them.`,
  )
}

/** Written in lower case, as it names files. */
function sessionId(text: string): string {
  if (isUuid(text)) return text.toLowerCase()
  throw new Misused(`--session-id: ${JSON.stringify(text.slice(0, 80))} is not a UUID. Make one with: uuidgen`)
}

function rules(text: string, before: string[] = []): string[] {
  return [...before, ...parseRules(text).map((rule) => rule.text)]
}

function another(text: string, before: string[] = []): string[] {
  return [...before, text]
}

/** A folder of `--add-dir`. */
export function existingFolder(path: string): string {
  if (existsSync(path) && statSync(path).isDirectory()) return path
  throw new Misused(`--add-dir: ${path} is not a folder. Name an existing folder.`)
}
