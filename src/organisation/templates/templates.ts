import handoffs from './engineering/handoffs.yaml'
import organisation from './engineering/organisation.yaml'
import architect from './engineering/roles/architect.md'
import critic from './engineering/roles/critic.md'
import debug from './engineering/roles/debugger.md'
import dev from './engineering/roles/dev.md'
import lead from './engineering/roles/lead.md'
import owner from './engineering/roles/owner.md'
import qa from './engineering/roles/qa.md'
import qaCode from './engineering/roles/qa-code.md'
import scout from './engineering/roles/scout.md'
import security from './engineering/roles/security.md'
import senior from './engineering/roles/senior.md'
import tester from './engineering/roles/tester.md'

/** The files of each template, by their path in the folder of the organisation. */
export const TEMPLATES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  engineering: {
    'organisation.yaml': organisation,
    'handoffs.yaml': handoffs,
    'roles/architect.md': architect,
    'roles/critic.md': critic,
    'roles/debugger.md': debug,
    'roles/dev.md': dev,
    'roles/lead.md': lead,
    'roles/owner.md': owner,
    'roles/qa.md': qa,
    'roles/qa-code.md': qaCode,
    'roles/scout.md': scout,
    'roles/security.md': security,
    'roles/senior.md': senior,
    'roles/tester.md': tester,
  },
}
