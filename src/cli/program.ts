import { Command, CommanderError, Option } from 'commander'
import { commandId, NotAName, name } from './arguments.ts'
import { commandNames, commands } from './commands.ts'
import type { Call, Context, Globals } from './context.ts'
import { EXIT, explain, Misused, OutputClosed, Refused } from './failure.ts'
import { otherProgramsOption } from './other-programs.ts'
import { print, talk, talkJson } from './print.ts'
import { meaningOf, withSeparateValues } from './read-words.ts'
import { redacted } from './redacted.ts'
import { plain } from './screen.ts'
import type { AnySubCommand } from './sub-command.ts'
import { version } from './version.ts'
import { isJson, wantsJson } from './wants-json.ts'

/** Runs one command line and resolves to its exit code. Never rejects, and shows no secret. */
export async function runCommandLine(argv: readonly string[], outside: Context): Promise<number> {
  const { context, flush } = redacted(outside)
  try {
    return await runCommand(argv, context)
  } finally {
    await flush()
  }
}

async function runCommand(argv: readonly string[], context: Context): Promise<number> {
  const help: string[] = []
  const talked: string[] = []
  const running: Running = { writes: false, exit: EXIT.done }
  try {
    const program = buildProgram()
    program.configureOutput({
      writeOut: (text) => help.push(text),
      writeErr: (text) => talked.push(text),
      // Reported below, in the form that was asked for.
      outputError: () => {},
    })
    addCommands(program, context, running)
    // `help task claim` as people say it; commander's own help command knows one word.
    if (argv[0] === 'help') mustBeKnown(argv.slice(1))
    await program.parseAsync(wordsOf(argv), { from: 'user' })
    return running.exit
  } catch (error) {
    if (error instanceof OutputClosed) {
      if (!running.writes) return error.isReaderGone ? EXIT.done : report(error.saying(TRY_AGAIN), argv, context)
      return report(error.saying(IS_DONE), argv, context)
    }
    if (!(error instanceof CommanderError)) return report(error, argv, context)
    if (error.exitCode === 0) return show(help.join(''), context)
    if (talked.length === 0) {
      return report(new Misused(inOurWords(error, argv)), argv, context)
    }
    if (wantsJson(argv)) return report(new Misused(`No command given. See: ${helpFor(argv)}`), argv, context)
    await talk(context, talked.join(''))
    return EXIT.misused
  }
}

/** A command that writes prints when it has written. */
const IS_DONE =
  'What was asked for was done; only its answer is missing. Do not repeat it: look what is there now. With a --command-id the same command may be repeated and prints that answer.'
const TRY_AGAIN = 'Nothing was changed. Write it elsewhere, or make room, and ask again.'

interface Running {
  writes: boolean
  exit: number
}

/** As commander is to read them: it wants a name for everything, and knows no list that is separated by spaces. */
function wordsOf(argv: readonly string[]): string[] {
  if (argv[0] === 'help') return [...argv.slice(1), '--help']
  const meaning = meaningOf(argv)
  if (meaning === 'version') return ['--version']
  const isResume = argv.includes('resume')
  if (meaning === 'command') return isResume ? withSeparateValues(argv) : [...argv]
  return [RUN, ...withSeparateValues(argv)]
}

/** What commander found wrong, and the next step. */
function inOurWords(error: CommanderError, argv: readonly string[]): string {
  const what = error.message.replace(/^error: /, '')
  const [wrong, similar] = what.split(/\n\(Did you mean (.*)\?\)$/s)
  const [, option = ''] = /^unknown option '([^'=]+)/.exec(what) ?? []
  const instead = otherProgramsOption(option)
  if (instead !== undefined) return `There is no option ${option}. ${instead}. See: ${helpFor(argv)}`
  return `${wrong}.${similar ? ` Did you mean ${similar}?` : ''} See: ${helpFor(argv)}`
}

/** `help bogus` is no wish for the general help. */
function mustBeKnown([first, second]: readonly string[]): void {
  if (first === undefined || first.startsWith('-')) return
  const [path] = known(first, second)
  if (path === undefined) throw new Misused(`There is no command ${JSON.stringify(first)}. See: deskmates --help`)
  if (path === first && second !== undefined && commands.some(({ group }) => group?.name === first))
    throw new Misused(`There is no command ${JSON.stringify(`${first} ${second}`)}. See: deskmates ${first} --help`)
}

/** Which of the words name a command, or a group of them: `task add`, `task`, or none. */
function known(first: string | undefined, second: string | undefined): string[] {
  return [`${first} ${second}`, `${first}`].filter((path) => commandNames.has(path) || path === 'help')
}

/** Where the command that was meant is explained, as far as the words tell. */
function helpFor(argv: readonly string[]): string {
  if (wordsOf(argv)[0] === RUN) return 'deskmates -p --help'
  const [first, second] = argv.filter((word) => !word.startsWith('-'))
  return ['deskmates', ...known(first, second).slice(0, 1), '--help'].join(' ')
}

function buildProgram(): Command {
  return new Command('deskmates')
    .description('A team at work on your repository: a shared board and mail that cannot get lost.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText(
      'after',
      "\nAgents:\n  deskmates 'what to do'     one prompt, one answer (the same as -p); see deskmates -p --help",
    )
    .exitOverride()
    .enablePositionalOptions()
}

function addCommands(program: Command, context: Context, running: Running): void {
  const groups = new Map<string, Command>()
  const modules = new Map<Command, () => Promise<AnySubCommand>>()
  addGlobals(program)
  for (const { group, name, summary, isDefault, load } of commands) {
    let parent = program
    if (group) {
      parent = groups.get(group.name) ?? addGlobals(program.command(group.name).description(group.summary))
      groups.set(group.name, parent)
    }
    modules.set(parent.command(name, { isDefault: isDefault === true }).description(summary), load)
  }
  modules.set(program.command(RUN, { hidden: true }), async () => (await import('./run/run.ts')).run)
  for (const parent of [program, ...groups.values()]) {
    // A sub-command is loaded when it is the one that was asked for.
    parent.hook('preSubcommand', async (_parent, command) => {
      const module = await modules.get(command)?.()
      if (module) prepare(command, module, context, running)
    })
  }
}

/** Stands in front of `-p …`, which has no name of its own, so that commander sees one more command. */
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
    const stranger = [...given.slice(0, -2), ...Object.values(options)].find((value) => value instanceof NotAName)
    if (stranger) throw await (await import('./not-a-member.ts')).notAMember(call, stranger)
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

/** The same options at every level, because people put them anywhere. What stands further right counts. */
function addGlobals(command: Command): Command {
  const options = [
    new Option('--team <team>', 'the team (DESKMATES_TEAM; else default)').argParser(name),
    new Option('--cwd <dir>', 'work as if started in this folder'),
    new Option('--store <store>', 'files, or postgres://… for many machines (DESKMATES_STORE)'),
    new Option('--command-id <id>', 'a repeated command returns the first answer').argParser(commandId),
    new Option('--json', 'print JSON on stdout'),
  ]
  for (const option of options) command.addOption(option.helpGroup('Global options:'))
  return command
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
  if (wantsJson(argv)) await talkJson(context, { error: { code, message } })
  else await talk(context, `deskmates: ${plain(message)}\n`)
  return exit
}

async function show(text: string, context: Context): Promise<number> {
  await print(context, text).catch(() => {})
  return EXIT.done
}
