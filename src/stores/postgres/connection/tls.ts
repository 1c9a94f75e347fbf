import type { Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Address, Host } from './address.ts'

/** The SSLRequest message: its length and its code. */
const REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/**
 * Encrypts a connection before the driver sees it. The driver removes our listeners when it starts TLS, and writes to a
 * socket that was destroyed, which ends the whole process.
 */
export async function startTls(socket: Socket, host: Host, tls: Address['tls'], timeout: number): Promise<Socket> {
  if (tls === false) return socket
  const late = setTimeout(() => socket.destroy(new Error('no answer to the request for TLS')), timeout)
  try {
    if (!(await isOffered(socket))) {
      if (tls === 'prefer') return socket
      throw new Error('the server does not offer TLS, which sslmode asks for')
    }
    return await upgrade(socket, host, tls)
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(late)
  }
}

/** One byte: S for yes, N for no. */
function isOffered(socket: Socket): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const done = (act: () => void) => {
      socket.off('data', onData).off('error', fail).off('close', close)
      act()
    }
    const onData = (data: Buffer) => {
      socket.pause()
      // Further bytes are not encrypted, so they cannot come from the server.
      if (data.length !== 1) done(() => reject(new Error('something answered that is not PostgreSQL')))
      else done(() => resolve(data.toString() === 'S'))
    }
    const fail = (error: Error) => done(() => reject(error))
    const close = () => done(() => reject(new Error('the connection was closed')))
    socket.on('data', onData).on('error', fail).on('close', close)
    socket.write(REQUEST)
  })
}

function upgrade(socket: Socket, { name }: Host, tls: Exclude<Address['tls'], false>): Promise<TLSSocket> {
  const isChecked = tls === 'verify-full' || typeof tls === 'object'
  return new Promise((resolve, reject) => {
    const secured = connectTls({
      socket,
      host: name,
      // An IP address is not a valid server name.
      ...(/^[\d.]+$|:|^\//.test(name) ? {} : { servername: name }),
      ...(typeof tls === 'object' && { ca: tls.ca }),
      rejectUnauthorized: isChecked,
    })
    // Never removed: the socket may fail while the driver has no listener.
    secured.on('error', reject)
    secured.once('close', () => reject(new Error('the connection was closed')))
    secured.once('secureConnect', () => resolve(secured))
  })
}
