import { Command, type Option } from 'commander'
import { isPresent } from '../../team/members/member.ts'
import { roster } from '../../team/state.ts'
import { loadCommand } from '../load-command.ts'
import { oneLine } from '../output/format.ts'
import { print } from '../output/print.ts'
import { commandGroups, commands } from '../program/commands.ts'
import type { Context } from '../program/context.ts'
import { addGlobals } from '../program/globals.ts'
import { openStore } from '../workspace/open-store.ts'
import { withTeam } from '../workspace/open-team.ts'

/** A word that could be written here, and what it is. */
interface Suggestion {
  readonly value: string
  readonly about: string
}

/**
 * `deskmates complete -- WORDS…`, as the scripts of `completion.ts` call it: prints what the last of the words could be. It only
 * reads, and where something fails it suggests nothing: a shell that waits for words must not see an error.
 */
export async function complete(words: readonly string[], context: Context): Promise<void> {
  const last = words.at(-1) ?? ''
  const suggestions = await suggestionsFor(words.slice(0, -1), last, context).catch(() => [])
  const fitting = suggestions.filter(({ value }) => value.startsWith(last))
  await print(context, fitting.map(({ value, about }) => `${value}\t${oneLine(about, 60)}\n`).join(''))
}

async function suggestionsFor(before: readonly string[], last: string, context: Context): Promise<Suggestion[]> {
  const typed = commands.find(({ path }) => isTyped(path, before))
  const defined = addGlobals(new Command())
  if (typed) (await loadCommand[typed.path]()).define(defined)
  else (await import('../run/options.ts')).defineOptions(defined)

  const option = defined.options.find(({ short, long }) => before.length > 0 && [short, long].includes(before.at(-1)))
  if (option && (option.required || option.optional))
    return namesFor(usageWord(option), option.argChoices, before, context)
  if (last.startsWith('-'))
    return defined.options.map(({ long, description }) => ({ value: long ?? '', about: description }))
  if (!typed) return commandsAfter(before)
  const place = wordsOf(before, defined.options).length - typed.path.split(' ').length
  const argument =
    defined.registeredArguments[place] ?? defined.registeredArguments.findLast(({ variadic }) => variadic)
  return argument ? namesFor(argument.name(), argument.argChoices, before, context) : []
}

function isTyped(path: string, words: readonly string[]): boolean {
  const parts = path.split(' ')
  return parts.every((part, i) => words[i] === part)
}

/** The commands, or those of the group that was typed. */
function commandsAfter(before: readonly string[]): Suggestion[] {
  const [group] = before
  if (group === undefined)
    return [
      ...commands.flatMap(({ path, summary }) => (path.includes(' ') ? [] : [{ value: path, about: summary }])),
      ...Object.entries(commandGroups).map(([value, { summary }]) => ({ value, about: summary })),
    ]
  if (before.length > 1 || !Object.hasOwn(commandGroups, group)) return []
  return commands.flatMap(({ path, summary }) =>
    path.startsWith(`${group} `) ? [{ value: path.slice(group.length + 1), about: summary }] : [],
  )
}

/** The words that are neither options nor their values. */
function wordsOf(words: readonly string[], options: readonly Option[]): string[] {
  return words.filter((word, i) => {
    if (word.startsWith('-')) return false
    const option = options.find(({ short, long }) => i > 0 && [short, long].includes(words[i - 1]))
    return !option?.required
  })
}

/** The word in the usage of an option: `member` in `--as <member>`. */
function usageWord({ flags }: Option): string {
  return /[<[]([\w-]+)/.exec(flags)?.[1] ?? ''
}

async function namesFor(
  what: string,
  choices: readonly string[] | undefined,
  before: readonly string[],
  context: Context,
): Promise<Suggestion[]> {
  if (choices) return choices.map((value) => ({ value, about: '' }))
  const given = before.indexOf('--team')
  const team = given >= 0 ? before[given + 1] : undefined
  const call = { ...context, globals: { json: false, ...(team !== undefined && { team }) } }
  switch (what) {
    case 'team':
    case 'session': {
      await using workspace = await openStore(call)
      return (await workspace.store.teams()).map((value) => ({ value, about: what }))
    }
    case 'member':
    case 'to':
      return withTeam(call, 'read', async ({ state }) =>
        roster(state)
          .filter(isPresent)
          .map(({ name, role }) => ({ value: name, about: role })),
      )
    case 'id':
      return withTeam(call, 'read', async ({ state }) =>
        [...state.tasks.values()].map(({ id, status, subject }) => ({ value: id, about: `${status}: ${subject}` })),
      )
    case 'request':
      return withTeam(call, 'read', async ({ state }) =>
        [...state.requests.values()].flatMap(({ id, kind, from, state }) =>
          state === 'pending' ? [{ value: id, about: `${kind} of ${from}` }] : [],
        ),
      )
    default:
      return []
  }
}
