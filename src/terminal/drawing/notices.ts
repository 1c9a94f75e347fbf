import { draw } from './drawn.ts'

/** What happens when a person is needed, or all is done. */
export type NoticeMode = 'desktop' | 'bell' | 'off'

const BELL = '\x07'

/**
 * Rings, and asks the desktop to show the text: as iTerm2 and Windows Terminal (9), and as urxvt and foot (777) know it. Inside
 * of tmux and screen such a sequence ends there unless it is wrapped; the console of Linux would print it.
 */
export function noticeSequence(text: string, mode: NoticeMode, env: NodeJS.ProcessEnv): string {
  if (mode === 'off') return ''
  if (mode === 'bell' || env.TERM === 'linux') return BELL
  const harmless = draw`${text}`.fit(120).bare.replaceAll(';', ',')
  const notices = [`\x1b]9;${harmless}\x07`, `\x1b]777;notify;deskmates;${harmless}\x07`]
  return BELL + notices.map((notice) => passedThrough(notice, env)).join('')
}

function passedThrough(sequence: string, { TMUX, STY }: NodeJS.ProcessEnv): string {
  if (TMUX) return `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\`
  return STY ? `\x1bP${sequence}\x1b\\` : sequence
}
