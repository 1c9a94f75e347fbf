import { describe, expect, it } from 'vitest'
import { isThisMachine, parseAddress } from './address.ts'

describe('the address of a database', () => {
  it('counts as this machine only if its host cannot be another machine', () => {
    const here = ['localhost', 'LOCALHOST', 'localhost.', 'db.localhost', '127.0.0.1', '127.9.9.9', '::1', '/run/pg']
    const elsewhere = [
      'localhost.evil.com',
      'localhostx',
      '127.evil.com',
      '127.0.0.1.evil.com',
      '::1.evil',
      'db',
      '10.0.0.1',
    ]
    expect(here.filter((host) => !isThisMachine(host))).toEqual([])
    expect(elsewhere.filter(isThisMachine)).toEqual([])
    expect(parseAddress('postgres://ada@localhost.evil.com/x').tls).toBe('prefer')
    expect(parseAddress('postgres://ada@localhost/x').tls).toBe(false)
  }) // T18
})
