import { describe, expect, it } from 'vitest'
import { parseFrontMatter } from './front-matter.ts'
import { parseAgentType } from './subagents/parse-agent-type.ts'

describe('the YAML at the head of a file', () => {
  it.each(['- ', '? ', '[', '{a: '])('is refused without parsing it where %j nests it without end', (mark) => {
    expect(() => parseFrontMatter(mark.repeat(125_000))).toThrow('nests too deeply')
  })

  it('is read as data where it nests as real files do', () => {
    expect(parseFrontMatter('name: ada\ntools: [read_file, bash]\ntags:\n  - a\n  - b')).toEqual({
      ...{ name: 'ada', tools: ['read_file', 'bash'], tags: ['a', 'b'] },
    })
  })

  it('names the agent file as broken where it nests without end', () => {
    const { type, problems } = parseAgentType(`---\n${'- '.repeat(125_000)}\n---\nprompt`)
    expect(type).toBeUndefined()
    expect(problems).toHaveLength(1)
  })
})
