import { readdirSync, readFileSync } from 'node:fs'

/**
 * The processes of a group that run, by number. One that has died and waits for its parent does not: the last process of a sandbox
 * has no parent any more, and the system takes it away when it comes to it.
 */
export function membersOf(group) {
  if (process.platform !== 'linux') return isKnown(group) ? [group] : []
  return readdirSync('/proc').filter((pid) => {
    const stat = /^\d+$/.test(pid) ? statOf(pid) : ''
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return pgrp === String(group) && !/^[ZXx]$/.test(state)
  })
}

function statOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}

function isKnown(group) {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}
