import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { codeOf, realDisk } from '../../stores/files/disk.ts'
import { makeFolder } from '../../stores/files/folders.ts'
import { replaceFile } from '../../stores/files/replace-file.ts'
import { look, thisRuntime } from '../../stores/identity.ts'

/**
 * Which instructions of a folder count. What changes while a session runs may have been written by an agent: it is not
 * loaded until a person accepts it as it is (`deskmates trust`). What a person changes between sessions counts at once.
 */
export interface AcceptedInstructions {
  /** `changedAt`: when the system last saw it change, in milliseconds; no program can set that back. */
  isAccepted(file: InstructionFile): boolean
  accept(files: readonly InstructionFile[]): void
  /** From here to `end` whatever changes waits for a person. */
  begin(session: string): void
  end(session: string): void
}

export interface InstructionFile {
  /** Relative to the workspace's folder. */
  readonly path: string
  readonly hash: string
  readonly changedAt: number
}

const Kept = z.object({
  folder: z.string(),
  accepted: z.record(z.string(), z.string()),
  sessions: z.array(
    z.object({ id: z.string(), from: z.number(), to: z.number().nullable(), runtime: z.string().optional() }),
  ),
})
type Kept = z.infer<typeof Kept>

/** Older sessions are forgotten; files that changed during them and were never accepted are no longer in doubt. */
const MOST_SESSIONS = 1000

interface InstructionsClock {
  now?(): number
  /** The process that begins and ends sessions. */
  readonly self?: string
  /** False if this process has ended for certain. */
  isAlive?(runtime: string): boolean
}

const mayLive = (runtime: string) => look(runtime) !== 'dead'

/** One small file per folder in `$DESKMATES_STATE/instructions`, where no agent can write. */
export function openAcceptedInstructions(
  state: string,
  folder: string,
  { now = Date.now, self = thisRuntime(), isAlive = mayLive }: InstructionsClock = {},
): AcceptedInstructions {
  const path = join(state, 'instructions', `${sha(folder)}.json`)

  function read(): Kept {
    const nothing: Kept = { folder, accepted: {}, sessions: [] }
    let text: string
    try {
      text = realDisk.readFileSync(path).toString()
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return nothing
      throw error
    }
    const kept = Kept.safeParse(parsed(text))
    // An unreadable record does not tell what was accepted: every change counts as in doubt.
    return kept.success ? kept.data : { ...nothing, sessions: [{ id: '', from: 0, to: now() }] }
  }

  function write(change: (kept: Kept) => Kept): void {
    makeFolder(realDisk, join(state, 'instructions'))
    replaceFile(realDisk, path, Buffer.from(`${JSON.stringify(change(read()))}\n`))
  }

  return {
    isAccepted({ path, hash, changedAt }) {
      const { accepted, sessions } = read()
      if (accepted[path] === hash) return true
      const at = Math.floor(changedAt)
      return !sessions.some(({ from, to }) => at >= from && (to === null || at <= to))
    },
    accept(files) {
      if (files.length === 0) return
      write((kept) => ({
        ...kept,
        accepted: { ...kept.accepted, ...Object.fromEntries(files.map(({ path, hash }) => [path, hash])) },
      }))
    },
    begin(id) {
      const from = now()
      // A process that was killed did not record the end of its session; other sessions may run beside this one.
      const endOf = ({ to, runtime }: Kept['sessions'][number]) =>
        to ?? (runtime !== undefined && isAlive(runtime) ? null : from)
      write((kept) => ({
        ...kept,
        sessions: [
          ...kept.sessions.map((one) => ({ ...one, to: endOf(one) })),
          { id, from, to: null, runtime: self },
        ].slice(-MOST_SESSIONS),
      }))
    },
    end(id) {
      const to = now()
      write((kept) => ({ ...kept, sessions: endedLast(kept.sessions, id, to) }))
    },
  }
}

export function hashOf(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex')
}

/** A session that is resumed has one entry for each time it ran. */
function endedLast(sessions: Kept['sessions'], id: string, to: number): Kept['sessions'] {
  const last = sessions.findLastIndex((one) => one.id === id)
  return sessions.map((one, i) => (i === last ? { ...one, to } : one))
}

function sha(text: string): string {
  return hashOf(text).slice(0, 32)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
