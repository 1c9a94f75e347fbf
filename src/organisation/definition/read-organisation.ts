import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Problem } from '../../plan/plan.ts'
import { readText } from '../../plan/read-text.ts'
import { shown } from '../../plan/shown-value.ts'
import { checkOrganisation } from './check-organisation.ts'
import { compileFields } from './field-list.ts'
import { HANDOFF_TYPE, type Handoff, HandoffEntry } from './handoff.ts'
import {
  Department,
  Escalation,
  Gate,
  General,
  ORGANISATION_NAME,
  type Organisation,
  Role,
  Routing,
  Step,
  Workflow,
} from './organisation.ts'
import type { OrganisationParts } from './organisation-parts.ts'
import { parseRoleFile, type RoleFile } from './role-file.ts'
import { parseYaml, type YamlFile } from './yaml-file.ts'

/** Where the files of the organisation are, relative to the workspace. */
export const ORGANISATION_FOLDER = '.deskmates/organisation'

export interface ReadOrganisation {
  /** Only without problems. */
  readonly organisation?: Organisation
  /** Everything that is wrong, by file and line. */
  readonly problems: readonly Problem[]
}

/** What reading needs of the file system, so that a template is checked by the same code. */
export interface OrganisationFiles {
  /** The text of `organisation.yaml`, `handoffs.yaml` or `roles/<role>.md`, or why there is none. */
  read(name: string): ReturnType<typeof readText>
  /** The names in `roles/`. */
  readonly roleFiles: readonly string[]
}

const MAX_FILE_BYTES = 2 ** 20
const INIT = 'Write the files with: deskmates org init engineering'

/** The files of an organisation on disk. */
export function organisationFiles(folder: string): OrganisationFiles {
  let roleFiles: string[] = []
  try {
    roleFiles = readdirSync(join(folder, 'roles'))
  } catch {
    // Every role without a file is a problem of its own.
  }
  return { roleFiles, read: (name) => readText(join(folder, name), { maxBytes: MAX_FILE_BYTES, ifMissing: INIT }) }
}

/** Reads an organisation and finds everything that is wrong in its files. */
export function readOrganisation(folder: string, files = organisationFiles(folder)): ReadOrganisation {
  const problems: Problem[] = []
  const main = openYaml(files, folder, 'organisation.yaml', problems)
  const handoffFile = openYaml(files, folder, 'handoffs.yaml', problems)
  const parts = main && readParts(main)
  const handoffs = handoffFile && readHandoffs(handoffFile)
  const roleFiles = new Map<string, RoleFile>()
  for (const role of main?.names(['roles']) ?? []) {
    if (!ORGANISATION_NAME.test(role)) continue
    const file = readRoleFile(files, folder, role, problems)
    if (file) roleFiles.set(role, file)
  }
  if (main && parts) {
    checkOrganisation({ main, handoffFile, parts, handoffs })
    checkRoleFileNames(files.roleFiles, main.names(['roles']) ?? [], folder, problems)
  }
  if (!parts) return { problems }
  const { general, departments, workflows, steps, gates, escalation, routing } = parts
  problems.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
  if (problems.length > 0 || !handoffs || !general || !escalation || !routing) return { problems }
  const roles = new Map([...parts.roles].map(([name, role]) => [name, { ...role, ...roleFiles.get(name)! }]))
  const named = { departments, workflows, roles, steps, gates, handoffs }
  return { problems, organisation: { ...general, ...named, escalation, routing, folder } }
}

const SECTIONS = ['departments', 'workflows', 'roles', 'steps', 'gates', 'escalation', 'routing'] as const

function openYaml(files: OrganisationFiles, folder: string, name: string, problems: Problem[]): YamlFile | undefined {
  const file = join(folder, name)
  const read = files.read(name)
  if ('text' in read) return parseYaml(file, read.text, problems)
  problems.push({ file, line: 1, ...read })
  return undefined
}

