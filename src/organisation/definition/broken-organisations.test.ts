import { describe, expect, it } from 'vitest'
import { engineering, filesFrom, templateFiles } from '../../testing/harnesses/organisation-harness.ts'
import { readOrganisation } from './read-organisation.ts'

const MAIN = 'organisation.yaml'
const HANDOFFS = 'handoffs.yaml'

/**
 * Which text of the template is replaced in which file, the words by which the problem must name the mistake, and the
 * line at which it is reported, where that is not the replaced one.
 */
type Broken = [file: string, old: string, text: string, named: string, elsewhere?: string]

const main = (old: string, text: string, named: string, elsewhere?: string): Broken => [
  MAIN,
  old,
  text,
  named,
  elsewhere,
]
const handoff = (old: string, text: string, named: string): Broken => [HANDOFFS, old, text, named]
const role = (name: string, old: string, text: string, named: string): Broken => [`roles/${name}.md`, old, text, named]

const broken: Broken[] = [
  // Artefacts of departments.
  main('artefacts: fe-', 'artefacts: ""', 'critique.jsonl would be an artefact of backend too'),
  main('artefacts: ux-', 'artefacts: fe-', 'fe-critique.jsonl would be an artefact of frontend too'),
  main('artefacts: fe-', 'artefacts: ../', '"departments.frontend.artefacts" is "../"'),
  main('artefacts: fe-', 'artefacts: Fe', '"departments.frontend.artefacts" is "Fe"'),
  main('artefacts: fe-', 'artefacts: 3', '"departments.frontend.artefacts" is 3'),
  // Not YAML, or not what it should hold.
  main('version: 1', 'version: [1', 'YAML', ''),
  main('version: 1', 'version: 1\nversion: 1', '"version" is there twice'),
  main('version: 1', '\tversion: 1', 'YAML'),
  main('name: engineering', 'name: "engineering', 'YAML', ''),
  main('version: 1', 'version: !!js/function 1', 'YAML'),
  main('version: 1', 'version: *none', 'YAML'),
  main('version: 1', 'version: 2', '"version" is 2'),
  main('version: 1\n', '', '"version" is missing', 'name: engineering'),
  main('version: 1', 'version: 1\ncolour: red', '"colour" is not a key'),
  main('name: engineering', 'name: Engineering Inc.', '"name" is "Engineering Inc."'),
  main('planning: .yolo-planning', 'planning: /etc', '"planning" is "/etc"'),
  main('planning: .yolo-planning', 'planning: ../other', '"planning" is "../other"'),
  main('planning: .yolo-planning', 'planning: C:\\x', '"planning" is'),
  main('  name: yolo-{department}', '  name: yolo', '"team.name" is "yolo"'),
  main('  name: yolo-{department}', '  name: yolo {department}', '"team.name" is'),
  main('  name: yolo-{department}', `  name: ${'y'.repeat(60)}-{department}`, 'the team of backend would be called'),
  main('\nowner: owner', '\nowner: boss', '"boss" is not one of the roles'),
  main('\nowner: owner', '\nowner: lead', 'lead is not of kind owner'),
  main('ownerRuns: code', 'ownerRuns: human', '"ownerRuns" is "human"'),
  main('autoCommit: false', 'autoCommit: maybe', '"autoCommit" is "maybe"'),
  main('silenceSeconds: 60', 'silenceSeconds: 0', '"health.silenceSeconds" is 0'),
  main('silenceSeconds: 60', 'silenceSeconds: 1.5', '"health.silenceSeconds" is 1.5'),
  main('silenceSeconds: 60', 'silence: 60', '"silence" is not a key'),

  // Departments.
  main('    lead: yolo-fe-lead\n', '', '"departments.frontend.lead" is missing', '  frontend:'),
  main('lead: yolo-fe-lead', 'lead: yolo-lead', 'backend has "yolo-lead" already'),
  main('lead: yolo-fe-lead', 'lead: [yolo-fe-lead]', '"departments.frontend.lead" is'),
  main('lead: yolo-fe-lead', 'lead: ../lead', '"departments.frontend.lead" is "../lead"'),
  main('prefix: yolo-fe-', 'prefix: yolo-', 'backend has "yolo-" already'),
  main('prefix: yolo-fe-', 'prefix: yolofe', '"departments.frontend.prefix" is "yolofe"'),
  main('short: fe', 'short: be', 'backend has "be" already'),
  main('    active: true', '    active: on', '"departments.backend.active" is "on"'),
  main('    active: true', '    active: false', 'no department is active', 'departments:'),
  main('[architect, senior, dev, tester, qa, qa-code, security]', 'architect', '"departments.backend.roles" is'),
  main('qa-code, security]', 'qa-code, security, dev]', 'dev is there twice'),
  main('qa-code, security]', 'qa-code, security, wizard]', '"wizard" is not one of the roles'),
  main('qa-code, security]', 'qa-code, security, scout]', 'scout is of kind task-only and never a member'),
  main('qa-code, security]', 'qa-code, security, lead]', 'lead is of kind lead and never a member'),
  main('qa-code, security]', 'qa-code]', 'security is in no department', '  security: {'),
  main('[design, src/styles, src/tokens]', '[/design]', '"departments.uiux.folders.0" is "/design"'),
  main('[design, src/styles, src/tokens]', '[a/../../b]', '"departments.uiux.folders.0" is'),
  main('[design, src/styles, src/tokens]', '[src/api/v2]', 'src/api/v2/ overlaps src/api/ of backend'),
  main('[design, src/styles, src/tokens]', '[.]', 'overlaps'),
  main('[design, src/styles, src/tokens]', 'design', '"departments.uiux.folders" is "design"'),
  main('timeoutMinutes: 30\n    gate: handoff-ux', 'timeoutMinutes: -1\n    gate: handoff-ux', 'timeoutMinutes" is -1'),
  main(
    'timeoutMinutes: 30\n    gate: handoff-ux',
    'timeoutMinutes: 1e9\n    gate: handoff-ux',
    'timeoutMinutes" is 1000000000',
  ),
  main('    gate: handoff-ux-complete', '    gate: ux', '"ux" is not one of the gates'),
  main('  uiux:\n', '  UI UX:\n', '"UI UX" is not a name'),

  // Workflows.
  main('\nworkflow: backend_only', '\nworkflow: chaos', '"chaos" is not one of the workflows'),
  main('[[uiux], [frontend, backend]]', '[[uiux], [frontend, mobile]]', '"mobile" is not one of the departments'),
  main('[[uiux], [frontend, backend]]', '[[uiux], [frontend, uiux]]', 'uiux is in this workflow already'),
  main('[[uiux], [frontend, backend]]', '[uiux, frontend]', '"workflows.parallel.waves.0" is "uiux"'),
  main('[[uiux], [frontend, backend]]', '[]', '"workflows.parallel.waves" is []'),
  main('[[uiux], [frontend, backend]]', '[[]]', '"workflows.parallel.waves.0" is []'),
  main('order: single', 'order: one', '"workflows.backend_only.order" is "one"'),
  main('waves: [[backend]]', 'waves: [[backend], [frontend]]', 'a single workflow has one department'),
  main('order: wave', 'order: sequential', 'a sequential workflow has one department per wave'),

  // Roles.
  main('scout: { kind: task-only }', 'scout: { kind: oneshot }', '"roles.scout.kind" is "oneshot"'),
  main('scout: { kind: task-only }', 'scout: task-only', '"roles.scout" is "task-only"'),
  main('scout: { kind: task-only }', 'scout: { kind: owner }', 'owner is of kind owner already'),
  main('scout: { kind: task-only }', 'scout: { kind: lead }', 'lead is of kind lead already'),
  main('scout: { kind: task-only }', 'scout: { kind: task-only, scaling: { max: 2 } }', 'of which there is one'),
  main('    kind: lead\n', '    kind: task-only\n', 'no role is of kind lead', 'roles:'),
  main('tester: { kind: member, step: 5', 'tester: { kind: member, step: 15', 'there is no step 15'),
  main('tester: { kind: member, step: 5', 'tester: { kind: member', 'no step registers tester'),
  main('tester: { kind: member, step: 5', 'tester: { kind: member, step: five', '"roles.tester.step" is "five"'),
  main('scaling: { max: 5 }', 'scaling: { max: 0 }', '"roles.dev.scaling.max" is 0'),
  main('scaling: { max: 5 }', 'scaling: { most: 5 }', '"most" is not a key'),
  main('gates: { idle: auto_commit', 'gates: { idle: sometimes', '"roles.dev.gates.idle" is "sometimes"'),
  main('completion: auto_commit }', 'completion: true }', '"roles.dev.gates.completion" is true'),
  main('completion: auto_commit }', 'start: always }', '"start" is not a key'),
  main('reads: [reqs.jsonl, research.jsonl] }', 'reads: [wishes.jsonl] }', 'no step leaves wishes.jsonl behind'),
  main('reads: [reqs.jsonl, research.jsonl] }', 'reads: [/etc/passwd] }', '"roles.critic.reads.0" is "/etc/passwd"'),

  main('reads: [reqs.jsonl, research.jsonl] }', 'reads: [docs/reqs.jsonl] }', '"roles.critic.reads.0" is "docs/reqs'),

  // Files that the runtime writes.
  main('inputs: [reqs.jsonl,', 'inputs: [design-handoff.jsonl, reqs.jsonl,', 'design-handoff.jsonl is written by the'),
  main('inputs: [reqs.jsonl,', 'inputs: [02-01.summary.jsonl, reqs.jsonl,', '02-01.summary.jsonl is written by the'),
  main(
    'exit: [critique.jsonl]',
    'exit: [critique.jsonl, .execution-state.json]',
    '.execution-state.json is written by',
  ),
  main('exit: [critique.jsonl]', 'exit: [critique.jsonl, out/critique.md]', '"steps.0.exit.1" is "out/critique.md"'),
  main(
    'artefacts: [design-tokens',
    'artefacts: [.handoff-x-complete, design-tokens',
    '.handoff-x-complete is written by',
  ),
  main(
    'artefacts: [design-tokens',
    'artefacts: [tokens/*.json, design-tokens',
    '"gates.handoff-ux-complete.artefacts.0"',
  ),

  // Steps.
  main('step: 3, name: planning', 'step: 4, name: planning', 'step 4 stands at place 3'),
  main('step: 3, name: planning', 'step: 0, name: planning', '"steps.2.step" is 0'),
  main('name: planning', 'name: qa', 'there is a step qa already', '    name: qa'),
  main('name: planning, roles: [lead]', 'name: planning, roles: [planner]', '"planner" is not one of the roles'),
  main('name: planning, roles: [lead]', 'name: planning, roles: []', '"steps.2.roles" is []'),
  main('name: planning, roles: [lead]', 'name: planning', '"steps.2.roles" is missing'),
  main(
    'entry: [architecture.toon], exit',
    'entry: [architecture.md], exit',
    'no earlier step leaves architecture.md behind',
  ),
  main(
    'exit: [critique.jsonl], skippable: true',
    'exit: [critique.jsonl], skippable: sometimes',
    '"steps.0.skippable"',
  ),
  main('escalateTo: architect', 'escalateTo: boss', '"boss" is not one of the roles'),
  main('cycles: { max: 2, escalateTo: lead }', 'cycles: { max: 99, escalateTo: lead }', '"steps.6.cycles.max" is 99'),

  // Gates.
  main('aliases: [all-depts]', 'aliases: [ux-complete]', 'handoff-ux-complete has "ux-complete" already'),
  main('departments: active', 'departments: all', '"gates.all-depts-complete.departments" is "all"'),
  main('departments: [uiux]', 'departments: [ux]', '"ux" is not one of the departments'),
  main(', last: true', '', 'no gate ends the last wave', 'gates:'),
  main('blocking: false }', 'blocking: false, last: true }', 'ends the last wave already', '  all-depts-complete:'),
  main('type: api_contract, status', 'type: api, status', '"api" is not a hand-off that is written to a file'),
  main('type: api_contract, status: agreed', 'type: dev_progress', '"dev_progress" is not a hand-off that is written'),
  main(
    'type: api_contract, status: agreed',
    'type: api_contract, status: signed',
    '"signed" is not a status of api_contract',
  ),

  // Escalation and plain messages.
  main('owner, user]', 'owner]', 'the chain does not end with user'),
  main('owner, user]', 'user]', 'owner is not before user'),
  main('[dev, senior, lead', '[dev, user, senior, lead', 'user is not the last level'),
  main('[dev, senior, lead', '[dev, dev, senior, lead', 'dev is there twice'),
  main('[dev, senior, lead', '[intern, dev, senior, lead', '"intern" is not one of the roles'),
  main('tester: senior, qa: lead', 'tester: qa, qa: lead', 'qa is not a role of the chain'),
  main('tester: senior, qa: lead', 'tester: user, qa: lead', 'user is not a role of the chain'),
  main('tester: senior, qa: lead', 'qa: lead', 'tester asks no other role'),
  main('tester: senior, qa: lead', 'dev: lead, tester: senior, qa: lead', 'dev is in the chain already'),
  main('bypass: [security]', 'bypass: [police]', '"police" is not one of the roles'),
  main('timeoutSeconds: 300', 'timeoutSeconds: soon', '"escalation.timeoutSeconds" is "soon"'),
  main('violations: reject', 'violations: ignore', '"routing.violations" is "ignore"'),
  main('    dev: [senior]', '    dev: [seniors]', '"seniors" is not one of the roles'),
  main('    dev: [senior]', '    dev: senior', '"routing.talk.dev" is "senior"'),
  main('    dev: [senior]', '    devs: [senior]', '"devs" is not one of the roles'),

  // Hand-offs.
  handoff('dev_progress:', 'Dev Progress:', '"Dev Progress" is not a type'),
  handoff('dev_progress:', 'task_claim:', 'task_claim is derived from the journal'),
  handoff('dev_progress:', 'circuit_breaker_state:', 'circuit_breaker_state is derived from the journal'),
  handoff('dev_progress:', 'shutdown_request:', 'shutdown_request is a message of the runtime'),
  handoff('dev_progress:\n  from: dev', 'dev_progress:\n  from: developer', '"developer" is not one of the roles'),
  handoff('dev_progress:\n  from: dev', 'dev_progress:\n  from: up', '"up" is not one of the roles'),
  handoff('dev_progress:\n  from: dev', 'dev_progress:\n  from: 3', '"dev_progress.from" is 3'),
  handoff('dev_progress:\n  from: dev\n', 'dev_progress:\n', '"dev_progress.from" is missing'),
  handoff('dev_progress:\n  from: dev', 'dev_progress:\n  from: mobile/dev', '"mobile" is not one of the departments'),
  handoff(
    'dev_progress:\n  from: dev',
    'dev_progress:\n  from: critic',
    'critic is of kind task-only and sends no messages',
  ),
  handoff(
    'dev_progress:\n  from: dev\n  to: senior',
    'dev_progress:\n  from: dev\n  to: owner',
    'owner is of kind owner and gets no',
  ),
  handoff('dev_progress:\n  from: dev', 'dev_progress:\n  via: pigeon\n  from: dev', '"dev_progress.via" is "pigeon"'),
  handoff(
    'dev_progress:\n  from: dev',
    'dev_progress:\n  via: result\n  from: dev',
    'dev is of kind member and hands over',
  ),
  handoff('dev_progress:\n  from: dev', 'dev_progress:\n  via: file\n  from: dev', 'no file is named'),
  handoff(
    'dev_progress:\n  from: dev',
    'dev_progress:\n  file: x.jsonl\n  from: dev',
    'it goes by message, not by file',
  ),
  handoff('file: api-contracts.jsonl', 'file: ../api.jsonl', '"api_contract.file" is "../api.jsonl"'),
  handoff('file: api-contracts.jsonl', 'file: ..', '"api_contract.file" is ".."'),
  handoff('file: api-contracts.jsonl', 'file: package.json', '"api_contract.file" is "package.json"'),
  handoff('file: api-contracts.jsonl', 'file: README.md', '"api_contract.file" is "README.md"'),
  handoff('file: api-contracts.jsonl', 'file: Makefile', '"api_contract.file" is "Makefile"'),
  handoff('file: api-contracts.jsonl', 'file: "*.jsonl"', '"api_contract.file" is "*.jsonl"'),
  handoff('file: api-contracts.jsonl', 'file: api-{phase}.jsonl', '"api_contract.file" is "api-{phase}.jsonl"'),
  handoff('file: api-contracts.jsonl', 'file: .execution-state.json', '"api_contract.file" is'),
  handoff('file: design-handoff.jsonl', 'file: api-contracts.jsonl', 'api_contract is written to api-contracts.jsonl'),
  handoff('file: design-handoff.jsonl', 'file: API-Contracts.jsonl', 'api_contract is written to API-Contracts.jsonl'),
  handoff('file: api-contracts.jsonl', 'file: 03-01.summary.jsonl', '03-01.summary.jsonl is the name of a plan'),
  handoff('file: api-contracts.jsonl', 'file: api.plan.jsonl', 'api.plan.jsonl is the name of a plan'),
  handoff('file: api-contracts.jsonl', 'file: fe-code-review.jsonl', 'fe-code-review.jsonl is an artefact'),
  handoff('progress: status', 'progress: state', '"state" is not a field with several words'),
  handoff('    commit: text', '    commit: string', '"string" is not a kind of field'),
  handoff('    commit: text', '    commit: __proto__', '"__proto__" is not a kind of field'),
  handoff('    commit: text', '    commit?: text\n    commit: text', 'the field commit is there twice'),
  handoff('    commit: text', '    commit+: text', 'commit+ is not a list'),
  handoff('    commit: text', '    "com mit": text', '"com mit" is not the name of a field'),
  handoff('    concerns: [text]', '    concerns: []', 'does not say what is in the list'),
  handoff('    concerns: [text]', '    concerns: [text, text]', 'does not say what is in the list'),
  handoff('    concerns: [text]', '    concerns: 3', '3 is not a list of fields'),
  handoff('    concerns: [text]', `    concerns: ${'['.repeat(20)}text${']'.repeat(20)}`, 'nested too deeply'),
  handoff('  text: true', '  text: always', '"critique_result.text" is "always"'),

  // Roles.
  role('dev', '---\n', '', 'does not begin with YAML between two lines of ---'),
  role('dev', 'description: Implements', 'about: Implements', '"description" is missing'),
  role('dev', 'description: Implements', 'name: dev\ndescription: Implements', '"name" is not a key here'),
  role('dev', 'description: Implements', 'tools: [hammer]\ndescription: Implements', '"tools.0" is "hammer"'),
  role('dev', 'description: Implements', 'tools: bash\ndescription: Implements', '"tools" is "bash"'),
  role('dev', 'description: Implements', 'model: 4\ndescription: Implements', '"model" is 4'),
  role('dev', 'description: Implements', 'description: @Implements', 'YAML'),
]

