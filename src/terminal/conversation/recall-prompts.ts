import type { Editor } from '@earendil-works/pi-tui'
import type { Entry } from '../../view/view.ts'
import { harmlessText } from '../drawing/drawn.ts'
import { ownWords } from './entry-lines.ts'

/** Prompts of a session that is continued: the arrow keys bring them back as if they were typed here. */
export function recallPrompts(editor: Editor, entries: readonly Entry[]): void {
  for (const entry of entries) {
    const text = entry.kind === 'input' ? ownWords(entry.text) : ''
    if (text !== '') editor.addToHistory(harmlessText(text))
  }
}
