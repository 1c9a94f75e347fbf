import type { UserTurn } from '../../models/model.ts'
import { nameKey } from '../../team/name.ts'
import { type TeamState, type Unread, unreadOf } from '../../team/state.ts'
import type { MailFile } from '../../tools/tool.ts'
import { tokensIn } from '../compaction/weigh.ts'
import { fitText } from '../fit-text.ts'
import type { Membership } from '../membership.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { awaitsAnswer } from '../transcript/transcript-fold.ts'
import { type InputText, type TypedPart, typedParts } from '../transcript/typed-part.ts'
import { chooseMail, type InputBudget } from './choose-mail.ts'
import { attachmentParts } from './mail-attachments.ts'
import { imageParts } from './mail-images.ts'
import type { Notice, Notices } from './notices.ts'

/** Everything that enters one conversation: mail of every team the agent is a member of, and notices of the runtime. */
export interface Inbox {
  readonly notices: Notices
  /** Something waits that is worth a turn, as far as the journals are folded. */
  hasInput(): boolean
  /** The next user turn; undefined when nothing is new. What does not fit stays unread for the turn after it. */
  next(): Promise<Input | undefined>
  /** These messages stand in the transcript, as the result of a tool call; `turn` is its record there. */
  acknowledge(messages: readonly string[], turn: string | undefined): Promise<void>
}

export interface Input {
  readonly turn: UserTurn
  /** Ids of the messages in it. */
  readonly mail: readonly string[]
  /** Ids of the jobs whose end it reports. */
  readonly jobs: readonly string[]
  /** Long messages of which the turn holds head and tail: the rest is in these files, which are durable. */
  readonly files?: readonly MailFile[]
  /** The task that it is about. */
  readonly task?: string | undefined
  /** The parts of the turn that a person typed. */
  readonly typed?: readonly TypedPart[]
  /** Resolves when everything the turn reports is durable: after a power cut no turn may report what never happened. */
  waitUntilDurable(): Promise<void>
  /** To be called when the turn is in the transcript, and not before. */
  acknowledge(): Promise<void>
}

export interface InboxOptions {
  /** Its own team first. */
  memberships(): readonly Membership[]
  readonly transcript: Transcript
  readonly notices: Notices
  readonly budget: InputBudget
  /** Of a lead; without it all mail causes a turn. */
  readonly waking?: Waking
  /** Takes in lines that other programs wrote into the mailbox files. */
  ingest?(): Promise<void>
}

/** Which mail causes a turn at once, and when mail that waits does. */
export interface Waking {
  causesTurn(state: TeamState, unread: Unread): boolean
  /** A turn is due for what waits. */
  readonly isDue: boolean
  /** A turn received what waited. */
  onReceived(): void
}

