import type { Editor } from '@earendil-works/pi-tui'
import type { Entry } from '../../view/view.ts'
import { harmlessText } from '../drawing/drawn.ts'

/** Prompts of a session that is continued: the arrow keys bring back what the person typed, as if it was typed here. */
export function recallPrompts(editor: Editor, entries: readonly Entry[]): void {
  for (const entry of entries) {
    if (entry.kind === 'input' && entry.typed) editor.addToHistory(harmlessText(entry.typed))
  }
}
