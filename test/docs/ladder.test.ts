import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { namesFor } from '../../src/tools/registry.ts'
import { project, readPage } from './page.ts'

const name = 'docs/from-a-loop-to-a-team.md'
const { text } = readPage(name)
const rows = [...text.matchAll(/^\| (v\d) \|(.*)\|(.*)\|(.*)\|$/gm)].map(
  ([, step = '', what = '', tools = '', place = '']) => ({
    step,
    what,
    tools: [...tools.matchAll(/`([^`]+)`/g)].map(([, tool = '']) => tool),
    place: /`([^`]+)`/.exec(place)?.[1] ?? '',
  }),
)

describe('docs/from-a-loop-to-a-team.md', () => {
  it('lists nine steps, each with tools that a lead has and a source file that exists', () => {
    expect(rows.map(({ step }) => step)).toEqual(['v0', 'v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7', 'v8'])
    const offered = namesFor('lead', 'team')
    for (const { tools, place, step } of rows) {
      expect(
        tools.filter((tool) => !offered.includes(tool)),
        step,
      ).toEqual([])
      expect(existsSync(join(project, place)), `${step}: ${place}`).toBe(true)
    }
    const named = rows.flatMap(({ tools }) => tools)
    expect(
      offered.filter((tool) => !named.includes(tool)),
      'every tool of a lead belongs to a step',
    ).toEqual([])
  }) // A7
})
