/**
 * Options and commands of other coding agents (Claude Code, opencode, Codex, Gemini) that users type by habit, with what
 * to use here instead. A hint stands behind all the words, separated by spaces, that it is for.
 */

const OPTIONS = byWord({
  '-v': 'deskmates -v alone prints the version. To see what happens during a run: --verbose',
  '-d --debug': 'To see what happens: --verbose. For a stack with every error: DESKMATES_DEBUG=1',
  '--debug-file': 'To see what happens: --verbose 2> FILE',
  '--mcp-debug': 'To see what MCP servers do: --verbose, and deskmates mcp list',
  '--system-prompt': 'The built-in instructions cannot be replaced. Add to them: --append-system-prompt TEXT',
  '--system-prompt-file':
    'The built-in instructions cannot be replaced. Add to them: --append-system-prompt "$(cat FILE)"',
  '--append-system-prompt-file': 'Use --append-system-prompt "$(cat FILE)", or write an AGENTS.md',
  '--session -s': 'Resume a session: -r SESSION. List them: deskmates sessions',
  '--fork': 'Use --fork-session, with -c or -r SESSION',
  '--no-session-persistence': 'Every run is kept. Remove old ones: deskmates sessions prune',
  '--config': 'Use --settings FILE; see which settings count: deskmates config list',
  '--setting-sources': 'All settings files are read; see which counts: deskmates config list',
  '--permission-prompt-tool --permission-prompt-tool-name':
    'In a headless run no person is asked. Allow with rules: --allowedTools, or --permission-mode',
  '--allow-dangerously-skip-permissions --yolo -y': 'Use --dangerously-skip-permissions',
  '--dangerously-bypass-approvals-and-sandbox':
    'Use --dangerously-skip-permissions, and --sandbox off to run commands without the sandbox',
  '--full-auto': 'Use --permission-mode acceptEdits, with --allowedTools for commands',
  '--approval-mode --ask-for-approval': 'Use --permission-mode',
  '-a': 'Use --permission-mode, or --allowedTools',
  '--plan': 'Use --permission-mode plan',
  '--tools': 'To take tools away: --disallowedTools. To allow what they do: --allowedTools',
  '--agent': 'Agent types are files (agents/NAME.md); name one in the prompt, and the lead uses it',
  '--teammate-mode': 'Teammates always run in this process; watch them: deskmates log --follow --team TEAM',
  '--include-hook-events --replay-user-messages': 'stream-json has them already: --output-format stream-json',
  '--format': 'Use --output-format',
  '--output -o': 'Use --output-format; write to a file with: > FILE',
  '--output-last-message': 'The last word is what -p prints: > FILE',
  '--prompt': 'Use -p',
  '--prompt-interactive -i --interactive': "On a terminal deskmates 'what to do' opens the conversation",
  '--last': 'Use -c',
  '--cd -C --dir': 'Use --cwd DIR',
  '--include-directories': 'Use --add-dir DIR',
  '--worktree -w': 'Make one with git worktree add, and use --cwd DIR',
  '--name -n --title': 'A session is titled by its first prompt: deskmates sessions',
  '--file -f': 'Name the path in the prompt, behind @: @FILE; or pipe the file in: < FILE',
  '--image': 'Name the path of the image in the prompt, behind @: @picture.png',
  '--effort --variant --thinking --temperature':
    'Set it for the model in the settings: models."provider/model".options',
  '--max-tokens': 'Set maxOutputTokens in the settings',
  '--betas': 'Set headers for the provider in the settings: providers.anthropic.headers',
  '--provider': 'Name the provider with the model: -m provider/model',
  '--oss': 'Use a local model: -m ollama/NAME',
  '--search': 'There is no web search. A command may use the network with: --allowedTools "network(curl *)"',
  '--profile': 'Choose the model with -m, and everything else in the settings: deskmates config list',
  '--max-cost --budget': 'Use --max-budget-usd',
  '--timeout': 'Use --max-turns or --max-budget-usd, or: timeout 10m deskmates …',
  '--quiet -q': 'A run is quiet in a pipe: 2> /dev/null leaves only the answer',
  '--ide': 'Editors connect with ACP: let the editor start deskmates acp',
  '--share': 'Sessions stay on this machine',
  '--plugin-dir': 'There are no plugins; use agents/, skills/ and hooks',
  '--disable-slash-commands': 'Slash commands cannot be switched off',
})

/** By the first word of a command line. */
const COMMANDS = byWord({
  'run exec chat ask prompt': "To give a prompt: deskmates -p 'what to do'.",
  continue: "To resume the newest session: deskmates -c -p 'go on'.",
  'session history': 'Sessions are listed by: deskmates sessions.',
  ps: 'See who works: deskmates status.',
  list: 'See: deskmates sessions, deskmates team list, deskmates task list.',
  'tasks board': 'Use: deskmates task list.',
  teams: 'Use: deskmates team list.',
  mail: 'Use: deskmates inbox MEMBER.',
  agent: 'Agent types are files: agents/NAME.md or .claude/agents/NAME.md.',
  models: 'Name a model with -m provider/model; see which keys are set: deskmates doctor.',
  'auth login':
    'Keys come from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY …); see which are set: deskmates doctor.',
  logout: 'Keys come from the environment; unset the variable.',
  'setup-token': 'Keys come from the environment (ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN …); see: deskmates doctor.',
  settings: 'Use: deskmates config list.',
  install: 'Install with npm: npm install -g deskmates.',
  'update upgrade': 'Update with npm: npm install -g deskmates@latest.',
  uninstall: 'Remove with npm: npm uninstall -g deskmates.',
  version: 'Use: deskmates --version.',
  plugin: 'There are no plugins; use agents/, skills/ and hooks.',
  serve: 'To let outside agents use the team: deskmates mcp serve. To let editors: deskmates acp.',
  web: 'There is no web page yet; see: deskmates status, deskmates log --follow.',
  watch: 'Watch a session with: deskmates attach TEAM, or deskmates log --follow --team TEAM.',
  logs: 'Use: deskmates log.',
  'stats cost': 'What a team used is in: deskmates status TEAM.',
  export: 'Everything is in plain files: .teams/TEAM; or use: deskmates log --json.',
  'prune clean': 'Use: deskmates sessions prune.',
  hello: 'To see a team at work without a key: deskmates demo.',
})

/** What to use instead of an option of another program; undefined for an unknown option. */
export function optionHint(option: string): string | undefined {
  return OPTIONS.get(option)
}

export function commandHint(word: string): string | undefined {
  return COMMANDS.get(word.toLowerCase())
}

function byWord(hints: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(hints).flatMap(([words, hint]) => words.split(' ').map((word) => [word, hint] as const)),
  )
}
