import { limitLines, type ResourceLimits } from '../../permissions/processes/resource-limits.ts'

/** Waits for a line before it becomes the command; if the process that should send the line is gone, it never does. */
export const GATE = 'exec 2>&1; read -r go <&3 || exit 125; exec 3<&-; exec "$0" -c "$1"'

/** What a sandboxed command says on descriptor 4 when processes of it are still there after it ended. */
export const LEFT_OVER = 'left'

/**
 * The same for a command with processes of its own (a pid namespace), of which this shell is the second. It stays, and
 * looks for what the command left while the namespace still exists: from outside, processes that the end of the
 * namespace is just ending cannot be told from those that were left in the background.
 */
export function sandboxedGate(limits: ResourceLimits): string {
  return [
    'exec 2>/dev/null; read -r go <&3 || exit 125; exec 3<&-',
    limitLines(limits),
    '"$0" -c "$1" 2>&1 4>&-; code=$?; exec 1>&-',
    `left() { for p in /proc/[0-9]*; do case $p in /proc/1|/proc/$$) continue;; esac
      stat=; read -r stat <"$p/stat" || continue; case "\${stat##*) }" in [ZXx]*) continue;; esac; return 0; done; return 1; }`,
    // What ends by itself shortly after the command (a process substitution) was not left in the background.
    'for try in 1 2 3 4 5; do left || exit $code; sleep 0.05; done',
    `left && echo ${LEFT_OVER} >&4; exit $code`,
  ].join('\n')
}
