import { shown } from '../../plan/shown-value.ts'
import { Name } from '../../team/name.ts'
import { handOffFiles } from './artefact-names.ts'
import { checkHandoffs } from './check-handoffs.ts'
import { checkPhaseFiles } from './check-phase-files.ts'
import type { Handoff } from './handoff.ts'
import type { Role } from './organisation.ts'
import type { Checked } from './organisation-parts.ts'
import type { YamlFile } from './yaml-file.ts'

/** Finds what is wrong between entries: names that nothing has, and rules that contradict each other. */
export function checkOrganisation(checked: Checked): void {
  checkDepartments(checked)
  checkFolders(checked)
  checkWorkflows(checked)
  checkRoles(checked)
  checkSteps(checked)
  checkPhaseFiles(checked)
  checkGates(checked)
  checkEscalation(checked)
  checkTalk(checked)
  checkHandoffs(checked)
}

type Path = readonly PropertyKey[]

/** Reports a name that no entry of a section has, and returns whether one has it. */
function isKnown(main: YamlFile, path: Path, name: string, section: string): boolean {
  const names = main.names([section]) ?? []
  if (names.includes(name)) return true
  main.report(path, `${shown(name)} is not one of the ${section}`, `Write one of: ${names.join(', ')}.`)
  return false
}

function reportDuplicates(main: YamlFile, path: Path, names: readonly string[]): void {
  for (const [i, name] of names.entries())
    if (names.indexOf(name) !== i) main.report([...path, i], `${name} is there twice`, 'Name each once.')
}

function checkDepartments({ main, parts: { departments, roles, general } }: Checked): void {
  const leads = new Map<string, string>()
  const prefixes = new Map<string, string>()
  const shorts = new Map<string, string>()
  for (const [name, { lead, prefix, short, roles: members, gate }] of departments) {
    const at = (...path: PropertyKey[]) => ['departments', name, ...path]
    reportTaken(main, at('lead'), leads, lead, name)
    reportTaken(main, at('prefix'), prefixes, prefix, name)
    reportTaken(main, at('short'), shorts, short, name)
    reportDuplicates(main, at('roles'), members)
    for (const [i, member] of members.entries()) {
      if (!isKnown(main, at('roles', i), member, 'roles')) continue
      const kind = roles.get(member)?.kind
      if (kind !== undefined && kind !== 'member')
        main.report(
          at('roles', i),
          `${member} is of kind ${kind} and never a member of a team`,
          'Take it out of this list.',
        )
    }
    isKnown(main, at('gate'), gate, 'gates')
    const team = general?.team.name.replaceAll('{department}', name)
    if (team !== undefined && !Name.safeParse(team).success)
      main.report(
        ['team', 'name'],
        `the team of ${name} would be called ${shown(team)}`,
        'Use a shorter name: yolo-{department}.',
      )
  }
  if (departments.size > 0 && ![...departments.values()].some(({ active }) => active))
    main.report(['departments'], 'no department is active', 'Write active: true in at least one of them.')
}

function reportTaken(main: YamlFile, path: Path, taken: Map<string, string>, value: string, by: string): void {
  const other = taken.get(value)
  taken.set(value, other ?? by)
  if (other !== undefined) main.report(path, `${other} has ${shown(value)} already`, 'Give each department its own.')
}

/** A folder belongs to one department: two that may both write there would overwrite each other. */
function checkFolders({ main, parts: { departments } }: Checked): void {
  const all = [...departments].flatMap(([department, { folders }]) =>
    folders.map((folder, i) => ({
      department,
      folder: normal(folder),
      path: ['departments', department, 'folders', i],
    })),
  )
  for (const [i, { department, folder, path }] of all.entries()) {
    const other = all.slice(0, i).find((one) => one.department !== department && overlap(one.folder, folder))
    if (other)
      main.report(
        path,
        `${folder} overlaps ${other.folder} of ${other.department}`,
        'Give each folder to one department.',
      )
  }
}

function normal(folder: string): string {
  const parts = folder.split('/').filter((part) => part !== '' && part !== '.')
  return `${parts.join('/')}/`
}

function overlap(a: string, b: string): boolean {
  return a === '/' || b === '/' || a.startsWith(b) || b.startsWith(a)
}

