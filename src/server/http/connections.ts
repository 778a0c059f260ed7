// Connection limit by file descriptors; connections without a token are closed first
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Shares } from './problems.ts'

/** Kept for the store, files and programs that tools start. */
const RESERVED_DESCRIPTORS = 200

const FEWEST = 50

const ASSUMED_DESCRIPTORS = 1_024

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/

const admitted = new WeakSet<object>()

/** A request on this connection was let in: it is not closed for the sake of another. */
export function admit(connection: object | undefined): void {
  if (connection) admitted.add(connection)
}

/**
 * Nothing on a new connection is known but its address. Those of the loopback are of many people, and
 * one connection proves no bad intent, so the oldest connection without an admitted request is closed.
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

/** How many descriptors this process may have; Linux says so. */
function descriptors(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
    return soft === undefined ? ASSUMED_DESCRIPTORS : Number(soft)
  } catch {
    return ASSUMED_DESCRIPTORS
  }
}
