import { isPlanView } from '../../team/plans/plan-views.ts'
import { artefactPrefix, handOffFiles, ownArtefacts } from './artefact-names.ts'
import type { Checked } from './organisation-parts.ts'
import { namesOf } from './phase-file-name.ts'

/** Finds files of a phase that two writers would have, or that a role names although only the runtime writes them. */
export function checkPhaseFiles(checked: Checked): void {
  checkOwnArtefacts(checked)
  checkHandOffFiles(checked)
  checkViews(checked)
}

function ownOf({ parts: { steps, general }, handoffs }: Checked): ReadonlySet<string> {
  return ownArtefacts({ steps, inputs: general?.inputs ?? [], handoffs: handoffs ?? new Map() })
}

/** Two departments of one phase must not overwrite each other's artefacts. */
function checkOwnArtefacts(checked: Checked): void {
  const { main, parts } = checked
  const own = ownOf(checked)
  const taken = new Map<string, string>()
  for (const [name, department] of parts.departments) {
    const prefix = artefactPrefix(department)
    const shared = [...own].find((artefact) => taken.has(`${prefix}${artefact}`))
    if (shared !== undefined)
      main.report(
        ['departments', name, department.artefacts === undefined ? 'short' : 'artefacts'],
        `${prefix}${shared} would be an artefact of ${taken.get(`${prefix}${shared}`)} too`,
        `Write artefacts: ${department.short}-, or another beginning that no department has.`,
      )
    for (const artefact of own) taken.set(`${prefix}${artefact}`, taken.get(`${prefix}${artefact}`) ?? name)
  }
}

const ABOUT_PLANS = /^\d\d-\d\d\.|(?:^|\.)(?:plan|summary)\.jsonl$/i

/** The runtime writes all of such a file from the hand-offs of one type, and agents cannot write it. */
function checkHandOffFiles(checked: Checked): void {
  const { handoffFile, handoffs, parts, main } = checked
  const departments = main.names(['departments']) ?? []
  const artefacts = new Set(
    [...parts.departments.values()].flatMap((one) => [...ownOf(checked)].map((name) => artefactPrefix(one) + name)),
  )
  const taken = new Map<string, string>()
  for (const [type, { file }] of handoffs ?? []) {
    if (file === undefined) continue
    const report = (problem: string, fix: string) => handoffFile?.report([type, 'file'], problem, fix)
    // Some file systems ignore case.
    const names = namesOf(file, departments).map((name) => name.toLowerCase())
    const other = names.map((name) => taken.get(name)).find((found) => found !== undefined)
    const artefact = names.find((name) => artefacts.has(name))
    if (other !== undefined) report(`${other} is written to ${file} already`, 'Give each hand-off a file of its own.')
    else if (names.some((name) => ABOUT_PLANS.test(name)))
      report(`${file} is the name of a plan, or of a file about one`, 'Write another name, like perf-reports.jsonl.')
    else if (artefact !== undefined)
      report(`${artefact} is an artefact that a step leaves behind`, 'Write a name that no artefact has.')
    for (const name of names) taken.set(name, taken.get(name) ?? type)
  }
}

/** What the runtime writes is there by the journal: no step could leave it behind, and no person puts it there. */
function checkViews({ main, parts: { steps, roles, gates, general, areStepsValid }, handoffs }: Checked): void {
  if (!handoffs || !areStepsValid) return
  const departments = main.names(['departments']) ?? []
  const shown = new Set(handOffFiles({ handoffs }).flatMap((file) => namesOf(file, departments)))
  const isView = (name: string) => isPlanView(name) && !/\.summary\.jsonl$/i.test(name)
  const look = (path: readonly PropertyKey[], names: readonly string[]) => {
    for (const [i, name] of names.entries())
      if (isView(name) && !shown.has(name))
        main.report(
          [...path, i],
          `${name} is written by the runtime, and no hand-off is shown in it`,
          'Name a file that a role writes, or the "file" of a hand-off.',
        )
  }
  for (const [i, { entry, exit }] of steps.entries()) {
    look(['steps', i, 'entry'], entry)
    look(['steps', i, 'exit'], exit)
  }
  for (const [name, { reads }] of roles) look(['roles', name, 'reads'], reads)
  for (const [name, { artefacts }] of gates) look(['gates', name, 'artefacts'], artefacts)
  for (const [i, name] of (general?.inputs ?? []).entries())
    if (isPlanView(name) || shown.has(name))
      main.report(
        ['inputs', i],
        `${name} is written by the runtime while the phase runs`,
        'Name a file that is there before the first step, or remove it.',
      )
}
