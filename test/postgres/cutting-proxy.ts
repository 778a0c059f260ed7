// Stands between a store and its server, and cuts the connection when the answer to a chosen request comes.
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { within } from '../wait.ts'

export class CuttingProxy {
  readonly #server: Server
  readonly #target: number
  readonly #sockets = new Set<Socket>()
  #cut: { readonly request: string; readonly then: () => Promise<void> } | undefined
  #away: Promise<void> = Promise.resolve()

  constructor(targetPort: number) {
    this.#target = targetPort
    this.#server = createServer((socket) => void this.#away.then(() => this.#join(socket)))
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await within('the proxy to listen', once(this.#server, 'listening'))
    const place = this.#server.address()
    return typeof place === 'object' && place ? place.port : 0
  }

  /** The answer to the next request with this text does not arrive. New connections wait for `then`. */
  cutAfter(request: string, then: () => Promise<void> = async () => undefined): void {
    this.#cut = { request, then }
  }

  get hasCut(): boolean {
    return this.#cut === undefined
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await within('the end of the proxy', once(this.#server.close(), 'close'))
  }

  #join(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1')
    let isDoomed = false
    const end = () => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        end()
      })
    }
    client.on('data', (bytes) => {
      if (this.#cut && bytes.includes(this.#cut.request)) isDoomed = true
      server.write(bytes)
    })
    server.on('data', (bytes) => {
      if (!isDoomed) return client.write(bytes)
      this.#away = this.#cut?.then() ?? this.#away
      this.#cut = undefined
      return end()
    })
  }
}
