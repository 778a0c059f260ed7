// Sessions of the page: a cookie in place of the token, for as long as this process runs.
import { createHash, randomBytes } from 'node:crypto'
import type { Context } from 'hono'

const ID_BYTES = 32

/** The oldest are forgotten: their pages ask for the token again. */
const MOST_SESSIONS = 1_000

/**
 * The cookie is not a token and opens nothing on another process. Browsers send cookies to every port of a
 * host, so whoever listens there when this server has ended learns only what no longer opens anything.
 */
export class PageSessions {
  readonly #tokens = new Map<string, string>()

  /** A `Set-Cookie` for a page that has shown the token. */
  begin(c: Context, token: string): string {
    const id = randomBytes(ID_BYTES).toString('base64url')
    this.#tokens.set(computeDigest(id), token)
    const [oldest] = this.#tokens.keys()
    if (this.#tokens.size > MOST_SESSIONS && oldest !== undefined) this.#tokens.delete(oldest)
    const isSecure = c.req.header('origin')?.startsWith('https:') ?? false
    return `${nameFor(c)}=${id}; HttpOnly; SameSite=Strict; Path=/api${isSecure ? '; Secure' : ''}`
  }

  /** The token behind the cookie of a request of our own page; `''` if there is none. */
  tokenOf(c: Context): string {
    // Another port of this host is the same site to a browser: it sends the cookie from there, too.
    const from = c.req.header('sec-fetch-site')
    if (from !== undefined && from !== 'same-origin') return ''
    const prefix = `${nameFor(c)}=`
    const pairs = (c.req.header('cookie') ?? '').split(';').map((pair) => pair.trim())
    const id = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length)
    return (id !== undefined && this.#tokens.get(computeDigest(id))) || ''
  }
}

/** Servers on several ports of one host share their cookies: each has a name of its own. */
function nameFor(c: Context): string {
  const host = c.req.header('host') ?? new URL(c.req.url).host
  return `precis-${/:(\d+)$/.exec(host)?.[1] ?? 'page'}`
}

function computeDigest(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
