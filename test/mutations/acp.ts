import type { Mutation } from './mutation.ts'

const test = 'src/acp/agent/serve-acp.test.ts'
const content = 'src/acp/agent/prompt-content.test.ts'
const teammate = 'test/acp/vendor-teammate.test.ts'
const recovery = 'test/acp/vendor-recovery.test.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'acp-cancel-ignored',
    mistake: 'an editor that cancels a turn waits until the agents are finished by themselves',
    file: 'src/acp/agent/acp-session.ts',
    old: '      isCancelling = true\n      interruptAll()\n',
    new: '      isCancelling = true\n',
    also: [
      {
        file: 'src/acp/agent/acp-session.ts',
        old: '    if (isCancelling) interruptAll()\n',
        new: '',
      },
    ],
    test,
    fails: 'cancels a turn: the lead is interrupted',
  },
  {
    name: 'acp-cancels-lead-only',
    mistake: 'teammates work on after an editor cancelled the turn',
    file: 'src/acp/agent/acp-session.ts',
    old: "if (state === 'working' || state === 'waiting_approval' || name === 'lead')",
    new: "if (state === name || name === 'lead')",
    test,
    fails: 'cancels the work of teammates too',
  },
  {
    name: 'acp-denial-allows',
    mistake: 'every answer of an editor allows the call',
    file: 'src/acp/agent/permission-request.ts',
    old: 'return outcome.optionId === ONCE ? { allowed: true } : { allowed: false }',
    new: 'return { allowed: true }',
    test,
    fails: 'denies a call, and the model learns it',
  },
  {
    name: 'acp-update-before-session',
    mistake: 'an editor gets updates of a session whose id it does not know yet',
    file: 'src/acp/agent/acp-session.ts',
    old: 'let sending = isKnown',
    new: 'let sending = Promise.resolve()',
    test,
    fails: 'gets no update of a new session before it has its id',
  },
  {
    name: 'acp-servers-ignored',
    mistake: 'MCP servers that the editor passes in are not used',
    file: 'src/acp/agent/serve-acp.ts',
    old: 'servers: editorServers(mcpServers)',
    new: 'servers: editorServers(mcpServers).slice(0, 0)',
    test: content,
    fails: 'passes MCP servers in, whose tools the lead uses after a permission',
  },
  {
    name: 'acp-image-not-checked',
    mistake: 'any attached file is sent as an image',
    file: 'src/tools/files/prompt-images.ts',
    old: "  if (kind.is !== 'image')\n    throw new PathRefused(`${name} is no image",
    new: "  if (kind.is === 'binary')\n    throw new PathRefused(`${name} is no image",
    also: [
      {
        file: 'src/tools/files/prompt-images.ts',
        old: 'return { name, mediaType: kind.mediaType, data, isExplicit: true }',
        new: "return { name, mediaType: kind.is === 'image' ? kind.mediaType : 'image/png', data, isExplicit: true }",
      },
    ],
    test: content,
    fails: 'is told that an attached file is no image',
  },
  {
    name: 'acp-embedded-text-looked-up',
    mistake: 'the text of an attached file names images and resources as if the user had typed it',
    file: 'src/acp/agent/prompt-content.ts',
    old: "return { text, attached: { text: texts.join(''), images } }",
    new: "return { text: text + texts.join(''), attached: { text: '', images } }",
    test: content,
    fails: 'names files whose names read like mentions by their addresses',
  },
  {
    name: 'acp-prompt-ends-early',
    mistake: 'a prompt ends before the lead has read it',
    file: 'src/acp/agent/acp-session.ts',
    old: 'prompt.place > promptsSeen || ',
    new: '',
    test,
    fails: 'gets the end of a prompt after its answer',
  },
  {
    name: 'vendor-cancel-ignored',
    mistake: "a vendor's agent is not asked to cancel its turn, and works on when urgent mail comes in",
    file: 'src/acp/client/vendor-loop.ts',
    old: '      void connection.cancel(id)\n',
    new: '',
    test: teammate,
    fails: 'is cancelled by urgent mail',
  },
  {
    name: 'vendor-prompt-recorded-late',
    mistake: "the program of a vendor's agent gets a prompt before the transcript has it",
    file: 'src/acp/client/vendor-loop.ts',
    old: '    await agent.transcript.synced()\n    signal.throwIfAborted()\n    running = turn\n',
    new: '    signal.throwIfAborted()\n    running = turn\n',
    also: [
      {
        file: 'src/agent/transcript/transcript.ts',
        old: '    scheduler\n      .whenIdle()\n      .then(() => flush())\n      .catch(() => {})\n',
        new: '',
      },
      {
        file: 'src/agent/transcript/transcript.ts',
        old: 'const SYNC_DELAY_MS = 200\n',
        new: 'const SYNC_DELAY_MS = 200_000\n',
      },
    ],
    test: teammate,
    fails: 'has its prompt in the transcript',
  },
  {
    name: 'vendor-permission-allowed',
    mistake: "what a vendor's agent asks is allowed without asking a rule or a person",
    file: 'src/acp/client/permission.ts',
    old: '    if (!permission.allowed) return permission\n',
    new: '',
    test: teammate,
    fails: 'are denied where the person denies',
  },
  {
    name: 'vendor-history-recorded-twice',
    mistake: 'history that session/load repeats is recorded again',
    file: 'src/acp/client/connection.ts',
    old: 'if (read && read.sessionId === session && !isReplaying && why === undefined) handler.onUpdate(read.update)',
    new: 'if (read && read.sessionId === session && why === undefined) handler.onUpdate(read.update)',
    also: [
      {
        file: 'src/acp/client/vendor-session.ts',
        old: '          session?.handler?.onUpdate(update)\n',
        new: "          if (session?.handler) session.handler.onUpdate(update)\n          else if ('content' in update && update.content && 'text' in update.content)\n            void agent.transcript.addInput({ role: 'user', content: [{ type: 'text', text: update.content.text }] }, [])\n",
      },
    ],
    test: recovery,
    fails: 'has the history that its program repeats in the transcript only once',
  },
  {
    name: 'vendor-gets-our-keys',
    mistake: "the program of a vendor's agent gets all variables of the user, keys of our providers included",
    file: 'src/acp/client/vendor-agents.ts',
    old: 'const own = canBeChanged(expanded) ? {} : variablesOf(credentials.env)',
    new: 'const own = canBeChanged(expanded) ? {} : variablesOf([...credentials.env, ...Object.keys(env)])',
    test: teammate,
    fails: 'has its own credentials and no key of ours',
  },
]
