import { Command, CommanderError } from 'commander'
import { loadCommand } from './load-command.ts'
import { plain } from './output/format.ts'
import { print, printStderr, printStderrJson } from './output/print.ts'
import { redacted } from './output/redact-output.ts'
import { NotAName } from './program/arguments.ts'
import { AGENTS, commandGroups, commandNames, commands } from './program/commands.ts'
import type { Call, Context, Globals } from './program/context.ts'
import { EXIT, explain, isJson, Misused, OutputClosed, Refused, wantsJson } from './program/failure.ts'
import { addGlobals } from './program/globals.ts'
import { hasOnlyGlobals, meaningOf, withSeparateValues } from './program/interpret-arguments.ts'
import { optionHint } from './program/option-hints.ts'
import type { AnySubCommand } from './program/sub-command.ts'
import { version } from './program/version.ts'

/** Runs one command line and resolves to its exit code. Never rejects, and shows no secret. */
export async function runCommandLine(argv: readonly string[], outside: Context): Promise<number> {
  const { context, flush } = redacted(outside)
  try {
    // A shell asks for the words that could follow; see `completion`.
    if (argv[0] === 'complete' && argv[1] === '--') {
      await (await import('./completion/complete.ts')).complete(argv.slice(2), context)
      return EXIT.done
    }
    return await runCommand(argv, context)
  } finally {
    await flush()
  }
}

async function runCommand(argv: readonly string[], context: Context): Promise<number> {
  const help: string[] = []
  const usage: string[] = []
  const running: Running = { writes: false, exit: EXIT.done }
  try {
    const program = buildProgram()
    program.configureOutput({
      writeOut: (text) => help.push(text),
      writeErr: (text) => usage.push(text),
      // Reported below, as text or JSON.
      outputError: () => {},
    })
    addCommands(program, context, running)
    // `help task claim`: commander's own help command accepts only one word.
    if (argv[0] === 'help') requireKnownCommand(argv.slice(1))
    await program.parseAsync(commanderArguments(argv, context), { from: 'user' })
    return running.exit
  } catch (error) {
    if (error instanceof OutputClosed) {
      if (!running.writes) return error.isReaderGone ? EXIT.done : report(error.withOutcome(NOT_CHANGED), argv, context)
      return report(error.withOutcome(COMPLETED), argv, context)
    }
    if (!(error instanceof CommanderError)) return report(error, argv, context)
    if (error.exitCode === 0) return show(help.join(''), context)
    if (usage.length === 0) {
      return report(new Misused(usageError(error, argv)), argv, context)
    }
    if (wantsJson(argv)) return report(new Misused(`No command given. See: ${helpFor(argv)}`), argv, context)
    await printStderr(context, usage.join(''))
    return EXIT.misused
  }
}

/** A command that writes prints after it has written. */
const COMPLETED =
  'The command was carried out; only its output is missing. Do not repeat it: show the current state instead. With a --command-id the same command may be repeated and prints the same output.'
const NOT_CHANGED = 'Nothing was changed. Print to another place, or free some space, and retry.'

interface Running {
  writes: boolean
  exit: number
}

/** The arguments for commander, which needs a name for every command and knows no list separated by spaces. */
function commanderArguments(argv: readonly string[], { isTerminal, isStdinTerminal }: Partial<Context> = {}): string[] {
  // Alone, on a terminal: the conversation with the lead.
  if (hasOnlyGlobals(argv) && !argv.includes('--json') && isTerminal && isStdinTerminal) return [RUN, ...argv]
  if (argv[0] === 'help') return [...argv.slice(1), '--help']
  const meaning = meaningOf(argv)
  if (meaning === 'version') return ['--version']
  const isResume = argv.includes('resume')
  if (meaning === 'command') return isResume ? withSeparateValues(argv) : [...argv]
  return [RUN, ...withSeparateValues(argv)]
}

/** Commander's error with the next step for the user. */
function usageError(error: CommanderError, argv: readonly string[]): string {
  const what = error.message.replace(/^error: /, '')
  const [wrong = '', similar] = what.split(/\n\(Did you mean (.*)\?\)$/s)
  const [, option = ''] = /^unknown option '([^'=]+)/.exec(what) ?? []
  const instead = optionHint(option)
  if (instead !== undefined) return `There is no option ${option}. ${instead}. See: ${helpFor(argv)}`
  return `${wrong.replace(/\.$/, '')}.${similar ? ` Did you mean ${similar}?` : ''} See: ${helpFor(argv)}`
}

/** Commander would show the general help for `help bogus`. */
function requireKnownCommand([first, second]: readonly string[]): void {
  if (first === undefined || first.startsWith('-')) return
  const [path] = known(first, second)
  if (path === undefined) throw new Misused(`There is no command ${JSON.stringify(first)}. See: deskmates --help`)
  if (path === first && second !== undefined && Object.hasOwn(commandGroups, first))
    throw new Misused(`There is no command ${JSON.stringify(`${first} ${second}`)}. See: deskmates ${first} --help`)
}

