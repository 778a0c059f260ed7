// Routes for turns: messages, commands, abort, resume, approvals.
import { PrecisError } from '../../core/errors.ts'
import { threadSettingsReducer } from '../../core/settings/settings-keys.ts'
import { textOfUserContent, type UserContent } from '../../core/view/content.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import { sendReplySchema } from '../../protocol/compaction-schemas.ts'
import { streamDataSchema } from '../../protocol/frame-schemas.ts'
import {
  callParams,
  decisionBody,
  eventsQuery,
  messageBody,
  streamQuery,
  threadParams,
} from '../../protocol/requests.ts'
import { eventsSchema } from '../../protocol/schemas.ts'
import { unknownThread } from '../../threads/live-thread.ts'
import { stillHolds, whoIn } from '../http/guard.ts'
import { type Api, route } from '../http/route.ts'
import type { Following } from '../live/feeds.ts'
import type { AddRoutes, AppParts } from '../send.ts'
import { machineFor } from './about.ts'

const tag = 'turns'

export const addMessageRoutes: AddRoutes = (api, parts) => {
  addTurns(api, parts)
  addSteering(api, parts)
}

function addTurns(api: Api, { threads, sender, workspaces }: AppParts): void {
  /** Otherwise its agent could use files of a folder that is not allowed here. */
  const admit = async (threadId: string) => {
    const { workspace } = reducedBy(await threads.state(threadId), threadSettingsReducer)
    if (workspace !== undefined) workspaces.admit(workspace)
  }
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/messages',
      tag,
      summary: 'Send a message or a command; answers as soon as it is accepted',
      params: threadParams,
      body: messageBody,
      answer: sendReplySchema,
      status: 202,
    },
    async ({ params, body }) => {
      const content = body.content as UserContent
      requireReadable(content)
      await admit(params.threadId)
      return sender.send(params.threadId, content)
    },
  )
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/resume',
      tag,
      summary: 'Resume an interrupted thread',
      params: threadParams,
    },
    async ({ params }) => {
      await admit(params.threadId)
      await sender.resume(params.threadId)
      return undefined
    },
  )
}

/** More than any window holds. Counting it to reject it would delay other requests. */
const MOST_TEXT_CHARS = 4_000_000

function requireReadable(content: UserContent): void {
  if (textOfUserContent(content).length <= MOST_TEXT_CHARS) return
  throw new PrecisError('payload-too-large', 'The text of the message is too long.', {
    where: 'body: content',
    hint: `The limit is ${MOST_TEXT_CHARS.toLocaleString('en-US')} characters. Put the text into a file of the workspace.`,
  })
}

function addSteering(api: Api, parts: AppParts): void {
  const { agent, threads, approvals, activity, peers } = parts
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/abort',
      tag,
      summary: 'Stop the running turn; answers when it has stopped',
      params: threadParams,
    },
    async ({ params: { threadId } }) => {
      await threads.context(threadId)
      const { isWorking, isCompacting } = activity.of(threadId)
      await agent.abort(threadId)
      if (!isWorking && !isCompacting) await peers?.abort(threadId)
      return undefined
    },
  )
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/approvals/{callId}',
      tag,
      summary: 'Allow or deny a pending tool call',
      params: callParams,
      body: decisionBody,
    },
    async ({ params: { threadId, callId }, body: { decision } }) => {
      const isOurs = approvals.of(threadId).some((each) => each.callId === callId)
      if (!isOurs && (await peers?.decide(threadId, callId, decision))) return undefined
      approvals.decide(threadId, callId, decision)
      return undefined
    },
  )
}

const PAGE = 1_000

export const addEventRoutes: AddRoutes = (api, parts) => {
  const { store, feeds, access = {}, pageSessions } = parts
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/events',
      tag: 'events',
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
      tag: 'events',
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
          'x-accel-buffering': 'no', // makes proxies pass on each chunk
        },
      })
    },
  )
}

/** Browsers send this header when they reconnect. */
function lastEventId(header: string | undefined): number | undefined {
  if (header === undefined || header === '') return undefined
  if (/^\d{1,15}$/.test(header)) return Number(header)
  throw new PrecisError('invalid-input', 'Last-Event-ID is not an event number.', {
    where: 'Last-Event-ID',
    hint: 'Send the id of the last received event, or omit it to start with the first.',
  })
}

/** Read chunk by chunk, at the speed of the reader. */
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