function checkWorkflows({ main, parts: { workflows, general } }: Checked): void {
  for (const [name, { waves, order }] of workflows) {
    const at = (...path: PropertyKey[]) => ['workflows', name, ...path]
    for (const [i, wave] of waves.entries())
      for (const [j, department] of wave.entries()) {
        if (!isKnown(main, at('waves', i, j), department, 'departments')) continue
        const earlier = [...waves.slice(0, i).flat(), ...wave.slice(0, j)]
        if (earlier.includes(department))
          main.report(
            at('waves', i, j),
            `${department} is in this workflow already`,
            'Put each department into one wave.',
          )
      }
    if (order === 'single' && waves.flat().length > 1)
      main.report(at('order'), 'a single workflow has one department', 'Write order: wave, or sequential.')
    if (order === 'sequential' && waves.some((wave) => wave.length > 1))
      main.report(at('order'), 'a sequential workflow has one department per wave', 'Write order: wave.')
  }
  if (general) isKnown(main, ['workflow'], general.workflow, 'workflows')
}

function checkRoles({ main, parts: { roles, departments, steps, general } }: Checked): void {
  const ofKind = (kind: Role['kind']) => [...roles].filter(([, role]) => role.kind === kind).map(([name]) => name)
  if (general && isKnown(main, ['owner'], general.owner, 'roles') && !ofKind('owner').includes(general.owner))
    main.report(['owner'], `${general.owner} is not of kind owner`, 'Name a role with kind: owner.')
  for (const kind of ['owner', 'lead'] as const)
    for (const name of ofKind(kind).slice(1))
      main.report(
        ['roles', name, 'kind'],
        `${ofKind(kind)[0]} is of kind ${kind} already`,
        'Write kind: member, or task-only.',
      )
  if (roles.size > 0 && ofKind('lead').length === 0)
    main.report(['roles'], 'no role is of kind lead', 'Write kind: lead for the role that leads each team.')
  const numbers = steps.map(({ step }) => step)
  for (const [name, { kind, step, scaling }] of roles) {
    const at = (key: string) => ['roles', name, key]
    if (step !== undefined && numbers.length > 0 && !numbers.includes(step))
      main.report(at('step'), `there is no step ${step}`, `Write the number of a step: ${numbers.join(', ')}.`)
    if (kind === 'member' && step === undefined)
      main.report(['roles', name], `no step registers ${name}`, 'Write step: 2, the step that registers it.')
    if (scaling && kind !== 'member')
      main.report(at('scaling'), `${name} is of kind ${kind}, of which there is one`, 'Leave scaling out.')
    if (kind === 'member' && departments.size > 0 && ![...departments.values()].some((one) => one.roles.includes(name)))
      main.report(['roles', name], `${name} is in no department`, 'Add it to the roles of a department, or remove it.')
  }
}

/** The place of a step in its list is known only while all of them can be read. */
function checkSteps({ main, parts: { steps, areStepsValid, roles, general }, handoffs }: Checked): void {
  if (!areStepsValid) return
  const made = new Set(general?.inputs)
  for (const [i, { step, name, roles: doing, entry, exit, cycles }] of steps.entries()) {
    const at = (...path: PropertyKey[]) => ['steps', i, ...path]
    if (step !== i + 1) main.report(at('step'), `step ${step} stands at place ${i + 1}`, `Write step: ${i + 1}.`)
    if (steps.slice(0, i).some((one) => one.name === name))
      main.report(at('name'), `there is a step ${name} already`, 'Give each step its own name.')
    for (const [j, role] of doing.entries()) isKnown(main, at('roles', j), role, 'roles')
    for (const [j, artefact] of entry.entries())
      if (!made.has(artefact))
        main.report(
          at('entry', j),
          `no earlier step leaves ${artefact} behind`,
          'Add it to "exit" of an earlier step or to "inputs", or remove it.',
        )
    for (const artefact of exit) made.add(artefact)
    if (cycles) isKnown(main, at('cycles', 'escalateTo'), cycles.escalateTo, 'roles')
  }
  const shownFiles = new Set(handOffFiles({ handoffs: handoffs ?? new Map() }))
  for (const [name, { reads }] of roles)
    for (const [i, artefact] of reads.entries())
      if (!made.has(artefact) && !shownFiles.has(artefact) && handoffs)
        main.report(
          ['roles', name, 'reads', i],
          `no step leaves ${artefact} behind`,
          'Add it to "exit" of a step or to "inputs", write it as "file" of a hand-off, or remove it.',
        )
}