/** The command or group that the words name: `task add`, `task`, or none. */
function known(first: string | undefined, second: string | undefined): string[] {
  return [`${first} ${second}`, `${first}`].filter((path) => commandNames.has(path) || path === 'help')
}

/** The command that shows help for what was probably meant. */
function helpFor(argv: readonly string[]): string {
  if (commanderArguments(argv)[0] === RUN) return 'deskmates -p --help'
  const [first, second] = argv.filter((word) => !word.startsWith('-'))
  return ['deskmates', ...known(first, second).slice(0, 1), '--help'].join(' ')
}

function buildProgram(): Command {
  return new Command('deskmates')
    .description('Runs AI agents on your repository, one or a team of them, with a shared board and durable mail.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .configureHelp({ subcommandTerm: (command) => (command.name() === RUN ? "'what to do'" : command.name()) })
    .exitOverride()
    .enablePositionalOptions()
}

function addCommands(program: Command, context: Context, running: Running): void {
  const groups = new Map<string, Command>()
  const loaders = new Map<Command, () => Promise<AnySubCommand>>()
  addGlobals(program)
  const run = program.command(RUN).summary('one prompt, one answer (the same as -p); see: deskmates -p --help')
  loaders.set(run.helpGroup(AGENTS), async () => (await import('./prompt-command.ts')).promptCommand)
  for (const { path, summary, ...listed } of commands) {
    const [name = '', group] = path.split(' ').reverse()
    const parent = group === undefined ? program : (groups.get(group) ?? addGroup(program, group))
    if (group !== undefined) groups.set(group, parent)
    const command = parent.command(name, { isDefault: 'isDefault' in listed }).description(summary)
    if ('section' in listed) command.helpGroup(listed.section)
    loaders.set(command, loadCommand[path])
  }
  for (const parent of [program, ...groups.values()]) {
    // Only the command that was typed is loaded.
    parent.hook('preSubcommand', async (_parent, command) => {
      const module = await loaders.get(command)?.()
      if (module) prepare(command, module, context, running)
    })
  }
}

function addGroup(program: Command, name: string): Command {
  const { summary, section } = commandGroups[name]!
  return addGlobals(program.command(name).description(summary).helpGroup(section))
}

/** The name by which commander knows a prompt, which has no command name of its own. */
const RUN = ':run'

function prepare(command: Command, module: AnySubCommand, context: Context, running: Running): void {
  module.define(command)
  addGlobals(command)
  command.addHelpText('after', `\nExample:\n${module.example.replace(/^(?=.)/gm, '  ')}`)
  command.action(async (...given: unknown[]) => {
    const args = given.slice(0, -2) as string[]
    const { team: _1, cwd: _2, store: _3, commandId: _4, json: _5, ...options } = command.opts()
    const globals = globalsOf(command)
    const call: Call = { ...context, globals: { ...globals, json: globals.json || isJson(options.outputFormat) } }
    const instead = module.instead?.(options)
    running.writes = instead !== undefined
    if (instead !== undefined && context.env.DESKMATES_AGENT) throw new AgentsUseTools(command, instead)
    const invalid = [...given.slice(0, -2), ...Object.values(options)].find((value) => value instanceof NotAName)
    if (invalid) throw await (await import('./workspace/not-a-member.ts')).notAMember(call, invalid)
    running.exit = (await module.run(call, options, ...args)) ?? EXIT.done
  })
}

class AgentsUseTools extends Refused {
  constructor(command: Command, instead: string) {
    const path = `${command.parent?.parent ? `${command.parent.name()} ` : ''}${command.name()}`
    const message = `Agents do not run \`deskmates ${path}\` (DESKMATES_AGENT is set). ${instead}`
    super({ code: 'agents_use_tools', message })
  }
}

function globalsOf(command: Command): Globals {
  const chain: Command[] = []
  for (let at: Command | null = command; at; at = at.parent) chain.unshift(at)
  const { team, cwd, store, commandId, json } = Object.assign({}, ...chain.map(givenGlobals)) as Partial<Globals>
  return { team, cwd, store, commandId, json: json === true }
}

function givenGlobals(command: Command): Partial<Globals> {
  const { team, cwd, store, commandId, json } = command.opts()
  return Object.fromEntries(
    Object.entries({ team, cwd, store, commandId, json }).filter(([, value]) => value !== undefined),
  )
}

async function report(error: unknown, argv: readonly string[], context: Context): Promise<number> {
  const { code, message, exit } = explain(error, context.env)
  if (wantsJson(argv)) await printStderrJson(context, { error: { code, message } })
  else await printStderr(context, `deskmates: ${plain(message)}\n`)
  return exit
}

async function show(text: string, context: Context): Promise<number> {
  await print(context, text).catch(() => {})
  return EXIT.done
}
