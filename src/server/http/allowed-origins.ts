// CORS for allowed origins
import type { MiddlewareHandler } from 'hono'

const METHODS = 'GET, POST, PATCH, DELETE'
const HEADERS = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID'
/** How long a browser need not ask again whether it may. */
const ASKED_AGAIN_SECONDS = '600'

/** Everybody else is answered without a word of it, and so is kept out by the browser as well. */
export function shareWith(origins: readonly string[]): MiddlewareHandler {
  return async (c, next) => {
    const origin = c.req.header('origin')
    if (origin === undefined || !origins.includes(origin)) return next()
    const isQuestion = c.req.header('access-control-request-method') !== undefined
    // A browser asks beforehand, and never with a token: that comes with the request itself.
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
