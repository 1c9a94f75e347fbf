/** A mistake that a test-only build makes (`__BUG__ === name`), and what must turn red then. */
export interface Bug {
  readonly name: string
  /** Why people make it, in a word. */
  readonly mistake: string
  /** The file of promises, tried under each of its bugs, … */
  readonly noticedIn: 'test/crash/promises.test.ts' | 'test/postgres/promises.test.ts'
  /** … and the test there that notices, by the beginning of its name. */
  readonly noticedBy: string
}

const onFiles: readonly Omit<Bug, 'noticedIn'>[] = [
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
]

const onPostgres: readonly Omit<Bug, 'noticedIn'>[] = [
  {
    name: 'client-side-next-number',
    mistake: 'the next number is looked up and then used, so that two writers want the same one',
    noticedBy: 'is sent once, whoever else is writing',
  },
  {
    name: 'serial-cursor',
    mistake: 'numbers come from a sequence, and readers ask for what has a higher one',
    noticedBy: 'is read by everybody, however late it is committed',
  },
  {
    name: 'notify-only',
    mistake: 'nobody looks without being notified',
    noticedBy: 'is found without a hint',
  },
  {
    name: 'fresh-decision-after-unknown',
    mistake: 'when an answer is lost, it is decided again as if nothing had been sent',
    noticedBy: 'counts once when its answer was lost',
  },
]

export const bugs: readonly Bug[] = [
  ...onFiles.map((bug) => ({ ...bug, noticedIn: 'test/crash/promises.test.ts' }) as const),
  ...onPostgres.map((bug) => ({ ...bug, noticedIn: 'test/postgres/promises.test.ts' }) as const),
]
