import type { z } from 'zod'
import { ARTEFACTS } from './schemas.ts'

/**
 * Why a file of a phase does not count as the artefact that its name says; undefined where it does. Files that no schema
 * knows (`architecture.toon`) must hold something.
 */
export function artefactProblem(name: string, text: string): string | undefined {
  const schema = ARTEFACTS[/^(.*)\.jsonl$/.exec(name)?.[1] ?? '']
  if (!schema) return text.trim() === '' ? 'is empty' : undefined
  const lines = text.split('\n').map((line, i) => ({ line, number: i + 1 }))
  const filled = lines.filter(({ line }) => line.trim() !== '')
  const least = schema.head || schema.mayBeEmpty ? 0 : 1
  if (schema.head && filled.length === 0) return 'is empty'
  if (filled.length < least) return 'is empty'
  for (const [i, { line, number }] of filled.entries()) {
    const problem = lineProblem(line, i === 0 && schema.head ? schema.head : schema.line)
    if (problem !== undefined) return `line ${number}: ${problem}`
  }
  return undefined
}

function lineProblem(line: string, schema: z.ZodType): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return 'is not JSON'
  }
  const [issue] = schema.safeParse(value).error?.issues ?? []
  return issue && `"${issue.path.join('.')}" ${issue.message}`
}
