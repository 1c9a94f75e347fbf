import { expect, it } from 'vitest'
import { closeInTurn } from './close-in-turn.ts'

it('closes every part of a session in order, and throws the first failure at the end', async () => {
  const closed: string[] = []
  const part = (name: string, failure?: string) => async (hasFailed: boolean) => {
    await null
    closed.push(hasFailed ? `${name} after a failure` : name)
    if (failure !== undefined) throw new Error(failure)
  }
  const parts = [part('run'), part('servers', 'a server hangs'), part('supervisor', 'later'), part('sandbox')]
  await expect(closeInTurn(parts)).rejects.toThrow('a server hangs')
  expect(closed).toEqual(['run', 'servers', 'supervisor after a failure', 'sandbox after a failure'])
})
