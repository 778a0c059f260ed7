// Routes for stored events and the live stream
import { PrecisError } from '../../core/errors.ts'
import { streamDataSchema } from '../../protocol/frame-schemas.ts'
import { eventsQuery, streamQuery, threadParams } from '../../protocol/requests.ts'
import { eventsSchema } from '../../protocol/schemas.ts'
import { unknownThread } from '../../threads/live-thread.ts'
import { stillHolds, whoIn } from '../http/guard.ts'
import { route } from '../http/route.ts'
import type { Following } from '../live/feeds.ts'
import type { AddRoutes } from '../send.ts'
import { machineFor } from './machine.ts'

const tag = 'events'
const PAGE = 1_000

export const addEventRoutes: AddRoutes = (api, parts) => {
  const { store, feeds, access = {}, pageSessions } = parts
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/events',
      tag,
      summary: 'Events as they are stored, in order',
      params: threadParams,
      query: eventsQuery,
      answer: eventsSchema,
    },
    async ({ params: { threadId }, query: { limit = PAGE, ...range } }) => {
      if (!(await store.info(threadId))) throw unknownThread(threadId)
      return { items: (await store.read(threadId, { ...range, limit })).map((row) => ({ ...row })) }
    },
  )
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/stream',
      tag,
      summary:
        'Events after `Last-Event-ID` (or `after`), then live ones, with their numbers as ids; frames without',
      params: threadParams,
      query: streamQuery,
      headers: { 'Last-Event-ID': 'The number of the last event that you have.' },
      mediaType: 'text/event-stream',
      streamed: streamDataSchema,
    },
    async ({ params, query, c }) => {
      const after = lastEventId(c.req.header('last-event-id')) ?? query.after ?? 0
      const isAllowed = stillHolds(access, c, pageSessions)
      const choices = { who: whoIn(c), isAllowed }
      const following = await feeds.follow(params.threadId, after, c.req.raw.signal, choices)
      const leaveFile = machineFor(parts, c)?.follow(params.threadId)
      if (leaveFile) c.req.raw.signal.addEventListener('abort', leaveFile, { once: true })
      return new Response(countBytes(following, leaveFile), {
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no', // proxies are to pass each piece on
        },
      })
    },
  )
}

/** What a browser sends by itself when it comes back. */
function lastEventId(header: string | undefined): number | undefined {
  if (header === undefined || header === '') return undefined
  if (/^\d{1,15}$/.test(header)) return Number(header)
  throw new PrecisError('invalid-input', 'Last-Event-ID is not an event number.', {
    where: 'Last-Event-ID',
    hint: 'Send the id of the last received event, or omit it to start with the first.',
  })
}

/** Read piece by piece, as fast as the reader takes them. */
function countBytes(
  { pieces, leave }: Following,
  leaveFile: () => void = () => undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (!done) return controller.enqueue(encoder.encode(value))
        leaveFile()
        controller.close()
      },
      cancel() {
        leave()
        leaveFile()
      },
    },
    { highWaterMark: 1 },
  )
}
