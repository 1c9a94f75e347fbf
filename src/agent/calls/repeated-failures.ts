import type { ToolCall } from '../../models/model.ts'
import { noProgressText, sameCallFailedText } from '../../prompts/notices.ts'
import type { ToolResult } from '../../tools/tool.ts'

/**
 * Detects a model that repeats failing tool calls without progress, whatever makes them fail: an unknown tool, an
 * invalid input, a denial, an error. The model is warned first; if it continues, its turn ends.
 *
 * Progress is a call that succeeds and brings something new: another call, or another result than before in this turn.
 */
export interface RepeatedFailures {
  /** A call has ended. Returns its result as the model is to read it. */
  add(call: ToolCall, result: ToolResult): ToolResult
  /** Every call of one answer has ended. Returns why the turn has to stop, or undefined if it may continue. */
  endAnswer(): string | undefined
}

/** Answers in which the same call fails with the same input: the model is warned at the first number, stopped at the second. */
export const SAME_CALL = { warn: 3, stop: 10 }
/** Answers in a row without a call that brings anything new. */
export const NO_PROGRESS = { warn: 5, stop: 15 }

export function createRepeatedFailures(): RepeatedFailures {
  /** By call: in how many answers it failed since the last progress. */
  const failures = new Map<string, number>()
  const results = new Set<string>()
  let answersWithoutProgress = 0
  /** Of the answer whose calls are under way. */
  let failedNow = new Map<string, string>()
  let hasProgress = false

  return {
    add(call, result) {
      const key = JSON.stringify([call.toolName, call.input])
      if (!result.isError) {
        const outcome = JSON.stringify([key, result.text])
        if (!results.has(outcome)) hasProgress = true
        results.add(outcome)
        return result
      }
      failedNow.set(key, call.toolName)
      const times = (failures.get(key) ?? 0) + 1
      if (times >= SAME_CALL.warn) return withNote(result, sameCallFailedText(times, SAME_CALL.stop))
      if (answersWithoutProgress + 1 >= NO_PROGRESS.warn)
        return withNote(result, noProgressText(answersWithoutProgress + 1, NO_PROGRESS.stop))
      return result
    },
    endAnswer() {
      const failed = failedNow
      failedNow = new Map()
      const isProgress = hasProgress
      hasProgress = false
      if (isProgress) {
        failures.clear()
        answersWithoutProgress = 0
        return undefined
      }
      if (failed.size === 0) return undefined
      answersWithoutProgress++
      for (const [key, tool] of failed) {
        const times = (failures.get(key) ?? 0) + 1
        failures.set(key, times)
        if (times >= SAME_CALL.stop) return `the same call of ${tool} failed in ${times} answers without any progress`
      }
      if (answersWithoutProgress < NO_PROGRESS.stop) return undefined
      return `${answersWithoutProgress} answers in a row brought nothing but failing calls`
    },
  }
}

function withNote(result: ToolResult, note: string): ToolResult {
  return { ...result, text: `${result.text}\n[${note}]` }
}
