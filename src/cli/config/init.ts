import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { usualModel } from '../../models/providers/providers.ts'
import { userSettingsFile } from '../../settings/save-rules.ts'
import type { Settings } from '../../settings/settings.ts'
import { print, printJson } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { Misused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { askSettings, type Choices } from './ask-settings.ts'
import { localModels } from './local-models.ts'

interface InitOptions {
  readonly yes?: true
  readonly project?: true
}

/** `deskmates init`: a few questions, and a settings file from the answers. */
export const init: SubCommand<InitOptions> = {
  example: `$ deskmates init               a few questions, for all your projects
$ deskmates init --project     for this project: .deskmates/settings.json`,
  instead: () => 'Only a person decides about settings.',
  define(command) {
    command
      .option('--yes', 'take the default of each question without asking')
      .option('--project', 'write .deskmates/settings.json of this project')
  },
  async run(call, { yes, project }) {
    await using workspace = await openStore(call)
    const path = project ? join(workspace.workspace, '.deskmates', 'settings.json') : userSettingsFile(call.env)
    if (existsSync(path) || isLink(path))
      throw new Misused(
        `${path} is there already. Change it in an editor, or remove it first. See: deskmates config list`,
      )
    const canAsk = call.isTerminal && call.isStdinTerminal === true && !call.globals.json
    if (!yes && !canAsk)
      throw new Misused('There is no terminal to ask on. Take the defaults with: deskmates init --yes')
    const choices = await choicesHere(call, workspace.workspace)
    const settings = yes ? defaults(choices) : await askSettings(choices)
    if (settings === undefined) {
      await print(call, 'Nothing was written.\n')
      return 130
    }
    write(path, settings)
    if (call.globals.json) await printJson(call, { path, settings })
    else await print(call, `Written: ${path}\n${NEXT(project === true)}\n`)
    return 0
  },
}

const NEXT = (isProject: boolean) =>
  isProject
    ? 'Rules of a project count when you trust its folder: deskmates trust'
    : 'See what counts: deskmates config list. Begin with: deskmates'

async function choicesHere(call: Call, folder: string): Promise<Choices> {
  const models = [...usual(call.env), ...(await localModels(call.env, call.signal))]
  return { models, modes: ['default', 'acceptEdits', 'plan'], rules: testRules(folder) }
}

function usual(env: NodeJS.ProcessEnv): string[] {
  try {
    return [usualModel(env)]
  } catch {
    return []
  }
}

/** The test command of the project. */
function testRules(folder: string): string[] {
  try {
    const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      scripts?: { test?: unknown }
    }
    return typeof scripts?.test === 'string' ? ['bash(npm test)'] : []
  } catch {
    return []
  }
}

function defaults({ models: [model], modes: [mode = 'default'] }: Choices): Settings {
  return { ...(model !== undefined && { model }), permissions: { mode } }
}

/** A repository may contain a link in the place of the folder or the file: what it leads to is not ours to write. */
function write(path: string, settings: Settings): void {
  const folder = dirname(path)
  if (isLink(folder)) throw new Misused(`${folder} is a link. Remove it, and run the same command again.`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  try {
    writeSync(file, `${JSON.stringify(settings, null, 2)}\n`)
  } finally {
    closeSync(file)
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}
