// Access tokens: the store keeps their hashes, so every process knows them at once.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { PrecisError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { type LogEntry, type LogPorts, ServerLog } from '../live/server-log.ts'
import type { AccessTokens, TokenHolder } from '../ports.ts'

interface TokenInfo extends TokenHolder {
  readonly owner: string
  readonly since: Date
}

interface KnownToken extends TokenInfo {
  readonly hash: Buffer
}

const NAME = 'tokens'
const TITLE = 'Access tokens of the server'
export const TOKEN_BYTES = 32
const TOKEN_PREFIX = 'precis_'
/** Delay before retrying to follow a log. */
const RETRY_MS = 1_000

const added = z.object({ token: z.string(), owner: z.string(), hash: z.string() })
const revoked = z.object({ revoked: z.string() })

/** Creates a token and returns it. It cannot be read again: only its hash is stored. */
export async function addToken(ports: LogPorts, name: string, owner: string): Promise<string> {
  requireName('name', name)
  requireName('owner', owner)
  const token = `${TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`
  await buildLog(ports).add((entries) => {
    if (tokensIn(entries).has(name))
      throw new PrecisError('id-conflict', `A token named ${name} already exists.`, {
        where: name,
        hint: 'Choose another name, or revoke that token first.',
      })
    return { token: name, owner, hash: computeDigest(token).toString('hex') }
  })
  return token
}

export async function listTokens(ports: LogPorts): Promise<TokenInfo[]> {
  const known = [...tokensIn(await buildLog(ports).read()).values()]
  return known.map(({ name, owner, since }) => ({ name, owner, since }))
}

/** Invalidates a token on every process. */
export async function revokeToken(ports: LogPorts, name: string): Promise<void> {
  await buildLog(ports).add((entries) => {
    if (!tokensIn(entries).has(name))
      throw new PrecisError('not-found', `There is no token ${name.slice(0, 100)}.`, {
        where: name.slice(0, 100),
        hint: 'precis token list shows the valid tokens.',
      })
    return { revoked: name }
  })
}

/** The current tokens of a store, for a running server. */
export class TokenBook implements AccessTokens {
  readonly #entries: LogEntry[]
  readonly #closing = new AbortController()
  #tokens: ReadonlyMap<string, KnownToken>
  readonly #following: Promise<void>

  static async open(ports: LogPorts): Promise<TokenBook> {
    const log = buildLog(ports)
    return new TokenBook(log, await log.read(), ports.clock)
  }

  private constructor(log: ServerLog, entries: LogEntry[], clock: Clock) {
    this.#entries = entries
    this.#tokens = tokensIn(entries)
    this.#following = this.#follow(log, clock)
  }

  /** Once there were tokens, a request without one stays rejected, even after the last is revoked. */
  get isRequired(): boolean {
    return this.#entries.length > 0
  }

  get count(): number {
    return this.#tokens.size
  }

  /** Compares every token in full, so that the timing reveals nothing. */
  holderOf(token: string): TokenHolder | undefined {
    return holderAmong([...this.#tokens.values()], token)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#following
  }

  async #follow(log: ServerLog, clock: Clock): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        for await (const entry of log.follow(this.#entries.at(-1)?.seq ?? 0, signal)) {
          this.#entries.push(entry)
          this.#tokens = tokensIn(this.#entries)
        }
      } catch (thrown) {
        // The known tokens stay valid; every request that needs the store reports its failure.
        if (!PrecisError.is(thrown)) process.emitWarning(String(thrown))
      }
      await clock.sleep(RETRY_MS, signal)
    }
  }
}

function holderAmong(
  tokens: readonly (TokenHolder & { readonly hash: Buffer })[],
  given: string,
): TokenHolder | undefined {
  const digest = computeDigest(given)
  const [holder] = tokens.filter(({ hash }) => timingSafeEqual(hash, digest))
  return holder && { name: holder.name, ...(holder.owner !== undefined && { owner: holder.owner }) }
}

export function computeDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function buildLog(ports: LogPorts): ServerLog {
  return new ServerLog(ports, NAME, TITLE)
}

function tokensIn(entries: readonly LogEntry[]): Map<string, KnownToken> {
  const tokens = new Map<string, KnownToken>()
  for (const { data, at } of entries) {
    const { data: begun } = added.safeParse(data)
    const { data: ended } = revoked.safeParse(data)
    if (begun) {
      const { token: name, owner, hash } = begun
      tokens.set(name, { name, owner, since: at, hash: Buffer.from(hash, 'hex') })
    }
    if (ended) tokens.delete(ended.revoked)
  }
  return tokens
}

function requireName(what: string, given: string): void {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,63}$/u.test(given)) return
  throw new PrecisError('usage', `${JSON.stringify(given.slice(0, 100))} is no ${what}.`, {
    where: what,
    hint: 'Use 1 to 64 letters, digits, dots, dashes, underscores or @, beginning with a letter or a digit.',
  })
}
