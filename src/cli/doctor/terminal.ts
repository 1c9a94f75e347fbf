import { colours } from '../output/format.ts'
import { type Examination, fail, notAvailable, pass } from './examination.ts'

const NARROWEST = 40
const WIDEN = 'Make the window at least 80 columns wide'

/** Whether stdout is a terminal, its width, and its colours. */
export const terminal: Examination = {
  name: 'terminal',
  onDisk: false,
  remedy: WIDEN,
  async examine({ call }) {
    if (!call.isTerminal)
      return notAvailable('stdout is not a terminal, so output is plain', 'Run deskmates doctor in a terminal')
    const { columns } = call.stdout
    // Some terminals do not say, or say 0.
    if (columns && columns < NARROWEST) return fail(`${columns} columns are too few for a board`, WIDEN)
    const width = columns ? `${columns} columns` : 'width unknown'
    return pass(`${width}, ${colours(call).isColorSupported ? 'colours' : `no colours (${whyNot(call.env)})`}`)
  },
}

function whyNot({ NO_COLOR }: NodeJS.ProcessEnv): string {
  return NO_COLOR ? 'NO_COLOR is set' : 'TERM is dumb'
}
