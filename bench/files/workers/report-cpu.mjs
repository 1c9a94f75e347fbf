// Loaded before a command with `node --import`: writes the CPU time that its process took, in milliseconds, when it ends.
import { writeFileSync } from 'node:fs'

const { BENCH_CPU_FILE } = process.env
process.once('exit', () => {
  const { user, system } = process.cpuUsage()
  writeFileSync(BENCH_CPU_FILE, String((user + system) / 1000))
})
