// Access checks: host, origin, token and rate limit
import type { Context, MiddlewareHandler } from 'hono'
import { PrecisError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { PageSessions } from '../accounts/page-sessions.ts'
import type { Access, TokenHolder } from '../ports.ts'
import { admit } from './connections.ts'
import { Turns } from './turns.ts'

/** Used by monitoring under any host name; they reveal nothing. */
const OPEN: ReadonlySet<string> = new Set(['/api/health', '/api/ready'])

/** The description of the API is public: every package contains it. */
const PUBLIC = '/api/openapi.json'

/** Keeps foreign pages from sending requests, even under a host name of their own (DNS rebinding). */
export function guard(
  { hosts = [], origins = [], tokens }: Access,
  rate: RateLimit,
  sessions: PageSessions,
): MiddlewareHandler {
  const turns = new Turns()
  const known = new Set(hosts.map((host) => host.toLowerCase()))
  return async (c, next) => {
    if (OPEN.has(c.req.path)) return next()
    const host = c.req.header('host') ?? new URL(c.req.url).host
    if (!isLoopback(host) && !isKnown(host, known)) throw foreignHost(host)
    requireOwnOrigin(c, host, origins)
    const holder = tokens?.holderOf(readToken(c, sessions))
    const who = findCaller(c, holder)
    c.set(WHO, who)
    rate.take(who)
    // The page itself is public: it asks for a token.
    if (!c.req.path.startsWith('/api') || c.req.path === PUBLIC) return next()
    if (tokens?.isRequired) c.set(HOLDER, requireHolder(holder))
    const socket = findSocket(c)
    if (!socket) return next() // an in-process request
    admit(socket)
    const leave = await turns.take(who, c.req.raw.signal)
    await next().finally(leave)
  }
}

/** The token holder of the request; undefined without tokens. */
export function holderIn(c: Context): TokenHolder | undefined {
  return c.get(HOLDER) as TokenHolder | undefined
}

/** For requests that last hours: checks whether their token is still valid. */
export function stillHolds({ tokens }: Access, c: Context, sessions: PageSessions): () => boolean {
  const token = readToken(c, sessions)
  const owner = holderIn(c)?.owner
  return () => {
    if (!tokens?.isRequired) return true
    const holder = tokens.holderOf(token)
    return holder !== undefined && holder.owner === owner
  }
}

const HOLDER = 'holder'
const WHO = 'who'

/** Whose quota the request uses: that of an owner or of an address. */
export function whoIn(c: Context): string {
  return (c.get(WHO) as string | undefined) ?? 'here'
}

/** True for the machine's owner on the machine itself, not through a proxy. */
export function isFromMachine(c: Context): boolean {
  const { remoteAddress = '127.0.0.1' } = findSocket(c) ?? {}
  const isPassedOn = ['forwarded', 'x-forwarded-for'].some((name) => c.req.header(name))
  const host = c.req.header('host') ?? new URL(c.req.url).host
  const isLocal = /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/.test(remoteAddress)
  return isLocal && !isPassedOn && isLoopback(host) && holderIn(c)?.isOwnerOfMachine === true
}

function findCaller(c: Context, holder: TokenHolder | undefined): string {
  if (!holder) return `address ${findSocket(c)?.remoteAddress ?? 'here'}`
  return holder.owner === undefined ? `token ${holder.name}` : `owner ${holder.owner}`
}

function requireOwnOrigin(c: Context, host: string, origins: readonly string[]): void {
  const origin = c.req.header('origin')
  if (origin !== undefined && !isOwn(origin, host) && !origins.includes(origin))
    throw foreignOrigin(origin)
  // A link on another site may open the page, but nothing else.
  const isLink = c.req.header('sec-fetch-mode') === 'navigate' && !c.req.path.startsWith('/api')
  if (origin === undefined && c.req.header('sec-fetch-site') === 'cross-site' && !isLink)
    throw foreignOrigin('another site')
}

/** With any port: `localhost`, 127.0.0.0/8, `[::1]`. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host)
}

/** An allowed name without a port matches every port. */
function isKnown(host: string, known: ReadonlySet<string>): boolean {
  const name = host.toLowerCase()
  return known.has(name) || known.has(name.replace(/:\d{1,5}$/, ''))
}

/** Another server on this machine is another origin. */
function isOwn(origin: string, host: string): boolean {
  return /^https?:$/.test(readProtocol(origin)) && new URL(origin).host === host.toLowerCase()
}

function readProtocol(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).protocol : ''
}

/** From the header, or from the cookie of the page. */
export function readToken(c: Context, sessions: PageSessions): string {
  const header = c.req.header('authorization')
  if (header === undefined) return sessions.tokenOf(c)
  return /^Bearer (.+)$/i.exec(header)?.[1] ?? ''
}

/** The connection of an HTTP request; undefined in process. */
function findSocket(c: Context): { readonly remoteAddress?: string } | undefined {
  const { incoming } = (c.env ?? {}) as { incoming?: { socket?: { remoteAddress?: string } } }
  return incoming?.socket
}

function requireHolder(holder: TokenHolder | undefined): TokenHolder {
  if (holder) return holder
  throw new PrecisError('auth-failed', 'Missing or invalid token.', {
    where: 'Authorization',
    hint: 'Send it as `Authorization: Bearer …`.',
  })
}

function foreignHost(host: string): PrecisError {
  return new PrecisError('forbidden', `Host ${host.slice(0, 200)} is not allowed.`, {
    where: 'Host',
    hint: 'Use the address that the server printed, or add a name with --name.',
  })
}

function foreignOrigin(origin: string): PrecisError {
  return new PrecisError('forbidden', `Origin ${origin.slice(0, 200)} is not allowed.`, {
    where: 'Origin',
    hint: 'Use the page of this server, or start the server with --origin.',
  })
}

interface Bucket {
  left: number
  atMs: number
}

/** Beyond this, clients that asked longest ago are dropped: their bucket would be full again. */
const MOST_BUCKETS = 10_000
const MINUTE_MS = 60_000

/** Rate limit per client: a token bucket of one minute */
export class RateLimit {
  readonly #perMinute: number
  readonly #clock: Clock
  readonly #buckets = new Map<string, Bucket>()

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute
    this.#clock = clock
  }

  /** Throws if the limit is exceeded. */
  take(who: string): void {
    if (this.#perMinute === Number.POSITIVE_INFINITY) return
    const nowMs = this.#clock.now().getTime()
    const before = this.#buckets.get(who) ?? { left: this.#perMinute, atMs: nowMs }
    const earned = ((nowMs - before.atMs) / MINUTE_MS) * this.#perMinute
    const left = Math.min(this.#perMinute, before.left + Math.max(0, earned))
    this.#keep(who, { left: left < 1 ? left : left - 1, atMs: nowMs })
    if (left >= 1) return
    const seconds = Math.ceil(((1 - left) / this.#perMinute) * (MINUTE_MS / 1_000))
    throw new PrecisError('rate-limited', 'Too many requests.', {
      hint: `Rate limit: ${this.#perMinute} requests per minute. Try again in ${seconds} s.`,
      retryable: true,
      details: { retryAfterSeconds: seconds },
    })
  }

  #keep(who: string, bucket: Bucket): void {
    this.#buckets.delete(who)
    this.#buckets.set(who, bucket)
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size > MOST_BUCKETS && oldest !== undefined) this.#buckets.delete(oldest)
  }
}