function readParts(file: YamlFile): OrganisationParts | undefined {
  const keys = file.names([])
  if (keys === undefined) {
    file.report([], `the file holds ${shown(file.value)}, not keys with values`, INIT)
    return undefined
  }
  const known = [...Object.keys(General.shape), ...SECTIONS]
  for (const key of keys)
    if (!known.includes(key))
      file.report([key], `"${key}" is not a key here`, `Remove it, or use one of: ${known.join(', ')}.`)
  return {
    general: file.parse([], General),
    departments: namedEntries(file, 'departments', Department),
    workflows: namedEntries(file, 'workflows', Workflow),
    roles: namedEntries(file, 'roles', Role),
    ...readSteps(file),
    gates: namedEntries(file, 'gates', Gate),
    escalation: file.parse(['escalation'], Escalation),
    routing: file.parse(['routing'], Routing),
  }
}

function namedEntries<T>(file: YamlFile, section: string, schema: z.ZodType<T>): Map<string, T> {
  const entries = new Map<string, T>()
  const names = file.names([section])
  if (names === undefined || names.length === 0)
    file.report([section], `"${section}" has no entries`, `Write a name and its keys for each of the ${section}.`)
  for (const name of names ?? []) {
    if (!ORGANISATION_NAME.test(name))
      file.report(
        [section, name],
        `${shown(name)} is not a name`,
        'Use small letters, digits, - and _; begin with a letter.',
      )
    const entry = file.parse([section, name], schema)
    if (entry !== undefined) entries.set(name, entry)
  }
  return entries
}

/** A step with a mistake does not hide the others. */
function readSteps(file: YamlFile): Pick<OrganisationParts, 'steps' | 'areStepsValid'> {
  const all = file.parse(['steps'], z.array(z.unknown(), STEPS).min(1, STEPS)) ?? []
  const steps = all.flatMap((_, i) => file.parse(['steps', i], Step) ?? [])
  return { steps, areStepsValid: steps.length === all.length }
}

const STEPS = 'Write a list: - { step: 1, name: planning, roles: [lead] }.'

function readHandoffs(file: YamlFile): Map<string, Handoff> {
  const handoffs = new Map<string, Handoff>()
  const types = file.names([])
  if (types === undefined || types.length === 0)
    file.report(
      [],
      'the file holds no hand-offs',
      'Write a type and its keys: dev_progress: { from: dev, to: senior, fields: {} }.',
    )
  for (const type of types ?? []) {
    if (!HANDOFF_TYPE.test(type))
      file.report([type], `${shown(type)} is not a type`, 'Use small letters, digits and _; begin with a letter.')
    const entry = file.parse([type], HandoffEntry)
    if (entry === undefined) continue
    const compiled = compileFields(entry.fields ?? {})
    if ('schema' in compiled) handoffs.set(type, { ...entry, schema: compiled.schema })
    else for (const { path, problem, fix } of compiled.problems) file.report([type, 'fields', ...path], problem, fix)
  }
  return handoffs
}

function readRoleFile(
  files: OrganisationFiles,
  folder: string,
  role: string,
  problems: Problem[],
): RoleFile | undefined {
  const name = `roles/${role}.md`
  const read = files.read(name)
  if ('text' in read) return parseRoleFile(join(folder, name), read.text, problems)
  const fix = `Write it, or remove the role ${role} from organisation.yaml.`
  problems.push({ file: join(folder, name), line: 1, problem: read.problem, fix })
  return undefined
}

function checkRoleFileNames(
  present: readonly string[],
  roles: readonly string[],
  folder: string,
  problems: Problem[],
): void {
  for (const name of present)
    if (name.endsWith('.md') && !roles.includes(name.slice(0, -'.md'.length)))
      problems.push({
        file: join(folder, 'roles', name),
        line: 1,
        problem: 'no role has this name',
        fix: `Rename it after a role of organisation.yaml (${roles.join(', ')}), or remove it.`,
      })
}
