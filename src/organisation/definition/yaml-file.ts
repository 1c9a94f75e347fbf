import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'
import type { z } from 'zod'
import type { Problem } from '../../plan/plan.ts'
import { shown } from '../../plan/shown-value.ts'
import { tooNested } from '../../tools/yaml-nesting.ts'

type Path = readonly PropertyKey[]

/** A YAML file that knows where each of its values stands, and collects what is wrong in it. */
export interface YamlFile {
  readonly value: unknown
  /** Says that what stands at `path` is wrong. */
  report(path: Path, problem: string, fix: string): void
  /** The value at `path`, checked; undefined where something in it is wrong, which is reported. */
  parse<T>(path: Path, schema: z.ZodType<T>): T | undefined
  /** The names below `path`, also those of entries that are wrong; undefined where there is no map. */
  names(path: Path): string[] | undefined
}

/** Where a file that begins inside of another one begins, from 0. */
interface Offset {
  readonly lines: number
}

/** Undefined where it is not YAML. */
export function parseYaml(
  file: string,
  source: string,
  problems: Problem[],
  { lines }: Offset = { lines: 0 },
): YamlFile | undefined {
  const counter = new LineCounter()
  const add = (line: number, problem: string, fix: string) =>
    void problems.push({ file, line: line + lines, problem, fix })
  const nested = tooNested(source)
  if (nested !== undefined) {
    add(nested, 'the file is nested too deeply', 'Write it with fewer brackets and less indentation.')
    return undefined
  }
  try {
    // The parser compares every key with every other one; `misuses` does not.
    const options = { prettyErrors: false, logLevel: 'silent', uniqueKeys: false } as const
    const document = parseDocument(source, { ...options, lineCounter: counter })
    const wrong = [...document.errors, ...document.warnings]
    for (const { pos, message } of wrong)
      add(
        counter.linePos(pos[0]).line,
        `this is not valid YAML: ${message}`,
        'Correct the indentation, quotes or brackets here.',
      )
    const misused = misuses(document)
    for (const { node, problem, fix } of misused) add(counter.linePos(startOf(node)).line, problem, fix)
    if (wrong.length + misused.length > 0) return undefined
    const value: unknown = document.toJS()
    const positionOf = createPositions(document.contents)
    const lineOf = (path: Path) => counter.linePos(positionOf(path)).line
    return yamlFile(value, (path, problem, fix) => add(lineOf(path), problem, fix))
  } catch (error) {
    add(1, `the file cannot be read as YAML: ${(error as Error).message}`, 'Write it as in the template.')
    return undefined
  }
}

/** Keys that are there twice, and aliases: one of them can stand for a value without end. */
function misuses(document: Document): { node: unknown; problem: string; fix: string }[] {
  const found: { node: unknown; problem: string; fix: string }[] = []
  visit(document, {
    Alias(_, node) {
      found.push({
        node,
        problem: `this is not valid YAML here: an alias (*${node.source})`,
        fix: 'Write the value itself.',
      })
    },
    Map(_, { items }) {
      const seen = new Set<string>()
      for (const { key } of items) {
        const name = isScalar(key) ? String(key.value) : ''
        if (seen.has(name))
          found.push({ node: key, problem: `${shown(name)} is there twice`, fix: 'Keep one of them.' })
        seen.add(name)
      }
    },
  })
  return found
}

function yamlFile(value: unknown, report: YamlFile['report']): YamlFile {
  return {
    value,
    report,
    parse(path, schema) {
      const parsed = schema.safeParse(at(value, path))
      if (parsed.success) return parsed.data
      for (const issue of parsed.error.issues) reportIssue(issue, path)
      return undefined
    },
    names(path) {
      const entries = at(value, path)
      return isRecord(entries) ? Object.keys(entries) : undefined
    },
  }

  function reportIssue(issue: z.core.$ZodIssue, base: Path): void {
    const path = [...base, ...issue.path]
    if (issue.code === 'unrecognized_keys')
      for (const key of issue.keys) report([...path, key], `"${key}" is not a key here`, issue.message)
    else report(path, problemAt(value, path), issue.message)
  }
}

function problemAt(value: unknown, path: Path): string {
  const found = at(value, path)
  const name = path.length === 0 ? 'the file' : `"${path.join('.')}"`
  return found === undefined || found === null ? `${name} is missing` : `${name} is ${shown(found)}`
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step)
        ? (inner as Record<PropertyKey, unknown>)[step]
        : undefined,
    value,
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Where values stand, by their keys; of a missing one, where it should be: in the innermost part that exists. */
function createPositions(root: unknown): (path: Path) => number {
  const pairsOf = new WeakMap<object, Map<string, Pair>>()
  const pairIn = (map: YAMLMap, key: string) => {
    let pairs = pairsOf.get(map)
    if (!pairs) {
      pairs = new Map(map.items.map((pair) => [isScalar(pair.key) ? String(pair.key.value) : '', pair]))
      pairsOf.set(map, pairs)
    }
    return pairs.get(key)
  }
  return (path) => {
    let node = root
    let position = startOf(root)
    for (const step of path) {
      const pair = isMap(node) ? pairIn(node, String(step)) : undefined
      const item = isSeq(node) ? node.items[Number(step)] : undefined
      if (pair === undefined && item === undefined) break
      position = startOf(pair ? pair.key : item)
      node = pair ? pair.value : item
    }
    return position
  }
}

function startOf(node: unknown): number {
  return (node as Node | null | undefined)?.range?.[0] ?? 0
}
