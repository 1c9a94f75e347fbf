import type { Editor } from '@earendil-works/pi-tui'
import { Drawn } from './drawn.ts'

/** What the person types, with the list of completions below it. Pasted and completed texts are made harmless before. */
export function editorLines(editor: Editor, columns: number): Drawn[] {
  return editor.render(columns).map(Drawn.ofComponent)
}
