import { appendRates } from './append-rate.mjs'
import { claimTime } from './board-size.mjs'
import { openClaimRate } from './claim-rate.mjs'
import { commandTimes } from './command-start.mjs'
import { openFirstPaint } from './first-paint.mjs'
import { importCosts, importGrowth } from './import.mjs'
import { openingTimes } from './opening.mjs'
import { claimTimes, growth } from './plan-scale.mjs'
import { wakeUpTimes } from './wake-up.mjs'

const SYNCED_APPENDS = 'bare O_APPEND + fdatasync, 8 processes'

const IMPORTED_TASKS = 10_000

/** Of each of the two plans. */
const PLAN_TASKS = 10_000

export default [
  {
    id: 'files-append',
    name: 'appends to a journal, one at a time',
    against: 'bare O_APPEND + fdatasync',
    unit: 'per second',
    round: appendRates,
  },
  {
    id: 'files-board-size',
    name: 'claim on a board of 10,000 tasks',
    against: 'on a board of 10',
    unit: 'ms',
    atMost: 5,
    round: async () => ({ limit: await claimTime(10), ours: await claimTime(10_000) }),
  },
  {
    id: 'files-claims-4-members',
    name: 'claims and completions, 8 processes of 4 members',
    against: SYNCED_APPENDS,
    unit: 'per second',
    open: () => openClaimRate({ membersEach: 4 }),
  },
  {
    id: 'files-claims-4-members-mail',
    name: 'the same with 5 messages per claim',
    against: SYNCED_APPENDS,
    unit: 'per second',
    open: () => openClaimRate({ membersEach: 4, messages: 5 }),
  },
  {
    id: 'files-claims-1-member',
    name: 'claims and completions, 8 processes of 1 member',
    against: SYNCED_APPENDS,
    unit: 'per second',
    rounds: 5,
    atLeast: 0.4,
    open: () => openClaimRate({ membersEach: 1 }),
  },
  {
    id: 'files-claims-1-member-mail',
    name: 'the same with 5 messages per claim, 1 member each',
    against: SYNCED_APPENDS,
    unit: 'per second',
    rounds: 5,
    atLeast: 0.25,
    open: () => openClaimRate({ membersEach: 1, messages: 5 }),
  },
  {
    id: 'files-command-start',
    name: 'deskmates task list, on a board of 10',
    against: 'bare node',
    unit: 'ms',
    rounds: 9,
    round: commandTimes,
  },
  {
    id: 'files-first-paint',
    name: 'deskmates on a terminal, until its prompt is painted',
    against: '3 × bare node, and opening the store',
    unit: 'ms',
    rounds: 9,
    atMost: 1,
    open: openFirstPaint,
  },
  {
    id: 'files-open-snapshot',
    name: 'process that opens 100,000 events, with snapshot',
    against: 'bare node',
    unit: 'ms',
    atMost: 3,
    rounds: 1,
    round: () => openingTimes({ keepSnapshot: true, runs: 9 }),
  },
  {
    id: 'files-open-no-snapshot',
    name: 'the same without snapshot',
    against: 'bare node',
    unit: 'ms',
    rounds: 1,
    round: () => openingTimes({ keepSnapshot: false, runs: 3 }),
  },
  {
    id: 'files-wake-up',
    name: 'send → another process awake (p50)',
    against: 'append + fdatasync alone',
    unit: 'ms',
    atMost: 10,
    round: wakeUpTimes,
  },
  {
    id: 'files-import',
    name: 'import of 10,000 tasks with one command, the start of the process included',
    against: 'a bare copy of the files',
    unit: 'ms CPU',
    atMost: 2,
    round: () => importCosts(IMPORTED_TASKS),
  },
  {
    id: 'files-import-growth',
    name: 'import of 20,000 tasks with one command',
    against: 'of 10,000',
    unit: 'ms CPU',
    atMost: 2.2,
    round: () => importGrowth(IMPORTED_TASKS),
  },
  ...['check', 'show', 'load'].map((command) => ({
    id: `files-plan-${command}`,
    name: `deskmates plan ${command} of two plans of 10,000 tasks, one behind the other`,
    against: 'of two plans of 5,000',
    unit: 'ms CPU',
    atMost: 2.5,
    // Of single rounds the figure of "load" varies by a factor of two: each is a difference of short processes.
    ...{ statistic: 'median', rounds: 5 },
    round: () => growth(command, PLAN_TASKS),
  })),
  {
    id: 'files-plan-claims',
    name: 'claim on two plans of 10,000 tasks, one behind the other',
    against: 'on two plans of 10',
    unit: 'ms',
    atMost: 5,
    round: () => claimTimes(PLAN_TASKS),
  },
]
