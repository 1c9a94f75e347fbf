import type { Mutation } from './mutation.ts'

const test = 'src/acp/agent/serve-acp.test.ts'
const content = 'src/acp/agent/prompt-content.test.ts'

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
]
