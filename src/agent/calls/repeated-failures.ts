import type { ToolCall } from '../../models/model.ts'
import { noProgressText, notRepeatedText, sameCallFailedText } from '../../prompts/notices.ts'
import type { ToolResult } from '../../tools/tool.ts'

/**
 * Detects a model that repeats failing tool calls without progress, whatever makes them fail: an unknown tool, an
 * invalid input, a denial, an error. At the third failure of the same call the model is told to try one other way; the call
 * is not made a fourth time, and its superior learns what blocks it. If it continues, its turn ends.
 *
 * Progress is a call that succeeds and brings something new: another call, or another result than before in this turn.
 */
export interface RepeatedFailures {
  /** The result of a call that is not made again, because it failed often enough; undefined if it may be made. */
  refuse(call: ToolCall): ToolResult | undefined
  /** A call has ended. Returns its result as the model is to read it. */
  add(call: ToolCall, result: ToolResult): ToolResult
  /** Every call of one answer has ended. Returns why the turn has to stop, or undefined if it may continue. */
  endAnswer(): string | undefined
}

/** A call that failed so often, each time without progress, that it is not made again. */
export interface Blocker {
  readonly tool: string
  readonly times: number
  /** Of its last failure. */
  readonly error: string
}

/** Answers in which the same call fails with the same input: the model is warned at the first number, stopped at the second. */
export const SAME_CALL = { warn: 3, stop: 10 }
/** Answers in a row without a call that brings anything new. */
export const NO_PROGRESS = { warn: 5, stop: 15 }

/** `onBlocked` is called once for each call that is not made again. */
export function createRepeatedFailures(onBlocked: (blocker: Blocker) => void = () => {}): RepeatedFailures {
  /** By call: in how many answers it failed since the last progress. */
  const failures = new Map<string, number>()
  const lastErrors = new Map<string, string>()
  const blocked = new Set<string>()
  const results = new Set<string>()
  let answersWithoutProgress = 0
  /** Of the answer whose calls are under way. */
  let failedNow = new Map<string, string>()
  let hasProgress = false

  return {
    refuse(call) {
      const key = keyOf(call)
      const times = SAME_CALL.warn
      if ((failures.get(key) ?? 0) < times) return undefined
      const error = lastErrors.get(key) ?? ''
      if (!blocked.has(key)) onBlocked({ tool: call.toolName, times, error })
      blocked.add(key)
      return { text: notRepeatedText(call.toolName, times), isError: true }
    },
    add(call, result) {
      const key = keyOf(call)
      if (!result.isError) {
        const outcome = JSON.stringify([key, result.text])
        if (!results.has(outcome)) hasProgress = true
        results.add(outcome)
        return result
      }
      failedNow.set(key, call.toolName)
      const times = (failures.get(key) ?? 0) + 1
      if (times <= SAME_CALL.warn) lastErrors.set(key, result.text)
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
        blocked.clear()
        lastErrors.clear()
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

function keyOf({ toolName, input }: ToolCall): string {
  return JSON.stringify([toolName, input])
}

function withNote(result: ToolResult, note: string): ToolResult {
  return { ...result, text: `${result.text}\n[${note}]` }
}
