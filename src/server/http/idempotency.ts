// Writes repeated with the same key run once and get the same answer, on every process of the store.
import { createHash } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { type HeldLease, holdLease } from '../../agent/inbox/thread-lease.ts'
import { PrecisError } from '../../core/errors.ts'
import { type RenewingPorts, ServerLog } from '../live/server-log.ts'
import { holderIn } from './guard.ts'
import { uploadIn } from './upload.ts'

interface AnswerRecord {
  readonly fingerprint: string
  readonly answer: Promise<Answer>
  chars: number // of the answer, once it is there
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])
/** The answer contains a secret and is never stored. */
const SESSION = '/api/session'
const LONGEST_KEY = 200
/** Longer answers are not kept: a repeated request is cheaper than the memory. */
const LONGEST_ANSWER = 1_000_000
const MOST_CHARS = 16_000_000 // all together

/**
 * Keeps a limited number of answers and drops the oldest. Successes only, since a failure may be retried. If
 * several processes serve the store, the book knows their answers, too.
 */
export function idempotency(mostKeys: number, book?: AnswerBook): MiddlewareHandler {
  const known = new Map<string, AnswerRecord>()
  return async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (key === undefined || READING.has(c.req.method) || c.req.path === SESSION) return next()
    if (key === '' || key.length > LONGEST_KEY)
      throw new PrecisError('invalid-input', 'The key is empty or too long.', {
        where: 'Idempotency-Key',
        hint: `Use 1 to ${LONGEST_KEY} characters.`,
      })
    const fingerprint = await computeFingerprint(c)
    // Keys of different owners are separate.
    const ownKey = `${holderIn(c)?.owner ?? ''}\n${key}`
    const before = known.get(ownKey)
    if (before) {
      if (before.fingerprint !== fingerprint) throw otherRequest()
      return buildResponse(await before.answer)
    }
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    promise.catch(() => undefined) // it may have no other reader
    const kept: AnswerRecord = { fingerprint, answer: promise, chars: 0 }
    known.set(ownKey, kept)
    forgetOldest(known, mostKeys)
    try {
      const work = async () => {
        await next()
        return readAnswer(c.res)
      }
      const hash = createHash('sha256').update(ownKey).digest('hex')
      const answer = await (book ? once(book, hash, fingerprint, work) : work())
      kept.chars = answer.body.length
      if (!isSuccess(answer) || kept.chars > LONGEST_ANSWER) known.delete(ownKey)
      forgetOldest(known, mostKeys)
      resolve(answer)
      return book ? buildResponse(answer) : undefined
    } catch (error) {
      known.delete(ownKey)
      reject(error)
      throw error
    }
  }
}

/** Drops the oldest until count and total size are within limits. */
function forgetOldest(known: Map<string, AnswerRecord>, mostKeys: number): void {
  let chars = [...known.values()].reduce((sum, each) => sum + each.chars, 0)
  for (const [key, each] of known) {
    if (known.size <= mostKeys && chars <= MOST_CHARS) return
    known.delete(key)
    chars -= each.chars
  }
}

/** Runs the request here unless another process has done it. */
async function once(
  book: AnswerBook,
  key: string,
  fingerprint: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const claim = await book.claim(key)
  if (claim.done) {
    if (claim.done.fingerprint !== fingerprint) throw otherRequest()
    return claim.done.answer
  }
  let answered: StoredResponse | undefined
  try {
    const answer = await work()
    if (isSuccess(answer)) answered = { fingerprint, answer }
    return answer
  } finally {
    await claim.settle(answered)
  }
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300
}

async function computeFingerprint(c: Context): Promise<string> {
  const { pathname, search } = new URL(c.req.url)
  const hash = createHash('sha256').update(`${c.req.method} ${pathname}${search}\n`)
  const upload = uploadIn(c)
  if (upload) hash.update(upload.digest)
  else for await (const piece of c.req.raw.clone().body ?? []) hash.update(piece)
  return hash.digest('base64')
}

async function readAnswer(response: Response): Promise<Answer> {
  const copy = response.clone()
  return { status: copy.status, headers: [...copy.headers], body: await copy.text() }
}

function buildResponse({ status, headers, body }: Answer): Response {
  const hasBody = status !== 204
  return new Response(hasBody ? body : null, {
    status,
    headers: [...headers.map(([name, value]): [string, string] => [name, value])],
  })
}

function otherRequest(): PrecisError {
  return new PrecisError('id-conflict', 'This key was used for another request.', {
    where: 'Idempotency-Key',
    hint: 'Use a new key for each request, and the same key only to repeat it.',
  })
}

