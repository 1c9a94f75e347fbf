import { expect, it } from 'vitest'
import { commandOf, joined, pathsOf, resultOf, teamToolOf, type VendorCall } from './vendor-call.ts'

const MEGABYTE = 'x'.repeat(1024 * 1024)

it('keeps little of a large message about a call, and all that rules judge', () => {
  const call = joined(undefined, {
    ...{ toolCallId: 'c1', kind: 'edit', title: MEGABYTE, name: MEGABYTE },
    locations: Array.from({ length: 5000 }, () => ({ path: 'a.txt' })),
    content: [
      { type: 'diff', path: 'b.txt', oldText: MEGABYTE, newText: MEGABYTE },
      ...Array.from({ length: 5000 }, () => ({ type: 'content', content: { type: 'text', text: 'many' } })),
    ],
    rawInput: { file_path: 'c.txt', content: MEGABYTE },
    rawOutput: { output: MEGABYTE },
  } as VendorCall)
  expect(JSON.stringify(call).length).toBeLessThan(100_000)
  expect(pathsOf(call, '/work')).toEqual(['/work/a.txt', '/work/b.txt', '/work/c.txt'])
  expect(resultOf(call)).toContain('Changed b.txt.')
})

it('judges a long command whole, or not at all', () => {
  const run = (command: string) => joined(undefined, { toolCallId: 'c1', kind: 'execute', rawInput: { command } })
  const long = `echo ${'y'.repeat(500_000)}; rm -r src`
  expect(commandOf(run(long))).toBe(long)
  expect(run(`echo ${MEGABYTE}; rm -r src`)).toMatchObject({ kind: 'other' })
  expect(commandOf(run(`echo ${MEGABYTE}; rm -r src`))).toBeUndefined()
})

it('takes no call with a large input for one of our tools because of what was left out', () => {
  const own = { server: 'deskmates', tool: 'TaskUpdate', arguments: { result: MEGABYTE } }
  const call = (rawInput: object) => joined(undefined, { kind: 'execute', title: 'mcp.deskmates.TaskUpdate', rawInput })
  expect(teamToolOf(call(own), ['TaskUpdate'])).toBe('TaskUpdate')
  expect(teamToolOf(call({ ...own, script: MEGABYTE }), ['TaskUpdate'])).toBeUndefined()
})
