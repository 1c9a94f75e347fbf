import { type AnyMessage, methods, type Stream } from '@agentclientprotocol/sdk'

export interface StreamHandler {
  /** Called for every message. */
  onMessage(): void
  /** The parameters of an update, as they came. */
  onUpdate(params: unknown): void
}

/**
 * The same stream without updates, which go to the handler as they come, and without what the SDK would print: answers to requests
 * that were never sent, and messages that are neither request nor answer. A stranger's program must not write to the terminal.
 */
export function guardedStream({ readable, writable }: Stream, handler: StreamHandler): Stream {
  const asked = new Set<string | number>()
  const sent = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ('method' in message && 'id' in message && message.id !== null) asked.add(message.id)
      controller.enqueue(message)
    },
  })
  const received = new TransformStream<AnyMessage, AnyMessage>({
    transform(message: AnyMessage & { id?: unknown; params?: unknown }, controller) {
      handler.onMessage()
      if ('method' in message && message.method === methods.client.session.update)
        return handler.onUpdate(message.params)
      // Both sides number their requests from 0: only an answer may use up the number of a request of ours.
      const isAnswer = () =>
        (typeof message.id === 'number' || typeof message.id === 'string') && asked.delete(message.id)
      if ('method' in message || isAnswer()) controller.enqueue(message)
    },
  })
  // What goes wrong with either end closes the connection by the other one.
  sent.readable.pipeTo(writable).catch(() => {})
  return { readable: readable.pipeThrough(received), writable: sent.writable }
}
