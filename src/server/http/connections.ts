// Connection limit by file descriptors; connections without a token are closed first
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Shares } from './problems.ts'

/** Reserved for the store, files and programs of tools. */
const RESERVED_DESCRIPTORS = 200

const FEWEST = 50

const ASSUMED_DESCRIPTORS = 1_024

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/

const admitted = new WeakSet<object>()

/** Marks a connection whose request was admitted: it is never closed in favour of another. */
export function admit(connection: object | undefined): void {
  if (connection) admitted.add(connection)
}

/**
 * Only the address of a new connection is known. Many people share the loopback, and one connection proves no
 * bad intent, so the oldest connection without an admitted request is closed.
 */
export function boundConnections(server: Server, most = mostConnections()): void {
  const open = new Set<Socket>()
  const addresses = new Shares(Math.floor(most / 2))
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const giveBack = LOOPBACK.test(address) ? () => undefined : addresses.take(address)
    if (!giveBack) {
      socket.destroy()
      return
    }
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      giveBack()
    })
    if (open.size <= most) return
    const [oldest = socket] = [...open].filter((each) => !admitted.has(each))
    oldest.destroy()
  })
}

function mostConnections(): number {
  return Math.max(FEWEST, descriptors() - RESERVED_DESCRIPTORS)
}

/** The descriptor limit of this process, as Linux reports it. */
function descriptors(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
    return soft === undefined ? ASSUMED_DESCRIPTORS : Number(soft)
  } catch {
    return ASSUMED_DESCRIPTORS
  }
}
