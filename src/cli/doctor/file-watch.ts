import { setTimeout as sleep } from 'node:timers/promises'
import { type Examination, fail, pass } from './examination.ts'

/** A watch may need a moment until it works (on macOS it does), so the file is appended to more than once. */
const TURNS = 5

/** How a waiting process learns within milliseconds that another one wrote. */
export const watching: Examination = {
  name: 'watch',
  onDisk: true,
  remedy:
    'Without it changes are noticed after up to 2 seconds. On Linux raise the limits: sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=512',
  async examine({ disk, folder, run, patience, signal }) {
    const dir = folder('watch')
    let tell: (seen: true | Error) => void = () => {}
    const noticed = new Promise<true | Error>((resolve) => {
      tell = resolve
    })
    const isOurs = (name: string | null) => name === null || name === 'journal.jsonl'
    const stop = disk.watch(dir, (name) => isOurs(name) && tell(true), tell)
    const waiting = new AbortController()
    const either = AbortSignal.any([waiting.signal, signal])
    try {
      for (let turn = 1; turn <= TURNS; turn++) {
        await run('sh', ['-c', 'echo "$1" >> journal.jsonl', 'sh', String(turn)], dir)
        const seen = await Promise.race([noticed, sleep(patience / TURNS, false, { signal: either })])
        if (seen instanceof Error) return fail(`watching a folder ended: ${seen.message}`)
        if (seen) return pass('an append by another process was seen')
      }
      return fail(`another process appended ${TURNS} times, and a watch on the folder saw nothing`)
    } finally {
      waiting.abort()
      stop()
    }
  },
}
