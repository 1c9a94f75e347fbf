import { resolve } from 'node:path'
import { TEMPLATES } from '../../organisation/templates/templates.ts'
import { writeTemplate } from '../../organisation/templates/write-template.ts'
import { counted } from '../../team/wording.ts'
import { printJson, printMessage } from '../output/print.ts'
import { Misused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { workspaceFolder } from '../workspace/workspace-folder.ts'

interface Options {
  autoCommit?: boolean
}

export const orgInit: SubCommand<Options, [template: string, dir: string | undefined]> = {
  example: `$ deskmates org init engineering
$ deskmates org init engineering ~/shop --auto-commit`,
  instead: () => 'Only a person decides how agents are organised.',
  define(command) {
    command
      .argument('<template>', `the template: ${Object.keys(TEMPLATES).join(', ')}`)
      .argument('[dir]', 'the folder of the project; that of the workspace if not given')
      .option('--auto-commit', 'the runtime commits the files of a task when it is completed')
  },
  async run(call, { autoCommit }, template, dir) {
    const files = Object.hasOwn(TEMPLATES, template) ? TEMPLATES[template] : undefined
    if (!files)
      throw new Misused(`Unknown template '${template}'. Known templates: ${Object.keys(TEMPLATES).join(', ')}.`)
    const { folder, written, kept } = writeTemplate(
      dir === undefined ? workspaceFolder(call) : resolve(call.cwd, call.globals.cwd ?? '.', dir),
      autoCommit ? withAutoCommit(files) : files,
    )
    if (call.globals.json) return printJson(call, { template, folder, written, kept })
    await printMessage(
      call,
      written.length === 0
        ? `The organisation in ${folder} is this template already.`
        : `${counted(written.length, 'file')} written to ${folder}. Look at it with: deskmates org show. Before agents use it: deskmates trust`,
    )
  },
}

function withAutoCommit(files: Readonly<Record<string, string>>): Record<string, string> {
  const main = files['organisation.yaml'] ?? ''
  return { ...files, 'organisation.yaml': main.replace(/^autoCommit: false$/m, 'autoCommit: true') }
}
