import { ProcessTerminal } from '@earendil-works/pi-tui'

/**
 * pi-tui asks the terminal for its kind of keys, and switches another kind on if there is no answer in 150 ms, also if it was
 * stopped meanwhile: the next program would get keys that it does not know.
 */
export class StoppableTerminal extends ProcessTerminal {
  override start(onInput: (data: string) => void, onResize: () => void): void {
    keysOf(this)._modifyOtherKeysActive = false
    super.start(onInput, onResize)
  }

  override stop(): void {
    super.stop()
    keysOf(this)._modifyOtherKeysActive = true
  }
}

/** A field of pi-tui 0.74.2 that its types call private; the version is pinned. */
function keysOf(terminal: ProcessTerminal): { _modifyOtherKeysActive: boolean } {
  return terminal as unknown as { _modifyOtherKeysActive: boolean }
}
