import { fork } from 'node:child_process'

/** Starts all processes, lets them begin together, and says how long they took and what they reported. */
export async function crowd(program, argumentLists) {
  const children = argumentLists.map((list) =>
    fork(program, list.map(String), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  )
  await Promise.all(children.map((child) => message(child)))
  const reports = children.map((child) => message(child))
  const begin = performance.now()
  for (const child of children) child.send('go')
  const done = (await Promise.all(reports)).reduce((sum, report) => sum + report.done, 0)
  const seconds = (performance.now() - begin) / 1000
  await Promise.all(children.map((child) => child.exitCode ?? new Promise((resolve) => child.once('exit', resolve))))
  return { done, seconds, perSecond: done / seconds }
}

function message(child) {
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`a process ended early with code ${code}`)))
  })
}
