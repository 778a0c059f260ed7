// Writes that are repeated under the same key: done once, and answered the same again.
import { createHash } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { PrecisError } from '../../core/errors.ts'
import { holderIn } from './guard.ts'
import type { Answer, AnswerBook, StoredResponse } from './idempotent-responses.ts'
import { uploadIn } from './upload.ts'

interface Remembered {
  readonly fingerprint: string
  readonly answer: Promise<Answer>
  chars: number // of the answer, once it is there
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])
/** Its answer is a secret, and kept nowhere. */
const SESSION = '/api/session'
const LONGEST_KEY = 200
/** Longer answers are not kept: to ask again is cheaper than to remember them all. */
const LONGEST_ANSWER = 1_000_000
/** All that are kept together. */
const MOST_CHARS = 16_000_000

/**
 * Keeps so many answers, the oldest forgotten first. Only successes: what failed may be tried again.
 * Where other processes may be asked, too, the book knows what they have answered.
 */
export function idempotency(mostKeys: number, book?: AnswerBook): MiddlewareHandler {
  const known = new Map<string, Remembered>()
  return async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (key === undefined || READING.has(c.req.method) || c.req.path === SESSION) return next()
    if (key === '' || key.length > LONGEST_KEY)
      throw new PrecisError('invalid-input', 'The key is empty or too long.', {
        where: 'Idempotency-Key',
        hint: `Use 1 to ${LONGEST_KEY} characters.`,
      })
    const fingerprint = await computeFingerprint(c)
    // What one has asked for is nothing to another.
    const ownKey = `${holderIn(c)?.owner ?? ''}\n${key}`
    const before = known.get(ownKey)
    if (before) {
      if (before.fingerprint !== fingerprint) throw otherRequest()
      return buildResponse(await before.answer)
    }
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    promise.catch(() => undefined) // nobody may wait for it
    const kept: Remembered = { fingerprint, answer: promise, chars: 0 }
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

/** Until those that are left are neither too many nor too long together. */
function forgetOldest(known: Map<string, Remembered>, mostKeys: number): void {
  let chars = [...known.values()].reduce((sum, each) => sum + each.chars, 0)
  for (const [key, each] of known) {
    if (known.size <= mostKeys && chars <= MOST_CHARS) return
    known.delete(key)
    chars -= each.chars
  }
}

/** Done by this process, unless another has done it. */
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
