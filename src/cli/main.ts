import { version } from './program/version.ts'

// Everything else is imported when it is needed: asking for the version costs hardly more than bare node.
const [first] = process.argv.slice(2)

if (process.platform === 'win32') {
  process.stderr.write('deskmates runs on Linux and macOS. On Windows please use it inside WSL2.\n')
  process.exitCode = 2
} else if (first === '--version' || first === '-V' || first === '-v') {
  process.stdout.write(`${version}\n`)
} else {
  const { runProcess } = await import('./run-process.ts')
  await runProcess(process.argv.slice(2))
}
