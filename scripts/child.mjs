import { spawn } from 'node:child_process'
import { Interrupted } from './failure.mjs'

/**
 * Runs a program to its end and returns its exit code and, if `output` is 'kept', what it printed. `output` may also
 * be 'shown' (as it is) or 'on stderr'. A signal to us is passed on; once the child has ended, `Interrupted` is thrown.
 */
export async function runChild(command, args, { cwd, env = process.env, output }) {
  const stdio = { shown: 'inherit', 'on stderr': ['ignore', 2, 2], kept: ['ignore', 'pipe', 'pipe'] }[output]
  const child = spawn(command, args, { cwd, env, stdio })
  let interruption
  const passOn = (signal) => {
    interruption = new Interrupted(signal)
    // A terminal's Ctrl-C has reached the child already, and to many programs a second one means "at once".
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, passOn)

  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
  }
  try {
    const code = await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (exitCode, signal) => resolve(exitCode ?? `signal ${signal}`))
    })
    if (interruption) throw interruption
    return { code, output: text }
  } finally {
    for (const signal of signals) process.off(signal, passOn)
  }
}
