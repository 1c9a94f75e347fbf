import type { Organisation } from '../../organisation/definition/organisation.ts'
import { type OrganisationFiles, readOrganisation } from '../../organisation/definition/read-organisation.ts'
import { TEMPLATES } from '../../organisation/templates/templates.ts'

type Files = Record<string, string>

/** The files of the template, to be changed by a test. */
export function templateFiles(): Files {
  return { ...TEMPLATES.engineering }
}

/** Files in memory as an organisation reads them. */
export function filesFrom(files: Files): OrganisationFiles {
  return {
    roleFiles: Object.keys(files).flatMap((name) => (name.startsWith('roles/') ? [name.slice('roles/'.length)] : [])),
    read(name) {
      const text = files[name]
      return text === undefined ? { problem: 'the file does not exist', fix: 'Write it.' } : { text }
    },
  }
}

/** The template engineering, with these files in the place of its own. */
export function engineering(changed: Files = {}): Organisation {
  const { organisation, problems } = readOrganisation('organisation', filesFrom({ ...templateFiles(), ...changed }))
  if (!organisation)
    throw new Error(problems.map(({ file, line, problem }) => `${file}:${line}: ${problem}`).join('\n'))
  return organisation
}
