// The app: everything an interface can ask, over HTTP; called in process or served to others.
import { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { PrecisError } from '../core/errors.ts'
import { PROTOCOL_VERSION } from '../protocol/client.ts'
import { requireOwn } from './accounts/owners.ts'
import { PageSessions } from './accounts/page-sessions.ts'
import { guard, holderIn, RateLimit } from './http/guard.ts'
import { AnswerBook, idempotency } from './http/idempotency.ts'
import { type Page, pageResponse } from './http/page.ts'
import { problemResponse } from './http/problems.ts'
import type { Api } from './http/route.ts'
import { Drain, readsWhileAnswering } from './http/store-answers.ts'
import { bodyTooLarge, shareBodies, takeUploads } from './http/upload.ts'
import { Activity } from './live/activity.ts'
import { Feeds } from './live/feeds.ts'
import { APP_LIMITS, type AppLimits, type AppPorts } from './ports.ts'
import { addAboutRoutes, addHealthRoutes, addMachineRoutes } from './routes/about.ts'
import { addCompactionRoutes } from './routes/compactions.ts'
import { addContentRoutes, addViewRoutes } from './routes/contents.ts'
import { addEventRoutes, addMessageRoutes } from './routes/messages.ts'
import { addThreadRoutes, addTransferRoutes } from './routes/threads.ts'
import { type AppParts, Sender } from './send.ts'
import { Arrivals } from './views/arrivals.ts'
import { Previews } from './views/previews.ts'
import { Tallies } from './views/thread-totals.ts'

export interface App {
  /** `env` carries what a server knows about the connection. */
  readonly fetch: (request: Request, env?: object) => Response | Promise<Response>
  /** Rejects new requests. Resolves after `withinMs` or at the signal, with the threads that still work. */
  finish(withinMs: number, signal?: AbortSignal): Promise<readonly string[]>
  /** Ends every stream. Does not close the agent or the store. */
  close(): void
}

const TOPICS = [
  addHealthRoutes,
  addAboutRoutes,
  addTransferRoutes, // before the threads: `import` is no thread
  addThreadRoutes,
  addEventRoutes,
  addMessageRoutes,
  addCompactionRoutes,
  addContentRoutes,
  addViewRoutes,
  addMachineRoutes,
]

/** Takes whole session files: the only route with a larger body limit. */
const UPLOAD = '/api/threads/import'

export function createApp(ports: AppPorts): App {
  const parts = readParts(ports)
  const { activity, feeds, limits, drain } = parts
  const unlisten = ports.agent.on((frame) => {
    activity.take(frame)
    feeds.take(frame)
  })
  const unlistenOthers = ports.presence?.on((frame) => feeds.take(frame))
  const api: Api = new OpenAPIHono()
  for (const addRoutes of TOPICS) addRoutes(api, parts)
  const document = buildDocument(api, ports.version)
  api.get('/openapi.json', (c) => c.json(document))

  const app = new OpenAPIHono()
  app.onError((error) => problemResponse(error))
  app.notFound((c) => problemResponse(noRoute(c.req.method, c.req.path)))
  app.use(shareWith(ports.access?.origins ?? []))
  app.use(inert)
  const rate = new RateLimit(limits.requestsPerMinute, ports.clock)
  app.use(guard(ports.access ?? {}, rate, parts.pageSessions))
  app.use(drain.middleware)
  app.use(readsWhileAnswering(ports, limits.storeSilenceMs))
  const [upload, share, body] = [
    takeUploads(limits),
    shareBodies(limits),
    limited(limits.bodyBytes),
  ]
  app.use((c, next) => (isUpload(c.req) ? upload(c, next) : share(c, next)))
  app.use((c, next) => (isUpload(c.req) ? next() : body(c, next)))
  const own: MiddlewareHandler = async (c, next) => {
    const { threadId = '' } = c.req.param() as { threadId?: string }
    if (!isUpload(c.req)) await requireOwn(ports.store, threadId, holderIn(c)?.owner)
    await next()
  }
  app.use('/api/threads/:threadId', own)
  app.use('/api/threads/:threadId/*', own)
  const book = ports.presence && new AnswerBook(ports)
  app.use(idempotency(limits.idempotencyKeys, book))
  app.route('/api', api)
  if (ports.page) addPage(app, ports.page)
  return {
    fetch: (request, env) => app.fetch(request, env),
    finish: (withinMs, signal) => drain.finish(withinMs, signal),
    close() {
      unlisten()
      unlistenOthers?.()
      feeds.close()
    },
  }
}

function readParts(ports: AppPorts): AppParts {
  const { agent, threads, store, clock, ids } = ports
  const limits: AppLimits = { ...APP_LIMITS, ...ports.limits }
  const activity = new Activity()
  const isOwnRun = (runId: string) => activity.isOwnRun(runId)
  const feeds = new Feeds({ store, clock, limits, isOwnRun })
  const sender = new Sender({
    agent,
    threads,
    clock,
    publish(frame) {
      activity.take(frame)
      feeds.take(frame)
    },
  })
  const tallies = new Tallies(store, ports.models)
  const previews = new Previews({ agent, threads, store, clock, ids, limits })
  const drain = new Drain(activity, feeds, clock)
  const pageSessions = new PageSessions()
  const arrivals = new Arrivals(clock)
  const views = { tallies, previews, arrivals }
  return { ...ports, limits, activity, feeds, sender, ...views, drain, pageSessions }
}

/** Makes browsers respect the declared type of every answer and run nothing in it. */
const inert: MiddlewareHandler = async (c, next) => {
  await next()
  const { headers } = c.res
  headers.set('x-content-type-options', 'nosniff')
  headers.set('referrer-policy', 'no-referrer')
  headers.set('cross-origin-resource-policy', 'same-origin')
  headers.set('cross-origin-opener-policy', 'same-origin')
  if (!headers.has('content-security-policy'))
    headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
  // No cache may keep conversations; the page sets its own lifetime.
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  // Only the head is sent; cancel the body, perhaps a stream.
  if (c.req.method === 'HEAD') await c.res.body?.cancel()
}

function isUpload({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === 'POST' && path === UPLOAD
}

function limited(maxSize: number) {
  return bodyLimit({
    maxSize,
    onError() {
      throw bodyTooLarge(maxSize)
    },
  })
}

function addPage(app: OpenAPIHono, page: Page): void {
  app.get('*', (c, next) => pageResponse(page, c.req.path) ?? next())
}

function buildDocument(api: Api, version: string) {
  api.openAPIRegistry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    description: 'Where the server has tokens: one of them.',
  })
  return api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'précis',
      version,
      description: `Protocol version ${PROTOCOL_VERSION}. Errors are problem details (RFC 9457). Writes take an Idempotency-Key.`,
    },
    security: [{}, { token: [] }],
  })
}

