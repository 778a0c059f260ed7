// Writes that are repeated under the same key: done once, and answered the same again.
import { createHash } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { PrecisError } from '../core/errors.ts'
import { holderIn } from './guard.ts'
import { uploadIn } from './upload.ts'

interface Remembered {
  readonly fingerprint: string
  readonly answer: Promise<Answer>
}
interface Answer {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

const LONGEST_KEY = 200
/** Longer answers are not kept: to ask again is cheaper than to remember them all. */
const LONGEST_ANSWER = 1_000_000

/** Keeps so many answers, the oldest forgotten first. Only successes: what failed may be tried again. */
export function idempotency(mostKeys: number): MiddlewareHandler {
  const known = new Map<string, Remembered>()
  return async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (key === undefined || c.req.method === 'GET') return next()
    if (key === '' || key.length > LONGEST_KEY)
      throw new PrecisError('invalid-input', 'The key is empty or too long.', {
        where: 'Idempotency-Key',
        hint: `Use 1 to ${LONGEST_KEY} characters.`,
      })
    const fingerprint = await fingerprintOf(c)
    // What one has asked for is nothing to another.
    const ownKey = `${holderIn(c)?.owner ?? ''}\n${key}`
    const before = known.get(ownKey)
    if (before) {
      if (before.fingerprint !== fingerprint) throw otherRequest()
      return responseOf(await before.answer)
    }
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    promise.catch(() => undefined) // nobody may wait for it
    known.set(ownKey, { fingerprint, answer: promise })
    const [oldest] = known.keys()
    if (known.size > mostKeys && oldest !== undefined) known.delete(oldest)
    try {
      await next()
      if (!c.res.ok) known.delete(ownKey)
      const answer = await answerOf(c.res)
      if (answer.body.length > LONGEST_ANSWER) known.delete(ownKey)
      resolve(answer)
    } catch (error) {
      known.delete(ownKey)
      reject(error)
      throw error
    }
    return undefined
  }
}

async function fingerprintOf(c: Context): Promise<string> {
  const { pathname, search } = new URL(c.req.url)
  const hash = createHash('sha256').update(`${c.req.method} ${pathname}${search}\n`)
  const upload = uploadIn(c)
  if (upload) hash.update(upload.digest)
  else for await (const piece of c.req.raw.clone().body ?? []) hash.update(piece)
  return hash.digest('base64')
}

async function answerOf(response: Response): Promise<Answer> {
  const copy = response.clone()
  return { status: copy.status, headers: [...copy.headers], body: await copy.text() }
}

function responseOf({ status, headers, body }: Answer): Response {
  const hasBody = status !== 204
  return new Response(hasBody ? body : null, {
    status,
    headers: [...headers.map(([name, value]): [string, string] => [name, value])],
  })
}

function otherRequest(): PrecisError {
  return new PrecisError('id-conflict', 'This key was used for another request.', {
    where: 'Idempotency-Key',
    hint: 'Take a new key for each request; the same only to repeat one.',
  })
}
