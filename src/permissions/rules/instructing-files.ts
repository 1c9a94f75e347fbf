/**
 * Files that tell agents or tools of the user what to do or to run: what an agent writes there works on after it. File
 * tools ask before writing them, also where edits are accepted; only a rule that names a path allows it.
 */
export function instructsAgents(path: string): boolean {
  const steps = path
    .replace(UNSEEN, '')
    .toLowerCase()
    .split('/')
    .filter((step) => step !== '' && step !== '.')
  const name = steps.at(-1) ?? ''
  return (
    FILES.has(name) ||
    steps.slice(0, -1).some((step) => FOLDERS.has(step)) ||
    /(?:^|\/)\.github\/(?:copilot-instructions\.md|instructions\/|prompts\/|chatmodes\/|agents\/)/.test(
      steps.join('/'),
    ) ||
    (steps.includes('hooks') &&
      /^(?:pre|post|commit|prepare|applypatch|update|fsmonitor|sendemail|push|reference)-?/.test(name))
  )
}

/** Characters some file systems leave out when they compare names. */
const UNSEEN = /[\u200b-\u200f\u202a-\u202e\u2060\u206a-\u206f\ufeff]/g

const FILES = new Set(
  `agents.md agents.local.md agents.override.md claude.md claude.local.md gemini.md qwen.md warp.md .mcp.json mcp.json .envrc
   .cursorrules .windsurfrules .clinerules .roorules .goosehints .aider.conf.yml opencode.json opencode.jsonc .rules
   .pre-commit-config.yaml .pre-commit-config.yml lefthook.yml lefthook.yaml .lefthook.yml .overcommit.yml`.split(
    /\s+/,
  ),
)
const FOLDERS = new Set(
  `.vscode .idea .zed .cursor .windsurf .clinerules .roo .continue .gemini .codex .opencode .kiro .amazonq .junie .qwen
   .devcontainer .claude .agents .deskmates`.split(/\s+/),
)