export function createInbox({ memberships, transcript, notices, budget, waking, ingest }: InboxOptions): Inbox {
  const { state } = transcript
  const isDelivered = ({ message }: Unread) => state.mail.has(message.id)
  /** A turn is due anyway: everything that is new enters with it. */
  const isTurnDue = () => hasNotices() || awaitsAnswer(state)
  /** A lead that the user interrupted waits for a message. */
  const hasNotices = () => notices.waiting > 0 && !(waking && state.isInterrupted)

  return {
    notices,
    hasInput: () => hasNotices() || isMailDue(),
    async next() {
      await ingest?.()
      const all = memberships()
      for (const { team } of all) await team.refresh()
      for (const membership of all) await acknowledgeDelivered(membership)
      if (!isTurnDue() && !isMailDue()) return undefined
      const inputs: Input[] = []
      let left = budget.tokens
      // Half of the budget is for mail of its own team, the other half for all other teams together.
      const share = Math.floor(left / 2 / Math.max(1, all.length - 1))
      // Its own team last, with the notices: a failure behind that would lose them.
      for (const [index, membership] of [...all.entries()].reverse()) {
        const isOwn = index === 0
        const tokens = isOwn ? left : share
        const input = await inputFrom(membership, { ...budget, tokens }, isOwn)
        if (!input) continue
        left -= tokens - Math.max(0, input.left)
        inputs.unshift(input)
      }
      if (inputs.length > 0) waking?.onReceived()
      return joined(inputs)
    },
    async acknowledge(messages, turn) {
      for (const { team, by } of memberships()) {
        const own = messages.filter((id) => team.state.mailboxes.get(nameKey(by.name))?.has(id))
        if (own.length > 0) await team.acknowledge(by.name, own, null, { by, turn })
      }
    },
  }

  function isMailDue(): boolean {
    const causes =
      ({ team }: Membership) =>
      (unread: Unread) =>
        !isDelivered(unread) && (waking?.causesTurn(team.state, unread) ?? true)
    return (waking?.isDue ?? false) || memberships().some((one) => mailOf(one).some(causes(one)))
  }

  /** Messages that the transcript holds already cause no turn; their acknowledgement was lost with a process. */
  async function acknowledgeDelivered(membership: Membership): Promise<void> {
    const delivered = mailOf(membership).filter(isDelivered)
    if (delivered.length === 0) return
    await transcript.synced()
    await acknowledge(membership, delivered)
  }

  async function acknowledge({ team, by }: Membership, messages: readonly Unread[]): Promise<void> {
    for (const { ids, take, turn } of groupByTurn(messages, transcript)) {
      // If a power cut takes this back, the transcript still has the message, and it is acknowledged again.
      await team.acknowledge(by.name, ids, take, { by, until: 'written', turn })
    }
  }

  /** Mail of one team as a user turn. */
  async function inputFrom(membership: Membership, budget: InputBudget, isOwn: boolean) {
    const { team } = membership
    const fresh = mailOf(membership).filter((one) => !isDelivered(one))
    if (fresh.length === 0 && !(isOwn && notices.waiting > 0)) return undefined
    const chosen = await chooseMail(fresh, team, budget, isOwn ? undefined : team.name)
    const { mail, texts, images, attachments, files, left } = chosen
    const parts = [...attachmentParts(attachments, budget.readKept), ...imageParts(images, budget.readKept)]
    // Last, with nothing awaited behind it: a failure would lose the notices.
    const taken = isOwn ? takeNotices(notices, budget) : []
    const all: readonly InputText[] = [...taken.map(({ text }) => ({ text })), ...texts]
    return {
      turn: userTurn(
        all.map(({ text }) => text),
        parts,
      ),
      typed: typedParts(all),
      mail: mail.map(({ message }) => message.id),
      jobs: taken.flatMap(({ job }) => job ?? []),
      files,
      task: taken.findLast(({ task }) => task !== undefined)?.task,
      left,
      waitUntilDurable: () => team.syncState(),
      acknowledge: () => acknowledge(membership, mail),
    }
  }
}

function mailOf({ team, by }: Membership): Unread[] {
  return unreadOf(team.state, by.name)
}

export function userTurn(texts: readonly string[], more: UserTurn['content'] = []): UserTurn {
  return { role: 'user', content: [...texts.map((text) => ({ type: 'text' as const, text })), ...more] }
}

/** Notices have a budget of their own: mail does not delay them. */
function takeNotices(notices: Notices, { tokens, keep }: InputBudget): readonly Notice[] {
  let left = tokens
  const cost = new Map<Notice, number>()
  const taken = notices.take((notice) => {
    const size = notice.text.length > tokens * 20 ? tokens : Math.min(tokens, tokensIn(notice.text))
    cost.set(notice, size)
    left -= size
    return left >= 0
  })
  return taken.map((notice) =>
    cost.get(notice)! < tokens ? notice : { ...notice, text: fitText(notice.text, tokens / 2, keep, 'notice').text },
  )
}

interface SameTurn {
  readonly ids: string[]
  readonly take: string | null
  readonly turn: string | undefined
}

/** Messages in the same turn are acknowledged together; those that a dead reader had taken, under its take. */
function groupByTurn(messages: readonly Unread[], { state }: Transcript): Iterable<SameTurn> {
  const groups = new Map<string, SameTurn>()
  for (const { message, taken } of messages) {
    const take = taken?.take ?? null
    const turn = state.mail.get(message.id)
    const key = `${take} ${turn}`
    const group = groups.get(key) ?? { ids: [], take, turn }
    group.ids.push(message.id)
    groups.set(key, group)
  }
  return groups.values()
}

/** Input of several teams is one turn. */
function joined(inputs: readonly Input[]): Input | undefined {
  if (inputs.length < 2) return inputs[0]
  let before = 0
  const typed = inputs.flatMap(({ turn, typed: own = [] }) => {
    const shifted = own.map((one) => ({ ...one, part: one.part + before }))
    before += turn.content.length
    return shifted
  })
  return {
    turn: { role: 'user', content: inputs.flatMap(({ turn }) => turn.content) },
    typed,
    mail: inputs.flatMap(({ mail }) => mail),
    jobs: inputs.flatMap(({ jobs }) => jobs),
    files: inputs.flatMap(({ files = [] }) => files),
    task: inputs[0]?.task,
    async waitUntilDurable() {
      for (const input of inputs) await input.waitUntilDurable()
    },
    async acknowledge() {
      for (const input of inputs) await input.acknowledge()
    },
  }
}
