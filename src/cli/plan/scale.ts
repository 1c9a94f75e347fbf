import { devCount, MAX_DEVS } from '../../plan/dev-count.ts'
import { print, printJson } from '../output/print.ts'
import { Misused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'

interface Options {
  available: number
  busy?: number
  cap?: number
}

export const planScale: SubCommand<Options> = {
  example: '$ deskmates plan scale --available 7',
  define(command) {
    command
      .requiredOption('--available <n>', 'tasks that can be claimed now', whole('--available'))
      .option('--busy <n>', 'developers that already work; 0 if not given', whole('--busy'))
      .option('--cap <n>', `the most developers at the same time; ${MAX_DEVS} if not given`, whole('--cap'))
  },
  async run(call, { available, busy = 0, cap = MAX_DEVS }) {
    const count = devCount(available, { busy, cap })
    if (call.globals.json) return printJson(call, { dev_count: count, available, busy, cap })
    await print(call, `${count}\n`)
  },
}

/** A whole number of any length: more digits than a number can hold are still "very many". */
function whole(option: string): (text: string) => number {
  return (text) => {
    if (!/^\d+$/.test(text))
      throw new Misused(`${option}: ${JSON.stringify(text)} is not a whole number. Use 0 or more.`)
    return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
  }
}
