// A scripted model server for tests, which records its requests.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pretendWork, within } from '../../../test/wait.ts'
import type { Clock } from '../../core/ports.ts'
import type { Json } from '../../core/text/json.ts'

/** What is sent, and how it ends if not properly. */
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  readonly ending?: 'hang' | 'silence'
  /** Sends the body event by event, with this pause before each. */
  readonly pauseMs?: number
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Json
  /** Resolves when the client disconnects before the answer is complete. */
  readonly left: Promise<void>
}

export interface FixtureServer {
  readonly url: string
  readonly asked: Asked[]
  /** The next replies, one per request; the last one repeats. */
  replyWith(...replies: readonly Reply[]): void
  breakConnections(): void
  close(): Promise<void>
}

export async function startFixtureServer(): Promise<FixtureServer> {
  const asked: Asked[] = []
  let replies: Reply[] = []
  const server = createServer(async (request, response) => {
    const left = new Promise<void>((resolve) => {
      response.on('close', () => {
        if (!response.writableFinished) resolve()
      })
    })
    let text = ''
    for await (const piece of request.setEncoding('utf8')) text += piece
    asked.push({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: text === '' ? null : JSON.parse(text),
      left,
    })
    const reply = replies.length > 1 ? replies.shift() : replies[0]
    await send(response, reply ?? { status: 500, body: 'no reply was set' })
  })
  server.listen(0, '127.0.0.1')
  await within('the server to listen', once(server, 'listening'))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    replyWith(...next) {
      replies = [...next]
    },
    breakConnections: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections()
      server.close()
      await within('the end of the server', once(server, 'close'))
    },
  }
}

async function send(response: ServerResponse, reply: Reply): Promise<void> {
  const { status = 200, headers = {}, body, ending, pauseMs } = reply
  if (ending === 'silence') return
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  for (const piece of pauseMs === undefined ? [body] : body.split(/(?<=\n\n)/)) {
    if (pauseMs !== undefined) await pretendWork(pauseMs)
    response.write(piece)
  }
  if (ending === undefined) response.end()
}

/** Named events, as Anthropic sends them. */
export function eventStream(events: readonly { readonly [name: string]: Json }[]): Reply {
  return {
    headers: { 'content-type': 'text/event-stream' },
    body: events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join(''),
  }
}

/** A clock that records pauses instead of waiting. */
export function pausesKept(): { readonly clock: Clock; readonly pausesMs: number[] } {
  const pausesMs: number[] = []
  const clock: Clock = {
    now: () => new Date(0),
    async sleep(ms) {
      pausesMs.push(ms)
    },
  }
  return { clock, pausesMs }
}
