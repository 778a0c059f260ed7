// Sessions of the page: a cookie instead of the token, valid while this process runs.
import { createHash, randomBytes } from 'node:crypto'
import type { Context } from 'hono'

const ID_BYTES = 32

/** Beyond this the oldest are dropped; their pages ask for the token again. */
const MOST_SESSIONS = 1_000

/**
 * The cookie is not a token and is worthless to another process. Browsers send cookies to every port of a
 * host, so whoever listens on the port after this server ends learns only an expired cookie.
 */
export class PageSessions {
  readonly #tokens = new Map<string, string>()

  /** A `Set-Cookie` for a page that has presented the token. */
  begin(c: Context, token: string): string {
    const id = randomBytes(ID_BYTES).toString('base64url')
    this.#tokens.set(computeDigest(id), token)
    const [oldest] = this.#tokens.keys()
    if (this.#tokens.size > MOST_SESSIONS && oldest !== undefined) this.#tokens.delete(oldest)
    const isSecure = c.req.header('origin')?.startsWith('https:') ?? false
    return `${nameFor(c)}=${id}; HttpOnly; SameSite=Strict; Path=/api${isSecure ? '; Secure' : ''}`
  }

  /** The token behind the cookie of a request from our own page; `''` if there is none. */
  tokenOf(c: Context): string {
    // To a browser another port of this host is the same site, so it sends the cookie from there too.
    const from = c.req.header('sec-fetch-site')
    if (from !== undefined && from !== 'same-origin') return ''
    const prefix = `${nameFor(c)}=`
    const pairs = (c.req.header('cookie') ?? '').split(';').map((pair) => pair.trim())
    const id = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length)
    return (id !== undefined && this.#tokens.get(computeDigest(id))) || ''
  }
}

/** Servers on several ports of a host share cookies, so each uses its own name. */
function nameFor(c: Context): string {
  const host = c.req.header('host') ?? new URL(c.req.url).host
  return `precis-${/:(\d+)$/.exec(host)?.[1] ?? 'page'}`
}

function computeDigest(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
