// A copy of the client of an SDK that makes messages fit where all of its methods send: in `post`
import type { Compactor } from '../compactor/compactor-interface.ts'
import { PrecisError } from '../core/errors.ts'
import { isRecord } from '../core/text/json.ts'
import { UsageBook } from './compactor-for.ts'

/** What an SDK's client has for all of its methods. `create`, `stream`, `parse` and tool runners call `post`. */
export interface SendingClient {
  readonly post: (path: string, options?: never) => unknown
  readonly withOptions: (options: never) => unknown
}

/** Where messages are sent to, and the field of the body that they stand in. */
interface Route {
  readonly path: string
  readonly field: 'messages' | 'input'
  readonly compactor: Compactor<object>
}

interface Fitting {
  readonly routes: readonly (Route & { readonly book: UsageBook })[]
  /** Paths that take messages in a way that cannot be made to fit, and the method that sends to them. */
  readonly refused: ReadonlyMap<string, string>
  readonly fields: Readonly<Record<string, unknown>>
}

/** The client of the caller stays as it is: it may be the one that writes the summaries. */
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

/** A client of its own class, with all that is private to it: two methods of the object are others. */
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

/** Returns at once, as `post` does: it takes a promise of the options. */
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
  // Nothing is read before the caller reads it: `asResponse` gives the body as it came.
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
  // A plain text, and items that the server has, are not ours to change.
  if (!Array.isArray(given)) return asGiven
  try {
    const { messages } = await compactor.fit(given, book.take(given), signal ?? undefined)
    return {
      options: { ...Object(options), body: { ...body, [field]: messages } },
      note: (usage: unknown) => book.note(usage, given, messages),
    }
  } catch (error) {
    // The SDK sends nothing after the signal, and has an error of its own for it.
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

/** Counts come in the first event and in the last ones. A stream that was left before those has none. */
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

/** Of Anthropic's message threads each request has the new messages alone: the history grows where we cannot reach it. */
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
