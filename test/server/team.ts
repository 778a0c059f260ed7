// Several server processes on one store, as one: whoever asks is answered by any that lives.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { PrecisError } from '../../src/core/errors.ts'
import type { Client } from '../../src/protocol/client.ts'
import { createClient } from '../../src/protocol/http-client.ts'
import type { Random } from '../generate/random.ts'
import { within } from '../wait.ts'
import { transportTo } from './setup.ts'

const CHILD = fileURLToPath(new URL('./server-child.ts', import.meta.url))

interface Member {
  readonly url: string
  readonly process: ChildProcess
}

export class Team {
  readonly #address: string
  readonly #modelUrl: string
  readonly #random: Random
  readonly #members: Member[] = []
  /** When one was killed. */
  readonly killedMs: number[] = []

  constructor(address: string, modelUrl: string, random: Random) {
    this.#address = address
    this.#modelUrl = modelUrl
    this.#random = random
  }

  async grow(): Promise<Member> {
    const child = spawn(process.execPath, [CHILD, this.#address, this.#modelUrl], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const { value } = await within(
      'a server to say its address',
      createInterface(child.stdout)[Symbol.asyncIterator]().next(),
    )
    const member = { url: (JSON.parse(value ?? '{}') as { url: string }).url, process: child }
    this.#members.push(member)
    return member
  }

  /** Kills one in the middle of whatever it does, then starts another. The `kept` oldest live. */
  async replaceOne(kept = 0): Promise<void> {
    const [victim] = this.#members.splice(this.#random.int(kept, this.#members.length - 1), 1)
    victim?.process.kill('SIGKILL')
    this.killedMs.push(Date.now())
    await this.grow()
  }

  end(): void {
    for (const { process: child } of this.#members) child.kill('SIGKILL')
  }

  processIds(): number[] {
    return this.#members.map(({ process: child }) => child.pid ?? 0)
  }

  urls(): string[] {
    return this.#members.map(({ url }) => url)
  }

  /** Each request goes to any of them. A write whose answer is lost is not repeated blindly. */
  client(): Client {
    const ask = async (request: Request): Promise<Response> => {
      const { pathname, search } = new URL(request.url)
      const member = this.#members[this.#random.int(0, this.#members.length - 1)]
      if (!member) throw new TypeError('nobody is there')
      const { method, headers, signal } = request
      // As a text: a body of unknown length takes the share of the largest one on the server.
      const body = request.body === null ? null : await request.text()
      try {
        const url = new URL(`${pathname}${search}`, member.url)
        return await fetch(url, { method, headers, body, signal })
      } catch (thrown) {
        if (request.method === 'GET') throw thrown
        throw new PrecisError('aborted', 'Nobody knows what became of it.', { cause: thrown })
      }
    }
    return createClient(transportTo(ask, 'http://team.test'))
  }
}