function problemsOf(files: Record<string, string>) {
  return readOrganisation('organisation', filesFrom(files))
}

describe('a broken organisation file', () => {
  it(`is refused with file, line and fix (${broken.length} files)`, () => {
    expect(broken.length).toBeGreaterThanOrEqual(100)
    for (const [file, old, text, named, elsewhere] of broken) {
      const files = templateFiles()
      const source = files[file]!
      expect(source, `${file} holds ${old}`).toContain(old)
      files[file] = source.replace(old, () => text)
      const { problems, organisation } = problemsOf(files)
      const shown = problems.map((one) => `${one.file}:${one.line}: ${one.problem}. ${one.fix}`).join('\n')
      expect(organisation, `${text} was accepted`).toBeUndefined()
      const found = problems.find(({ problem }) => problem.includes(named))
      expect(found, `${named} is not in:\n${shown}`).toBeDefined()
      expect(found?.file).toBe(`organisation/${file}`)
      const begin = source.slice(0, source.indexOf(old)).split('\n').length
      const end = begin + text.split('\n').length - 1
      const reportedAt = files[file]!.split('\n')[found!.line - 1]
      if (elsewhere !== undefined) expect(reportedAt, shown).toContain(elsewhere)
      else expect(found!.line >= begin && found!.line <= end, `${named}: ${reportedAt}`).toBe(true)
      expect(found?.fix, shown).toMatch(/^[A-Z].{10,}[.:]?/)
    }
  })

  it('is reported at the line of the mistake', () => {
    const files = templateFiles()
    const lines = files[MAIN]!.split('\n')
    const at = lines.findIndex((line) => line.includes('prefix: yolo-fe-'))
    lines[at] = '    prefix: 3'
    files[MAIN] = lines.join('\n')
    files['roles/dev.md'] = '---\ndescription: x\n\ntools: [hammer]\n---\nPrompt'
    const { problems } = problemsOf(files)
    expect(problems.map(({ file, line }) => `${file}:${line}`)).toEqual([
      `organisation/organisation.yaml:${at + 1}`,
      'organisation/roles/dev.md:4',
    ])
  })

  it('hides no other mistake: all files and entries are checked at once', () => {
    const files = templateFiles()
    files[MAIN] = files[MAIN]!.replace('lead: yolo-fe-lead', 'lead: 3').replace('gate: handoff-ux', 'gate: ux')
    files[HANDOFFS] = files[HANDOFFS]!.replace('commit: text', 'commit: string').replace('to: senior', 'to: s')
    files['roles/dev.md'] = 'no front'
    delete files['roles/qa.md']
    files['roles/wizard.md'] = '---\ndescription: x\n---\ny'
    const { problems } = problemsOf(files)
    expect(problems.map(({ file, problem }) => `${file.slice('organisation/'.length)}: ${problem}`)).toEqual([
      expect.stringContaining('handoffs.yaml: "string" is not a kind of field'),
      expect.stringContaining('organisation.yaml: "departments.frontend.lead" is 3'),
      expect.stringContaining('organisation.yaml: "ux-complete" is not one of the gates'),
      expect.stringContaining('roles/dev.md: the file does not begin'),
      expect.stringContaining('roles/qa.md: the file does not exist'),
      expect.stringContaining('roles/wizard.md: no role has this name'),
    ])
  })

  it.each([
    ['an empty file', ''],
    ['a list', '- a'],
    ['a word', 'word'],
    ['a number', '3'],
    ['a million brackets', '['.repeat(1_000_000)],
    ['a list in a list in a list without end', '- '.repeat(500_000)],
    ['keys that are keys of keys', '? '.repeat(500_000)],
    ['brackets on many lines', '[\n'.repeat(100_000)],
    ['5,000 keys', Array.from({ length: 5_000 }, (_, i) => `k${i}: 1\n`).join('')],
    [
      'aliases that grow without end',
      `a: &a [x, x]\n${'bcdefghijkl'.replace(/./g, (c, i) => `${c}: &${c} [${`*${'abcdefghijk'[i]}, `.repeat(20)}]\n`)}`,
    ],
  ])('that holds %s is refused in every place, without a crash', (_, text) => {
    for (const file of [MAIN, HANDOFFS, 'roles/dev.md']) {
      const { problems, organisation } = problemsOf({ ...templateFiles(), [file]: text })
      expect(organisation).toBeUndefined()
      expect(problems[0]?.fix).toBeTruthy()
    }
  })

  it('refuses brackets without end before the parser reads them', () => {
    const { problems } = problemsOf({ ...templateFiles(), [MAIN]: `a:\n  ${'['.repeat(100)}` })
    expect(problems).toMatchObject([{ line: 2, problem: 'the file is nested too deeply' }])
  })

  it('is not refused for a type of hand-off that a user added', () => {
    const files = templateFiles()
    const added = 'perf_report:\n  from: qa\n  to: lead\n  fields: { p95: number, notes?: [text] }\n'
    expect(engineering({ [HANDOFFS]: `${files[HANDOFFS]}${added}` }).handoffs.get('perf_report')).toMatchObject({
      from: ['qa'],
      via: 'message',
    })
  }) // C35
})
