import { describe, expect, it } from 'vitest'
import { createRepeatedFailures, NO_PROGRESS, SAME_CALL } from './repeated-failures.ts'

const call = (toolName: string, input: unknown = {}) => ({
  type: 'tool-call' as const,
  toolCallId: 'c',
  toolName,
  input,
})
const bad = { text: 'no', isError: true }

/** So many answers are given, each with these calls, until the turn is stopped; how many there were. */
function answersUntilStopped(calls: (i: number) => [ReturnType<typeof call>, { text: string; isError?: boolean }][]) {
  const failures = createRepeatedFailures()
  for (let i = 1; i <= 100; i++) {
    for (const [one, result] of calls(i)) failures.add(one, result)
    const why = failures.endAnswer()
    if (why !== undefined) return { answers: i, why }
  }
  return undefined
}

describe('repeated failures', () => {
  it('stop a turn when the same call fails again and again', () => {
    const stopped = answersUntilStopped(() => [[call('bash', { command: 'x' }), bad]])
    expect(stopped).toEqual({ answers: SAME_CALL.stop, why: expect.stringContaining('same call of bash') })
  }) // T54

  it('stop a turn when every call fails, each in another way', () => {
    const stopped = answersUntilStopped((i) => [[call(`tool_${i}`), bad]])
    expect(stopped).toEqual({ answers: NO_PROGRESS.stop, why: expect.stringContaining('nothing but failing calls') })
  }) // T54

  it('count although a call beside them succeeds with the same result every time', () => {
    const stopped = answersUntilStopped(() => [
      [call('TaskList'), { text: 'nothing' }],
      [call('bash', { command: 'x' }), bad],
    ])
    expect(stopped?.answers).toBe(SAME_CALL.stop + 1)
  }) // T54

  it('count one answer once, however many equal calls it holds', () => {
    const stopped = answersUntilStopped(() => Array.from({ length: 30 }, () => [call('nope'), bad]))
    expect(stopped?.answers).toBe(SAME_CALL.stop)
  }) // T54

  it('never stop a turn in which other calls bring something new between them', () => {
    const stopped = answersUntilStopped((i) => [
      [call('edit_file', { path: 'a', new_text: String(i) }), { text: `edited ${i}` }],
      [call('bash', { command: 'npm test' }), bad],
    ])
    expect(stopped).toBeUndefined()
  }) // T54

  it('never stop a turn whose calls succeed, however often they are repeated', () => {
    expect(answersUntilStopped(() => [[call('TaskList'), { text: 'nothing' }]])).toBeUndefined()
  }) // T54

  it('are not made a fourth time, and block the agent until something else brings progress', () => {
    const blockers: unknown[] = []
    const failures = createRepeatedFailures((blocker) => blockers.push(blocker))
    for (let i = 0; i < 3; i++) {
      expect(failures.refuse(call('bash'))).toBeUndefined()
      failures.add(call('bash'), bad)
      failures.endAnswer()
    }
    for (let i = 0; i < 2; i++)
      expect(failures.refuse(call('bash'))?.text).toContain(
        'failed 3 times, so it is not made again. Try one other way',
      )
    expect(blockers).toEqual([{ tool: 'bash', times: 3, error: 'no' }])
    expect(failures.refuse(call('bash', { command: 'other' }))).toBeUndefined()
    failures.add(call('edit_file'), { text: 'edited' })
    failures.endAnswer()
    expect(failures.refuse(call('bash'))).toBeUndefined()
  }) // C69

  it('are reported to the model before its turn is stopped', () => {
    const failures = createRepeatedFailures()
    const texts: string[] = []
    for (let i = 0; i < SAME_CALL.warn; i++) {
      texts.push(failures.add(call('bash'), bad).text)
      failures.endAnswer()
    }
    expect(texts.slice(0, -1)).toEqual(Array(SAME_CALL.warn - 1).fill('no'))
    expect(texts.at(-1)).toContain(`After ${SAME_CALL.stop} your turn is stopped`)
  }) // T54
})
