import type { Problem } from '../../plan/plan.ts'
import { namesFor } from '../../tools/registry.ts'
import { fixedObject, listOf, text } from './fixed-schema.ts'
import { parseYaml } from './yaml-file.ts'

/** What `roles/<role>.md` says: YAML between two lines of `---`, then the prompt. */
export interface RoleFile {
  readonly description: string
  /** Undefined: all tools of its kind. */
  readonly tools?: readonly string[] | undefined
  /** Undefined: the model of the session. */
  readonly model?: string | undefined
  readonly prompt: string
}

const TOOLS = namesFor('code')
const TOOL = `Name some of these tools, or leave "tools" out for all of them: ${TOOLS.join(', ')}, mcp__SERVER__TOOL.`

const Front = fixedObject({
  description: text('Write in one line what this role is for.'),
  tools: listOf(
    text(TOOL).refine((name) => TOOLS.includes(name) || /^mcp__[\w*-]+$/i.test(name), TOOL),
    TOOL,
  ).optional(),
  model: text('Write provider/model, or leave "model" out to use the model of the session.').optional(),
})

const FRONT = /^\ufeff?---\r?\n(.*?)^---[ \t]*(?:\r?\n(.*))?$/ms

/** Undefined where it is wrong, with everything that is wrong in `problems`. */
export function parseRoleFile(file: string, source: string, problems: Problem[]): RoleFile | undefined {
  const [whole, front, prompt = ''] = FRONT.exec(source) ?? []
  if (whole === undefined || front === undefined) {
    const fix = 'Begin the file with three lines: ---, description: what this role is for, ---; then write the prompt.'
    problems.push({ file, line: 1, problem: 'the file does not begin with YAML between two lines of ---', fix })
    return undefined
  }
  const parsed = parseYaml(file, front, problems, { lines: 1 })?.parse([], Front)
  if (prompt.trim() === '')
    problems.push({
      file,
      line: source.split('\n').length,
      problem: 'there is no prompt below the second ---',
      fix: 'Write what an agent of this role does, and what it hands over.',
    })
  return parsed && { ...parsed, prompt: prompt.trim() }
}
