// The app over HTTP, on an address of this machine.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { PrecisError } from '../../core/errors.ts'
import type { App } from '../app.ts'
import { boundConnections } from './connections.ts'

export interface Listening {
  /** The URL to type: `http://127.0.0.1:4747`. */
  readonly url: string
  /** Accepts no new connections; open ones stay. */
  stop(): void
  /** Closes the remaining connections. */
  close(): Promise<void>
}

interface Place {
  readonly host: string
  readonly port: number // 0 picks a free one
  readonly connections?: number // concurrent connections; the default follows the descriptor limit
}

/** Timeout for receiving a request: slow senders must not hold connections. */
const REQUEST_MS = 120_000
const HEADERS_MS = 20_000
/** Grace period for sending answers before connections are cut. Idle ones close at once. */
const LAST_WORDS_MS = 5_000
const LOOK_MS = 20

export async function listen(app: App, place: Place): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: { requestTimeout: REQUEST_MS, headersTimeout: HEADERS_MS },
  }) as Server
  boundConnections(server, place.connections)
  await begin(server, place)
  const { port } = server.address() as AddressInfo
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  return {
    url: `http://${place.host.includes(':') ? `[${place.host}]` : place.host}:${port}`,
    stop() {
      server.close()
      server.closeIdleConnections()
    },
    async close() {
      if (server.listening) server.close()
      server.closeIdleConnections()
      const look = setInterval(() => server.closeIdleConnections(), LOOK_MS)
      const cut = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS)
      await closed
      clearInterval(look)
      clearTimeout(cut)
    },
  }
}

function begin(server: Server, { host, port }: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (thrown: NodeJS.ErrnoException) =>
      reject(cannotListen(thrown, host, port)),
    )
    server.listen(port, host, () => resolve())
  })
}

function cannotListen(thrown: NodeJS.ErrnoException, host: string, port: number): PrecisError {
  const isTaken = thrown.code === 'EADDRINUSE'
  const message = isTaken
    ? `Another program uses the port ${port}.`
    : `It cannot listen at ${host}, port ${port}: ${thrown.message}`
  return new PrecisError('wrong-setup', message, {
    where: `${host}:${port}`,
    hint: isTaken ? 'Choose another port; --port 0 picks a free one.' : 'Check --host and --port.',
    cause: thrown,
  })
}
