import { expect, it } from 'vitest'
import { policyOf } from '../../permissions/rules/policy.ts'
import { createSessionPolicy } from '../../permissions/rules/session-policy.ts'
import { mergeLayers } from '../../settings/layers.ts'
import { rulesIn } from './session-rules.ts'

it('the rules of a session name their layer, also where two layers have the same rule', () => {
  const { settings, origins } = mergeLayers([
    { source: 'user', path: '/home/u/s.json', values: { permissions: { allow: ['bash(ls)', 'bash(git *)'] } } },
    {
      source: 'project',
      path: '/p/s.json',
      values: { permissions: { allow: ['bash(ls)'], deny: ['read_file(.env)'] } },
    },
    { source: 'flags', values: { permissions: { ask: ['bash(rm *)'] } } },
  ])
  const policy = createSessionPolicy(policyOf(settings.permissions ?? {}, '/p'))
  policy.allow(['bash(npm test)', 'bash(git *)'])
  expect(rulesIn(policy.current, origins)).toEqual([
    { decision: 'deny', rule: 'read_file(.env)', from: 'project', path: '/p/s.json' },
    { decision: 'ask', rule: 'bash(rm *)', from: 'flags' },
    { decision: 'allow', rule: 'bash(ls)', from: 'project', path: '/p/s.json' },
    { decision: 'allow', rule: 'bash(ls)', from: 'user', path: '/home/u/s.json' },
    { decision: 'allow', rule: 'bash(git *)', from: 'user', path: '/home/u/s.json' },
    { decision: 'allow', rule: 'bash(npm test)', from: 'session' },
  ])
})
