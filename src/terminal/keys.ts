/** Keys of the terminal, for the help. */
export const KEY_HELP: readonly string[] = [
  'Enter send · Shift+Enter, Alt+Enter or \\ Enter new line · ↑ earlier prompts · Tab complete',
  'Esc interrupt the lead · Shift+Tab next mode · Ctrl+O tool calls · Ctrl+T board',
  '↓ on an empty line: what needs you and the team · Enter opens a teammate · x asks it to stop',
  'y once · a always (this session) · s save a rule · n no · v view: answers to what needs you',
  '@name text: mail to a teammate · @all text: to everyone · @file: attach a file · !command: your own shell',
  'Ctrl+C twice, Ctrl+D, exit, quit or q: leave; the session can be continued',
]

/** Seconds in which a second Ctrl+C leaves. */
export const QUIT_WITHIN_S = 2
/** Seconds without typing before a question may take the keys. */
export const QUIET_TYPING_S = 1.5
/** Seconds after a question took the keys in which a key still goes to the editor: it was meant for it. */
export const GRACE_S = 0.7
