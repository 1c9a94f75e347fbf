import type { z } from 'zod'
import type { Handoff } from './handoff.ts'
import type { Escalation, General, Organisation, Role, Routing } from './organisation.ts'
import type { YamlFile } from './yaml-file.ts'

/** What could be read of `organisation.yaml`: entries that are wrong are left out. */
export interface OrganisationParts extends Pick<Organisation, 'departments' | 'workflows' | 'gates' | 'steps'> {
  readonly general: z.infer<typeof General> | undefined
  readonly roles: ReadonlyMap<string, Role>
  /** No step was left out. */
  readonly areStepsValid: boolean
  readonly escalation: Escalation | undefined
  readonly routing: Routing | undefined
}

/** The files of an organisation, after each was read alone. */
export interface Checked {
  readonly main: YamlFile
  readonly parts: OrganisationParts
  readonly handoffFile: YamlFile | undefined
  readonly handoffs: ReadonlyMap<string, Handoff> | undefined
}