function checkGates({ main, parts: { gates }, handoffs }: Checked): void {
  const known = new Map([...gates.keys()].map((name) => [name, name]))
  const last = [...gates].filter(([, gate]) => gate.last).map(([name]) => name)
  if (gates.size > 0 && last.length === 0)
    main.report(['gates'], 'no gate ends the last wave', 'Write last: true in one of them.')
  for (const name of last.slice(1))
    main.report(['gates', name, 'last'], `${last[0]} ends the last wave already`, 'Write last: true in one gate.')
  for (const [name, { aliases, departments, handoffs: wanted }] of gates) {
    const at = (...path: PropertyKey[]) => ['gates', name, ...path]
    for (const [i, alias] of aliases.entries()) reportTaken(main, at('aliases', i), known, alias, name)
    if (departments !== 'active')
      for (const [i, department] of departments.entries())
        isKnown(main, at('departments', i), department, 'departments')
    for (const [i, { type, status }] of wanted.entries()) {
      const handoff = handoffs?.get(type)
      if (handoffs && handoff?.via !== 'file')
        main.report(
          at('handoffs', i, 'type'),
          `${shown(type)} is not a hand-off that is written to a file`,
          fileHandoffs(handoffs),
        )
      else if (handoff && status !== undefined && !handoff.schema.shape.status?.safeParse(status).success)
        main.report(
          at('handoffs', i, 'status'),
          `${shown(status)} is not a status of ${type}`,
          'Write one of its words.',
        )
    }
  }
}

function fileHandoffs(handoffs: ReadonlyMap<string, Handoff>): string {
  const types = [...handoffs].filter(([, { via }]) => via === 'file').map(([type]) => type)
  return `Write one of: ${types.join(', ')}.`
}

function checkEscalation({ main, parts: { escalation, roles, general } }: Checked): void {
  if (!escalation) return
  const { chain, joins, bypass } = escalation
  reportDuplicates(main, ['escalation', 'chain'], chain)
  for (const [i, level] of chain.entries()) {
    const at = ['escalation', 'chain', i]
    if (level !== 'user') isKnown(main, at, level, 'roles')
    else if (i !== chain.length - 1) main.report(at, 'user is not the last level', 'Put user at the end of the chain.')
  }
  if (chain.at(-1) !== 'user')
    main.report(['escalation', 'chain'], 'the chain does not end with user', 'Put user at its end.')
  if (general && chain.at(-2) !== general.owner)
    main.report(
      ['escalation', 'chain'],
      `${general.owner} is not before user`,
      'Only the owner speaks to the user: put it there.',
    )
  for (const [role, level] of Object.entries(joins)) {
    const at = ['escalation', 'joins', role]
    isKnown(main, at, role, 'roles')
    if (chain.includes(role)) main.report(at, `${role} is in the chain already`, 'Remove it here.')
    if (!chain.includes(level) || level === 'user')
      main.report(at, `${level} is not a role of the chain`, `Write one of: ${chain.slice(0, -1).join(', ')}.`)
  }
  for (const [i, role] of bypass.entries()) isKnown(main, ['escalation', 'bypass', i], role, 'roles')
  for (const [name, { kind }] of roles)
    if (kind === 'member' && !chain.includes(name) && !Object.hasOwn(joins, name))
      main.report(
        ['escalation', 'joins', name],
        `${name} asks no other role`,
        `Put it into the chain, or write joins: { ${name}: lead }.`,
      )
}

function checkTalk({ main, parts: { routing } }: Checked): void {
  for (const [from, to] of Object.entries(routing?.talk ?? {})) {
    isKnown(main, ['routing', 'talk', from], from, 'roles')
    reportDuplicates(main, ['routing', 'talk', from], to)
    for (const [i, role] of to.entries())
      if (role !== 'user') isKnown(main, ['routing', 'talk', from, i], role, 'roles')
  }
}
