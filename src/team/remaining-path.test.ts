import { describe, expect, it } from 'vitest'
import { openWorld } from '../testing/world.ts'
import { remainingPath } from './remaining-path.ts'

describe('the remaining path', () => {
  it('counts what has to be done one after the other, and nothing that is done', () => {
    const world = openWorld()
    world.run({ type: 'team.create', team: 'web' })
    const task = (subject: string, ...blockedBy: string[]) => ({ subject, blockedBy })
    world.run({ type: 'task.add', tasks: [task('a'), task('b', '1'), task('c', '2'), task('d', '1'), task('e')] })
    expect(['1', '2', '3', '4', '5', '9'].map((id) => remainingPath(world.state, id))).toEqual([3, 2, 1, 1, 1, 0])
  })
})
