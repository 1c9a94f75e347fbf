import { expect, it } from 'vitest'
import { z } from 'zod'
import { withCanonicalNames } from './parameter-names.ts'

it('a parameter under another name is accepted, and refused beside another value of the same parameter', async () => {
  const input = withCanonicalNames(z.strictObject({ taskId: z.string() }), { task_id: 'taskId', id: 'taskId' })
  const check = async (value: unknown) => input['~standard'].validate(value)
  expect(await check({ task_id: '1' })).toEqual({ value: { taskId: '1' } })
  expect(await check({ taskId: '1', id: '1' })).toEqual({ value: { taskId: '1' } })
  expect((await check({ taskId: '1', task_id: '2' })).issues).toHaveLength(1)
  expect((await check({ task_id: '1', id: '2' })).issues).toHaveLength(1)
  expect((await check('1')).issues).toHaveLength(1)
})