interface Answer {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

/** A request's key and its answer. */
interface StoredResponse {
  readonly fingerprint: string
  readonly answer: Answer
}

/** Either the stored answer, or the right to run the request exclusively. */
export type Claim =
  | { readonly done: StoredResponse }
  | { readonly done?: undefined; settle(answered?: StoredResponse): Promise<void> }

const HOUR_MS = 3_600_000
/** Logs in rotation, one per hour; the previous hour is still read. */
const LOGS = 3
const MOST_ENTRIES = 5_000
const LONGEST_BODY = 64_000
/** Limit for all answers of an hour: every process holds them. */
const MOST_KEPT_CHARS = 16_000_000
const LEASE_MS = 15_000
const POLL_MS = 50
/** A compaction by a slow model may take this long. */
const WAIT_MS = 600_000
const TITLE = 'Answers to repeated writes'

const stored = z.object({
  hour: z.number(),
  key: z.string(),
  fingerprint: z.string(),
  status: z.number().int().min(200).max(599),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string(),
})

interface ReadLog {
  seq: number
  chars: number // of the answers
  readonly answered: Map<string, StoredResponse>
}

export class AnswerBook {
  readonly #ports: RenewingPorts
  readonly #owner: string
  readonly #logs = new Map<string, ServerLog>()
  readonly #read = new Map<number, ReadLog>() // by hour

  constructor(ports: RenewingPorts) {
    this.#ports = ports
    this.#owner = ports.ids.next('answers')
  }

  /** Waits for other requests with this key. `key` is not a secret: the store contains it. */
  async claim(key: string): Promise<Claim> {
    const lease = await this.#lease(key)
    try {
      const done = await this.#find(key)
      if (!done) return { settle: (answered) => this.#settle(key, lease, answered) }
      await lease.release()
      return { done }
    } catch (thrown) {
      await lease.release()
      throw thrown
    }
  }

  async #lease(key: string): Promise<HeldLease> {
    const { store, clock, ids } = this.#ports
    const untilMs = clock.now().getTime() + WAIT_MS
    // Unique per request: one process may get the same key twice at once.
    const owner = `${this.#owner}/${ids.next('ask')}`
    for (;;) {
      const held = await holdLease({ store, clock, name: `key:${key}`, owner, ttlMs: LEASE_MS })
      if (held) return held
      if (clock.now().getTime() > untilMs)
        throw new PrecisError('overloaded', 'The same request is still running.', {
          hint: 'Try again later with the same key.',
          retryable: true,
        })
      await clock.sleep(POLL_MS)
    }
  }

  async #settle(
    key: string,
    lease: HeldLease,
    answered: StoredResponse | undefined,
  ): Promise<void> {
    try {
      if (answered && answered.answer.body.length <= LONGEST_BODY) await this.#add(key, answered)
    } catch (thrown) {
      // It ran and is answered; only a repetition on another process would run again.
      process.emitWarning(String(thrown))
    } finally {
      await lease.release()
    }
  }

  async #find(key: string): Promise<StoredResponse | undefined> {
    const hour = this.#hour()
    for (const each of this.#read.keys()) if (each < hour - 1) this.#read.delete(each)
    for (const each of [hour, hour - 1]) {
      const found = (await this.#logOf(each)).answered.get(key)
      if (found) return found
    }
    return undefined
  }

  /** Includes what other processes have added since. */
  async #logOf(hour: number): Promise<ReadLog> {
    const known = this.#read.get(hour) ?? nothingRead()
    const log = this.#log(hour)
    // The first answer of an hour starts a new log; until then each read would load the old one.
    if (known.seq === 0 && (await isOfAnotherHour(log, hour))) return nothingRead()
    for (const { seq, data } of await log.read(known.seq + 1)) {
      if (seq <= known.seq) continue // another request has read it meanwhile
      const read = stored.safeParse(data)
      if (!read.success || read.data.hour !== hour) return nothingRead()
      const { key, fingerprint, status, headers, body } = read.data
      known.answered.set(key, { fingerprint, answer: { status, headers, body } })
      known.chars += body.length
      known.seq = seq
    }
    this.#read.set(hour, known)
    return known
  }

  async #add(key: string, { fingerprint, answer }: StoredResponse): Promise<void> {
    const hour = this.#hour()
    const log = this.#log(hour)
    const { answered, chars } = await this.#logOf(hour)
    if (answered.size >= MOST_ENTRIES || chars + answer.body.length > MOST_KEPT_CHARS) return
    // Never append to the log of another hour.
    if ((this.#read.get(hour)?.seq ?? 0) === 0)
      await log.beginAnew(this.#ports, () => isOfAnotherHour(log, hour))
    const headers = answer.headers.map(([name, value]) => [name, value])
    const { status, body } = answer
    await log.append({ hour, key, fingerprint, status, headers, body })
  }

  #log(hour: number): ServerLog {
    const name = `answers_${hour % LOGS}`
    const log = this.#logs.get(name) ?? new ServerLog(this.#ports, name, TITLE)
    this.#logs.set(name, log)
    return log
  }

  #hour(): number {
    return Math.floor(this.#ports.clock.now().getTime() / HOUR_MS)
  }
}

async function isOfAnotherHour(log: ServerLog, hour: number): Promise<boolean> {
  const [first] = await log.read(1, 2) // behind its title
  return first !== undefined && stored.safeParse(first.data).data?.hour !== hour
}

function nothingRead(): ReadLog {
  return { seq: 0, chars: 0, answered: new Map() }
}
