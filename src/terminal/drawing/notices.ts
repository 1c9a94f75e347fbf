import { draw } from './drawn.ts'

/** Rings, and asks the desktop to show the text: as iTerm2 and Windows Terminal (9), and as urxvt and foot (777) know it. */
export function noticeSequence(text: string): string {
  const harmless = draw`${text}`.fit(120).bare.replaceAll(';', ',')
  return `\x07\x1b]9;${harmless}\x07\x1b]777;notify;deskmates;${harmless}\x07`
}
