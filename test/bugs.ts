/** A mistake that a test-only build makes (`__BUG__ === name`), and what must turn red then. */
export interface Bug {
  readonly name: string
  /** Why people make it, in a word. */
  readonly mistake: string
  /** The test that notices, by the beginning of its name. */
  readonly noticedBy: string
  /** The file it is in; crash/promises.test.ts if left out. */
  readonly file?: string
}

export const PROMISES = 'test/crash/promises.test.ts'
const POLICY = 'test/policy/promises.test.ts'
const MODELS = 'test/models/promises.test.ts'
const AGENT = 'test/agent/promises.test.ts'
const POSTGRES = 'test/postgres/promises.test.ts'
const TOOLS = 'test/tools/promises.test.ts'
const MEMORY = 'test/memory/promises.test.ts'
const TEAM = 'test/team/promises.test.ts'

/** The bugs that the tests of one file notice. */
export function bugsOf(file: string): readonly Bug[] {
  return bugs.filter((bug) => (bug.file ?? PROMISES) === file)
}

export const bugs: readonly Bug[] = [
  {
    name: 'truncate-after-read',
    mistake: 'a mailbox file is read and then emptied, as if nobody wrote in between',
    noticedBy: 'keeps lines written while it is put aside',
  },
  {
    name: 'split-append',
    mistake: 'a record is written in two calls',
    noticedBy: 'is written in one call',
  },
  {
    name: 'no-leading-newline',
    mistake: 'a record ends in a newline but does not begin with one',
    noticedBy: 'keeps the line behind one whose writer died in the middle',
  },
  {
    name: 'numbered-archive',
    mistake: 'a mailbox file is put aside under the next number',
    noticedBy: 'is put aside under a name of its own',
  },
  {
    name: 'position-based-after',
    mistake: 'a decision is accepted by where it stands, not by what it follows',
    noticedBy: 'stops at a decision whose predecessor is missing',
  },
  {
    name: 'claim-without-overlap-check',
    mistake: 'a claim does not look at the files of other claims',
    noticedBy: 'no claim meets the files of another',
  },
  {
    name: 'missing-fence',
    mistake: 'what a replaced generation writes still counts',
    noticedBy: 'what a replaced generation writes counts for nothing',
  },
  {
    name: 'lease-over-a-live-pid',
    mistake: 'a lease that is over is believed more than a process that lives',
    noticedBy: 'mail that a living process holds is not given to another',
  },
  {
    name: 'watch-on-the-file',
    mistake: 'the file is watched and not its folder',
    noticedBy: 'wakes whoever waits when another file has taken its place',
  },
  {
    name: 'ack-before-sync',
    mistake: 'a write is acknowledged before it is synced',
    noticedBy: 'survives a power cut right after the acknowledgement',
  },
  {
    name: 'write-behind-a-cut',
    mistake: 'a journal that lost its end is written to as if nothing had been behind it',
    noticedBy: 'is not written to by whoever finds it shorter',
  },
  {
    name: 'view-before-sync',
    mistake: 'a view shows what a power cut may still take from the journal',
    noticedBy: 'is on the disk as far as a view shows it',
  },
  {
    name: 'retry-after-emission',
    mistake: 'a model is asked again although part of its answer was shown',
    noticedBy: 'is not asked for again once something of it was shown',
    file: MODELS,
  },
  {
    name: 'empty-success',
    mistake: 'an answer with nothing in it counts as one',
    noticedBy: 'with nothing in it is never a success',
    file: MODELS,
  },
  {
    name: 'rerun-interrupted',
    mistake: 'a call that nobody knows the end of is run again',
    noticedBy: 'reports a call that nobody knows the end of as interrupted',
    file: AGENT,
  },
  {
    name: 'cut-pair',
    mistake: 'a call that was aborted is left without a result',
    noticedBy: 'leaves a conversation that can go on when it is aborted',
    file: AGENT,
  },
  {
    name: 'ack-before-turn',
    mistake: 'mail is acknowledged before the turn that holds it is in the transcript',
    noticedBy: 'acknowledges mail only when the turn that holds it',
    file: AGENT,
  },
  {
    name: 'turn-before-journal',
    mistake: 'a turn is in the transcript although a power cut would leave nothing of what it tells',
    noticedBy: 'has the journal synced before a turn that tells of it is in the transcript',
    file: AGENT,
  },
  {
    name: 'ack-before-durable',
    mistake: 'mail is acknowledged although a power cut would leave no turn that holds it',
    noticedBy: 'asks the model while the turn becomes durable, and acknowledges its mail only then',
    file: AGENT,
  },
  {
    name: 'effect-before-durable',
    mistake: 'a call begins although a power cut would leave nothing that knows of it',
    noticedBy: 'changes nothing before the answer that asks for it is durable',
    file: AGENT,
  },
  {
    name: 'fence-before-its-line',
    mistake: 'a conversation is read before the line that opens it for this generation',
    noticedBy: 'counts what the older generation wrote before the line',
    file: AGENT,
  },
  {
    name: 'client-side-next-number',
    mistake: 'the next number is looked up and then used, so that two writers want the same one',
    noticedBy: 'is sent once, whoever else is writing',
    file: POSTGRES,
  },
  {
    name: 'serial-cursor',
    mistake: 'numbers come from a sequence, and readers ask for what has a higher one',
    noticedBy: 'is read by everybody, however late it is committed',
    file: POSTGRES,
  },
  {
    name: 'notify-only',
    mistake: 'nobody looks without being notified',
    noticedBy: 'is found without a hint',
    file: POSTGRES,
  },
  {
    name: 'fresh-decision-after-unknown',
    mistake: 'when an answer is lost, it is decided again as if nothing had been sent',
    noticedBy: 'counts once when its answer was lost',
    file: POSTGRES,
  },
  {
    name: 'cursor-by-number',
    mistake: 'after a failover a reader goes on behind the number it had come to',
    noticedBy: 'is not taken for another that has its number',
    file: POSTGRES,
  },
  {
    name: 'guess-the-request',
    mistake: 'an answer that names no request goes to the first one that waits',
    noticedBy: 'answers no request that it does not name while several wait',
    file: TOOLS,
  },
  {
    name: 'deliver-unseen-mail',
    mistake: 'mail counts as delivered although the result had no room for it',
    noticedBy: 'delivers only the mail that it shows',
    file: TOOLS,
  },
  {
    name: 'complete-before-the-rest',
    mistake: 'a task is completed first, and what else was to change is refused afterwards',
    noticedBy: 'completes a task only when everything else that was asked for is in order',
    file: TOOLS,
  },
  {
    name: 'summary-forgets-roster',
    mistake: 'after a summary an agent knows what was said, and no longer who is in its team',
    noticedBy: 'says who is in the team and what is open',
    file: MEMORY,
  },
  {
    name: 'redact-per-chunk',
    mistake: 'each piece of a stream is looked at by itself',
    noticedBy: 'shows no secret of a stream that is cut',
    file: MEMORY,
  },
  {
    name: 'realpath-then-open',
    mistake: 'a path is resolved and judged, and then opened by its name',
    noticedBy: 'judges the very file it opens',
    file: POLICY,
  },
  {
    name: 'prefix-rule',
    mistake: 'a rule for commands is compared with how a line begins',
    noticedBy: 'does not allow what merely begins like',
    file: POLICY,
  },
  {
    name: 'hook-timeout-allows',
    mistake: 'a hook that does not answer is taken for one that has nothing against it',
    noticedBy: 'takes a hook that does not answer in time',
    file: POLICY,
  },
  {
    name: 'gate-off',
    mistake: 'that a plan needs approval stands in the prompt only',
    noticedBy: 'changes nothing before its plan is approved',
    file: TEAM,
  },
  {
    name: 'approval-without-generation',
    mistake: 'a yes to a plan is good for whoever has the name, in any life',
    noticedBy: 'needs a new yes in a new life',
    file: TEAM,
  },
  {
    name: 'call-on-idle',
    mistake: 'whoever rests asks its model now and then whether there is anything to do',
    noticedBy: 'costs nothing while it rests',
    file: TEAM,
  },
  {
    name: 'claim-ignores-role',
    mistake: 'whoever is free takes what is ready',
    noticedBy: 'takes no task that is meant for another role',
    file: TEAM,
  },
  {
    name: 'stop-overwritten-by-idle',
    mistake: 'a turn that ends late says that its teammate is idle, although it has stopped',
    noticedBy: 'that has stopped stays so',
    file: TEAM,
  },
  {
    name: 'grant-from-the-journal',
    mistake: 'a yes that stands in the journal lets a call run, whoever wrote it there',
    noticedBy: 'does nothing because the journal says that it may',
    file: TEAM,
  },
  {
    name: 'lead-exits-early',
    mistake: 'a run is over when its lead has nothing more to say',
    noticedBy: 'goes on until everybody has done',
    file: TEAM,
  },
  {
    name: 'mail-gone-with-its-team',
    mistake: 'a team is put away with what its members wrote to the lead while they stopped',
    noticedBy: 'hears what was written to it',
    file: TEAM,
  },
]
