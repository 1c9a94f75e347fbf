// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell scripts

import { Argument } from 'commander'
import { print, printJson } from '../output/print.ts'
import type { SubCommand } from '../program/sub-command.ts'

/**
 * Each asks `deskmates complete -- WORDS…` (`complete.ts`) what the last word could be: a line each, with a tab before what it is.
 * Typed words are passed as they are and never evaluated: pressing Tab must not run a `$(…)` that was pasted. Without a suggestion
 * the shell completes files.
 */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  bash: [
    '_deskmates() {',
    '  local line',
    '  COMPREPLY=()',
    '  while IFS= read -r line; do',
    '    COMPREPLY+=("${line%%$\'\\t\'*}")',
    '  done < <(deskmates complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)',
    '}',
    'complete -o default -F _deskmates deskmates',
  ],
  zsh: [
    '#compdef deskmates',
    '_deskmates() {',
    '  local line',
    '  local -a found',
    '  while IFS= read -r line; do',
    "    found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")",
    '  done < <(deskmates complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)',
    '  if (( $#found )); then _describe deskmates found; else _files; fi',
    '}',
    'compdef _deskmates deskmates',
  ],
  fish: [
    'function __deskmates_complete',
    '  set -l words (commandline -opc) (commandline -ct)',
    '  deskmates complete -- $words[2..] 2>/dev/null',
    'end',
    "complete -c deskmates -a '(__deskmates_complete)'",
  ],
}

export const completion: SubCommand<object, [shell: string]> = {
  example: `$ source <(deskmates completion bash)     # a line for ~/.bashrc; the same for zsh
$ deskmates completion fish > ~/.config/fish/completions/deskmates.fish`,
  define(command) {
    command.addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
  },
  async run(call, _options, shell) {
    const script = `${SCRIPTS[shell]!.join('\n')}\n`
    if (call.globals.json) await printJson(call, { shell, script })
    else await print(call, script)
  },
}
