import { z } from 'zod'
import { Timestamp } from '../task.ts'

/**
 * starting          spawned, has not reported yet
 * working           owns a task or is in a turn
 * idle              owes nothing, or is parked between two runs; wakes on mail or a ready task; spends nothing while it waits
 * waiting_approval  asked for an approval and may not go on
 * stopping          agreed to stop
 * stopped           final for this generation; its claims and unread mail left with it
 * lost              its process is gone; claims are free again, its mail waits for the next generation
 */
export const MemberStatus = z.enum(['starting', 'working', 'idle', 'waiting_approval', 'stopping', 'stopped', 'lost'])
export type MemberStatus = z.infer<typeof MemberStatus>

/** `agent`: run by a runtime of ours. `external`: a script or another program. `human`: a person. */
export const MemberKind = z.enum(['agent', 'external', 'human'])
export type MemberKind = z.infer<typeof MemberKind>

/** What a teammate is besides its role; kept to bring it back as it was. */
export const Profile = z.object({
  agentType: z.string().nullable(),
  model: z.string().nullable(),
  /** It may look, but neither run nor change anything, before a plan of it was approved. */
  requirePlan: z.boolean(),
})
export type Profile = z.infer<typeof Profile>

export const Member = z.object({
  name: z.string(),
  role: z.string(),
  kind: MemberKind,
  status: MemberStatus,
  /** Counts the spawns (or joins) of this name; what an older generation writes bounces. */
  generation: z.number().int(),
  /** The process that runs an agent, and the supervisor's epoch it was spawned under. */
  runtime: z.string().nullable(),
  epoch: z.number().int(),
  prompt: z.string().nullable(),
  /** Of agents; missing in what older versions wrote. */
  profile: Profile.nullable().default(null),
  joinedAt: Timestamp,
  /** Its place in the roster. */
  place: z.number().int(),
  /** Why its last run ended in the middle of its work; only while it waits for the next run. */
  parked: z.string().optional(),
  /** How many of its last tasks failed in a row; missing when the last one was completed. */
  failures: z.number().int().positive().optional(),
})
export type Member = z.infer<typeof Member>

const STATUS_NAMES: Record<string, MemberStatus> = {
  start: 'starting',
  active: 'working',
  shutdown: 'stopped',
  stop: 'stopped',
  disappeared: 'lost',
}

/** Our name for a state, also where the source documents call it otherwise. */
export function memberStatus(text: string): MemberStatus | undefined {
  return MemberStatus.safeParse(text).data ?? (Object.hasOwn(STATUS_NAMES, text) ? STATUS_NAMES[text] : undefined)
}

/** Written out, because every process folds the claims of all members and a spread is several times slower. */
export function withStatus(member: Member, status: MemberStatus): Member {
  const { name, role, kind, generation, runtime, epoch, prompt, profile, joinedAt, place, failures } = member
  const next: Member = { name, role, kind, status, generation, runtime, epoch, prompt, profile, joinedAt, place }
  if (failures !== undefined) next.failures = failures
  return next
}

/** The agent type of agents that do one task. It stands in journals on disk, so it keeps this word. */
export const ONE_SHOT_TYPE = 'errand'

/** An agent that does one task and ends with it. It holds the claim, and is no member of the team to anyone else. */
export function isOneShot({ profile }: Pick<Member, 'profile'>): boolean {
  return profile?.agentType === ONE_SHOT_TYPE
}

/** May this member be written to, claim, act? */
export function isPresent(member: Member): boolean {
  return member.status !== 'stopped'
}
