import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TeamError } from '../../team/errors.ts'
import { ORGANISATION_FOLDER } from '../definition/read-organisation.ts'

/** The files of a template cannot be written here; nothing was. */
export class TemplateRefused extends TeamError {
  readonly code = 'template_refused'
}

export interface WrittenTemplate {
  readonly folder: string
  /** Paths in that folder. */
  readonly written: readonly string[]
  /** They were there before, with the same content. */
  readonly kept: readonly string[]
}

type Files = Readonly<Record<string, string>>

/** Writes the files below `dir`. A file that is there with another content is the user's: then nothing is written. */
export function writeTemplate(dir: string, files: Files): WrittenTemplate {
  const folder = join(dir, ORGANISATION_FOLDER)
  // A repository may come with a link in the place of a folder, which would lead the files elsewhere.
  for (const part of [dirname(folder), folder, join(folder, 'roles')])
    if (kindOf(part) === 'other')
      throw new TemplateRefused(`${part} is not a folder. Move it away, then repeat the command.`)
  const names = Object.keys(files)
  const present = names.filter((name) => kindOf(join(folder, name)) !== undefined)
  const changed = present.filter((name) => contentOf(join(folder, name)) !== files[name])
  if (changed.length > 0)
    throw new TemplateRefused(
      `${folder} already holds ${changed.join(', ')} with other content. Edit these files, or move them away to get those of the template.`,
    )
  mkdirSync(join(folder, 'roles'), { recursive: true })
  const written = names.filter((name) => !present.includes(name))
  for (const name of written) writeFileSync(join(folder, name), files[name]!, { flag: 'wx' })
  return { folder, written, kept: present }
}

function kindOf(path: string): 'folder' | 'other' | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat && (stat.isDirectory() ? 'folder' : 'other')
}

function contentOf(path: string): string | undefined {
  return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : undefined
}
