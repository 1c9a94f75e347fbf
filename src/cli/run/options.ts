import { type Command, Option } from 'commander'
import { MODES, type Mode } from '../../permissions/rules/policy.ts'
import { parseRules } from '../../permissions/rules/rule.ts'
import { SANDBOX_MODES, type SandboxMode } from '../../permissions/sandbox/open-sandbox.ts'
import type { Settings } from '../../settings/settings.ts'
import { list, name } from '../program/arguments.ts'
import { Misused } from '../program/failure.ts'

export const FORMATS = ['text', 'json', 'stream-json'] as const
export type Format = (typeof FORMATS)[number]

export interface RunOptions {
  readonly print?: string | true
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
}

export function defineOptions(command: Command): void {
  command.name('-p').usage("'what to do' [options]").argument('[prompt...]')
  const options = [
    new Option('-p, --print [prompt]', 'do this and print the answer; what stdin holds comes behind it'),
    new Option('-c, --continue', 'go on with the newest session of this folder'),
    new Option('-r, --resume [session]', 'go on with this session (deskmates sessions lists them)').argParser(name),
  ]
  for (const option of options) command.addOption(option)
  defineRunOptions(command)
}

/** Those of every run, whatever it begins with. */
export function defineRunOptions(command: Command): void {
  const options = [
    new Option('--output-format <format>', 'text, json (the result) or stream-json (all as it happens)').choices(
      FORMATS,
    ),
    new Option('-m, --model <model>', 'provider/model, scripted:FILE or replay:FILE'),
    new Option('--fallback-model <models>', 'asked when the one before has failed').argParser(list),
    new Option('--max-turns <n>', 'calls of the model at most').argParser(count),
    new Option('--max-budget-usd <dollars>', 'money at most').argParser(dollars),
    new Option('--permission-mode <mode>', 'what happens where no rule speaks').choices(MODES),
    new Option('--dangerously-skip-permissions', 'the same as --permission-mode bypassPermissions'),
    new Option('--allowedTools <rules>', "such as 'bash(git *),edit_file(src/**)'").argParser(rules),
    new Option('--disallowedTools <rules>', 'denied whatever else allows it').argParser(rules),
    // The same in another spelling; to show both would leave no room for what they mean.
    new Option('--allowed-tools <rules>').argParser(rules).hideHelp(),
    new Option('--disallowed-tools <rules>').argParser(rules).hideHelp(),
    new Option('--sandbox <mode>', 'keeps commands in: where it works, or not at all').choices(SANDBOX_MODES),
    new Option('--here', 'go on in this folder with a session that belongs to another one'),
    new Option('--append-system-prompt <text>', 'stands at the end of the instructions'),
    new Option('--add-dir <dir>', 'a further folder to read and write in').argParser(another),
    new Option('--record <file>', 'keep what the model was asked and answered, for -m replay:FILE'),
    new Option('--verbose', 'say on stderr what happens, also where it is no terminal'),
  ]
  for (const option of options) command.addOption(option)
}

/** What the command line says about settings. */
export function settingsOf(options: RunOptions): Settings {
  const { model, fallbackModel, allowedTools, disallowedTools, sandbox } = options
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
  }
}

/** Another name that users of other programs know; together with another mode it is not clear what is meant. */
function modeOf({ permissionMode, dangerouslySkipPermissions }: RunOptions): Mode | undefined {
  if (!dangerouslySkipPermissions) return permissionMode
  if (permissionMode === undefined || permissionMode === 'bypassPermissions') return 'bypassPermissions'
  throw new Misused(
    `--dangerously-skip-permissions and --permission-mode ${permissionMode} contradict each other. Use one of them.`,
  )
}

function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new Misused(`${JSON.stringify(text)} is not a number of turns. Use 1 or more.`)
  return Number(text)
}

function dollars(text: string): number {
  const value = /^\d{1,9}(\.\d+)?$/.test(text) ? Number(text) : 0
  if (value <= 0) throw new Misused(`${JSON.stringify(text)} is not an amount of US dollars. Write 2 or 0.50.`)
  return value
}

function rules(text: string, before: string[] = []): string[] {
  return [...before, ...parseRules(text).map((rule) => rule.text)]
}

function another(text: string, before: string[] = []): string[] {
  return [...before, text]
}
