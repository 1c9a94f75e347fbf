import { expect, it } from 'vitest'
import { teamHarness } from '../../testing/harnesses/team-harness.ts'
import { memberNamed } from '../state.ts'
import { nextStep } from './next-step.ts'

it('never takes an external line for the shutdown request that stops an idle teammate', () => {
  const world = teamHarness()
  world.ok({ type: 'supervise', runtime: 'r1' })
  world.ok({ type: 'member.spawn', name: 'ada', role: 'dev', runtime: 'r1' }, 'lead')
  const { request } = world.ok({ type: 'request.open', kind: 'shutdown', to: 'ada', content: 'Please stop.' }, 'lead')
  const step = () => nextStep(world.state, memberNamed(world.state, 'ada')!)
  expect(step()).toBe('approve_shutdown')
  const message = { id: 'a:0', type: 'message', from: 'ci', to: 'ada', content: 'red', timestamp: 1 } as const
  const line = { ...message, request_id: request!.id }
  world.report([{ type: 'external.received', archive: 'a', offset: 0, end: 10, message: line }], 'user')
  expect(step(), 'it has mail to hear first').toBe('read_mail')
}) // T21
