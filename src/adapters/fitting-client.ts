// Copies an SDK's client so that messages fit in `post`, through which all its methods send.
import type { Compactor } from '../compactor/compactor-interface.ts'
import { PrecisError } from '../core/errors.ts'
import { isRecord } from '../core/text/json.ts'
import { UsageBook } from './compactor-for.ts'

/** Shared by all methods of an SDK's client: `create`, `stream`, `parse` and tool runners call `post`. */
export interface SendingClient {
  readonly post: (path: string, options?: never) => unknown
  readonly withOptions: (options: never) => unknown
}

/** A path that receives messages, and the body field that holds them. */
interface Route {
  readonly path: string
  readonly field: 'messages' | 'input'
  readonly compactor: Compactor<object>
}

interface Fitting {
  readonly routes: readonly (Route & { readonly book: UsageBook })[]
  /** Paths whose messages cannot be made to fit, with their methods. */
  readonly refused: ReadonlyMap<string, string>
  readonly fields: Readonly<Record<string, unknown>>
}

/** Leaves the caller's client unchanged: it may write the summaries. */
export function fittingClient<C extends SendingClient, F extends Record<string, unknown>>(
  client: C,
  routes: readonly Route[],
  fields: F,
  refused: Readonly<Record<string, string>> = {},
): C & Readonly<F> {
  const books = routes.map((route) => ({ ...route, book: new UsageBook() }))
  const fitting = { routes: books, refused: new Map(Object.entries(refused)), fields }
  return fitted(client.withOptions({} as never) as C, fitting) as C & Readonly<F>
}

/** An instance of the same class with its private state and two replaced methods. */
function fitted<C extends SendingClient>(client: C, fitting: Fitting): C {
  const { post, withOptions } = client
  const send = (path: string, options: unknown) => post.call(client, path, options as never)
  const own = {
    ...fitting.fields,
    post: (path: string, options?: unknown) => sendFitting(send, path, options, fitting),
    withOptions: (options: never) => fitted(withOptions.call(client, options) as C, fitting),
  }
  for (const [name, value] of Object.entries(own))
    Object.defineProperty(client, name, { value, configurable: true, writable: true })
  return client
}

/** Returns synchronously like `post`, which accepts a promise of options. */
function sendFitting(
  send: (path: string, options: unknown) => unknown,
  path: string,
  options: unknown,
  { routes, refused }: Fitting,
): unknown {
  const [plain = ''] = path.split('?')
  const method = refused.get(plain)
  if (method !== undefined) return send(path, Promise.reject(notCovered(method)))
  const route = routes.find((each) => each.path === plain)
  if (!route) return send(path, options)
  const made = Promise.resolve(options).then((given) => fitBody(route, given))
  const answer = send(
    path,
    made.then(({ options }) => options),
  )
  // Reads nothing before the caller does: `asResponse` returns the untouched body.
  const { _thenUnwrap: unwrap } = Object(answer)
  if (typeof unwrap !== 'function') return answer
  return unwrap.call(answer, (data: unknown) =>
    watchUsage(data, (usage) => made.then(({ note }) => note(usage))),
  )
}

async function fitBody({ field, compactor, book }: Fitting['routes'][number], options: unknown) {
  const { body, signal } = Object(options)
  const given = Object(body)[field]
  const asGiven = { options, note: () => undefined }
  if (isRecord(Object(body).thread)) throw onServer()
  // A plain text, or items stored on the server, cannot be changed here.
  if (!Array.isArray(given)) return asGiven
  try {
    const { messages } = await compactor.fit(given, book.take(given), signal ?? undefined)
    return {
      options: { ...Object(options), body: { ...body, [field]: messages } },
      note: (usage: unknown) => book.note(usage, given, messages),
    }
  } catch (error) {
    // After the signal the SDK sends nothing and throws its own error.
    if (signal?.aborted === true) return asGiven
    throw error
  }
}

function watchUsage(answer: unknown, note: (usage: unknown) => unknown): unknown {
  const stream = Object(answer)
  if (typeof stream[Symbol.asyncIterator] === 'function') watchStream(stream, note)
  else note(stream.usage)
  return answer
}

/** Counts come in the first and last events; a stream abandoned earlier has none. */
function watchStream(stream: AsyncIterable<unknown>, note: (usage: unknown) => unknown): void {
  const events = stream[Symbol.asyncIterator].bind(stream)
  Object(stream)[Symbol.asyncIterator] = async function* watched() {
    let usage = {}
    let isWhole = false
    try {
      for await (const event of { [Symbol.asyncIterator]: events }) {
        const { type, usage: own, message, response } = Object(event)
        const found = own ?? Object(message).usage ?? Object(response).usage
        if (isRecord(found)) {
          const known = Object.entries(found).filter(([, count]) => count !== null)
          usage = { ...usage, ...Object.fromEntries(known) }
          isWhole = type !== 'message_start'
        }
        yield event
      }
    } finally {
      if (isWhole) await note(usage)
    }
  }
}

/** With Anthropic's message threads each request has only the new messages; the history is on the server. */
function onServer(): PrecisError {
  return new PrecisError(
    'invalid-input',
    'withCompaction: a message thread is kept by the server, and cannot be made to fit.',
    { where: 'thread', hint: 'Pass `thread: false` to `toolRunner`, or use a plain client.' },
  )
}

function notCovered(method: string): PrecisError {
  return new PrecisError(
    'invalid-input',
    `withCompaction: the messages of \`${method}\` cannot be made to fit on the way.`,
    {
      where: method,
      hint: 'Call `compact` for each of its requests, and send with a plain client.',
    },
  )
}
