// Reads every task file of the old layout and writes one with the members of ours, as simply as it can be done.
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'

const added = { owner: null, assignee: null, role: null, priority: 5, files: [], attempts: 0, ended: [], result: null }
mkdirSync('.tasks/copied')
for (const name of readdirSync('.tasks')) {
  if (!name.endsWith('.json')) continue
  const task = JSON.parse(readFileSync(`.tasks/${name}`, 'utf8'))
  const file = openSync(`.tasks/copied/${name}`, 'wx', 0o600)
  writeSync(file, `${JSON.stringify({ ...task, ...added }, null, 2)}\n`)
  closeSync(file)
}