function noRoute(method: string, path: string): PrecisError {
  return new PrecisError('not-found', `There is no ${method} ${path.slice(0, 200)}.`, {
    where: path.slice(0, 200),
    hint: '/api/openapi.json lists all routes.',
  })
}

const METHODS = 'GET, POST, PATCH, DELETE'
const HEADERS = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID'
/** How long browsers may cache the preflight answer. */
const ASKED_AGAIN_SECONDS = '600'

/** Other origins get an answer without CORS headers, so browsers block them as well. */
export function shareWith(origins: readonly string[]): MiddlewareHandler {
  return async (c, next) => {
    const origin = c.req.header('origin')
    if (origin === undefined || !origins.includes(origin)) return next()
    const isQuestion = c.req.header('access-control-request-method') !== undefined
    // Browsers send preflights without a token; the real request brings it.
    if (c.req.method === 'OPTIONS' && isQuestion)
      c.res = new Response(null, {
        status: 204,
        headers: {
          'access-control-allow-methods': METHODS,
          'access-control-allow-headers': HEADERS,
          'access-control-max-age': ASKED_AGAIN_SECONDS,
        },
      })
    else await next()
    const { headers } = c.res
    headers.set('access-control-allow-origin', origin)
    headers.set('access-control-expose-headers', 'Retry-After')
    headers.set('cross-origin-resource-policy', 'cross-origin')
    headers.append('vary', 'Origin')
  }
}
