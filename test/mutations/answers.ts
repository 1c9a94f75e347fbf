import type { Mutation } from './mutation.ts'

const kills = 'test/team/plan-kills.test.ts'

/** Final answers of one-shot agents that were cut off behind the completion of their task. */
export const mutations: readonly Mutation[] = [
  {
    name: 'cut-off-answer-lost',
    mistake: 'a one-shot agent that was killed behind the completion of its task is never asked for its answer',
    file: 'src/supervisor/teammate/one-shots.ts',
    old: 'if (!owed || !isAnswerUsed()) return false',
    new: 'if (owed || !isAnswerUsed()) return false',
    test: kills,
    fails: 'when a task is completed, and its agent has not answered: run again, each is on record once',
  },
  {
    name: 'given-answer-forgotten',
    mistake: 'an answer that is in the transcript already counts as an empty one',
    file: 'src/agent/subagent.ts',
    old: 'endOf(isBegun ? withLastText(step.value) : step.value)',
    new: 'endOf(step.value)',
    test: kills,
    fails: 'when an answer is given, and not yet on record: run again, each is on record once',
  },
  {
    name: 'answer-recorded-twice',
    mistake: 'what a one-shot agent handed over is recorded again by the process that continues',
    file: 'src/supervisor/answers.ts',
    old: 'const once = commandId === undefined ? {} : { commandId }',
    new: 'const once = {}',
    test: kills,
    fails: 'when an answer is on record, and its agent has not stopped: run again, each is on record once',
  },
  {
    name: 'limit-loses-answer',
    mistake: 'a limit between completion and answer ends a one-shot agent for good',
    file: 'src/supervisor/teammate/one-shots.ts',
    old: 'if (cause !== undefined && held?.id !== task.id && limitOf(context) !== undefined) return',
    new: '',
    test: 'src/cli/plan/answers.test.ts',
    fails: 'asks an agent for its answer that a limit cut off behind the completion of its task',
  },
  {
    name: 'step-ends-without-owed-answer',
    mistake: 'a step whose tasks are completed ends although an answer, which may be a FAIL, is missing',
    file: 'src/session/organisation/run-department.ts',
    old: 'if (owed || tasks()',
    new: 'if (tasks()',
    test: 'src/cli/org/answers.test.ts',
    fails: 'that limits cut off again and again is recorded once, and a FAIL in it still counts',
  },
]
