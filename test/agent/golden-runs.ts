import type { Script } from '../../src/models/scripted/script.ts'

/** A run of `deskmates -p` against scripted models, whose whole output is kept. */
export interface ScriptedRun {
  readonly name: string
  readonly prompt: string
  readonly words?: readonly string[]
  readonly exit: number
  /** `main` is the model of the run; `spare` may be its fallback. */
  readonly scripts: Readonly<Record<'main' | 'spare', Script>> | { readonly main: Script }
  readonly files?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** A line in the inbox file of the lead, written before the run; needs an existing team. */
  readonly inboxLine?: string
}

export const runs: readonly ScriptedRun[] = [
  {
    name: 'answer',
    prompt: 'what is 6 times 7?',
    exit: 0,
    scripts: { main: { parts: [{ reasoning: 'six sevens', text: '42' }] } },
  },
  {
    name: 'tools',
    prompt: 'count the words',
    stdin: 'the quick brown fox\n',
    words: ['--allowedTools', 'bash(wc *)', '--permission-mode', 'acceptEdits'],
    exit: 0,
    files: { 'notes.txt': 'one two\nthree\n' },
    scripts: {
      main: {
        parts: [
          {
            when: { user: 'brown fox' },
            text: 'I look.',
            calls: [{ tool: 'read_file', input: { path: 'notes.txt' } }],
          },
          {
            when: { result: { tool: 'read_file', text: 'three' } },
            calls: [{ tool: 'bash', input: { command: 'wc -w notes.txt' } }],
          },
          {
            when: { result: { tool: 'bash', text: '3 notes.txt' } },
            calls: [{ tool: 'write_file', input: { path: 'count.txt', content: '3\n' } }],
          },
          { when: { result: { tool: 'write_file' } }, text: 'Three words; count.txt says so.' },
        ],
      },
    },
  },
  {
    name: 'denied',
    prompt: 'clean up',
    exit: 4,
    scripts: {
      main: {
        parts: [
          { calls: [{ tool: 'bash', input: { command: 'rm -rf build' } }] },
          { when: { result: 'no person can be asked' }, text: 'I was not allowed to remove build.' },
        ],
      },
    },
  },
  {
    name: 'turns-used-up',
    prompt: 'look again and again',
    words: ['--max-turns', '2'],
    exit: 3,
    scripts: {
      main: { parts: [{ times: 'always', text: 'once more', calls: [{ tool: 'glob', input: { pattern: '*.ts' } }] }] },
    },
  },
  {
    name: 'money-used-up',
    prompt: 'spend it',
    words: ['--max-budget-usd', '0.5'],
    exit: 3,
    scripts: {
      main: {
        price: { input: 0, cacheRead: 0, cacheWrite: 0, output: 1_000_000 },
        parts: [
          {
            times: 'always',
            text: 'on',
            calls: [{ tool: 'glob', input: { pattern: '*' } }],
            usage: { input: 7, output: 1 },
          },
        ],
      },
    },
  },
  {
    name: 'failed',
    prompt: 'hello?',
    exit: 1,
    scripts: { main: { parts: [{ error: { fault: 'key', message: 'The key is wrong. Check it.' } }] } },
  },
  {
    name: 'fallback',
    prompt: 'hello?',
    words: ['--fallback-model', 'scripted:spare.json'],
    exit: 0,
    scripts: {
      main: { parts: [{ error: { fault: 'key', message: 'The key is wrong. Check it.' } }] },
      spare: { parts: [{ text: 'I am the spare one.' }] },
    },
  },
  {
    name: 'subagent',
    prompt: 'where is the port set?',
    exit: 0,
    files: { 'server.ts': 'listen(8080)\n' },
    scripts: {
      main: {
        parts: [
          {
            agent: 'lead',
            calls: [{ tool: 'Task', input: { prompt: 'find where the port is set', agent_type: 'explore' } }],
          },
          {
            agent: 'lead/explore-1',
            when: { answer: 1, user: 'find where the port is set' },
            calls: [{ tool: 'grep', input: { pattern: 'listen' } }],
          },
          { agent: 'lead/explore-1', when: { result: 'listen(8080)' }, text: 'In server.ts, line 1.' },
          { agent: 'lead', when: { result: { tool: 'Task', text: 'server.ts' } }, text: 'server.ts sets it.' },
        ],
      },
    },
  },
  {
    name: 'background-job',
    prompt: 'run the tests',
    words: ['--allowedTools', 'bash'],
    exit: 0,
    scripts: {
      main: {
        parts: [
          { calls: [{ tool: 'bash', input: { command: 'sleep 0.2; echo passed', run_in_background: true } }] },
          { when: { result: { tool: 'bash', text: 'task_id' } }, text: 'They run; I shall hear of them.' },
          { when: { user: '<task-notification>' }, calls: [{ tool: 'TaskOutput', input: { task_id: 'b000001' } }] },
          { when: { result: { tool: 'TaskOutput', text: 'passed' } }, text: 'The tests passed.' },
        ],
      },
    },
  },
  {
    name: 'wrong-calls',
    prompt: 'try',
    exit: 0,
    scripts: {
      main: {
        parts: [
          {
            calls: [
              { tool: 'dance', input: {} },
              { tool: 'read_file', input: {}, malformed: '{"path": "a' },
              { tool: 'read_file', input: { path: 7 } },
              { tool: 'read_file', input: { path: '../outside' } },
            ],
          },
          { when: { result: 'Unknown tool: dance' }, text: 'None of it worked.' },
        ],
      },
    },
  },
  {
    name: 'cut-off',
    prompt: 'tell me everything',
    exit: 3,
    scripts: { main: { parts: [{ text: 'In the beginning', end: 'length' }] } },
  },
  {
    name: 'door-mail',
    prompt: 'anything new?',
    words: ['--team', 'web'],
    inboxLine: '{"from":"ci","content":"main is red"}',
    exit: 0,
    scripts: { main: { parts: [{ when: { user: 'external, unverified' }, text: 'ci says that main is red.' }] } },
  },
]
