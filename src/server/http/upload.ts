// A long body: streamed to a file, so that it is never in memory as a whole.
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context, MiddlewareHandler } from 'hono'
import { PrecisError } from '../../core/errors.ts'
import { JsonBounds } from '../../core/text/json-bounds.ts'
import type { UploadedFile } from '../ports.ts'
import { whoIn } from './guard.ts'
import { Shares } from './problems.ts'

interface KeptUpload extends UploadedFile {
  readonly digest: string
}

interface UploadLimits {
  readonly uploadBytes: number
  readonly uploadsAtOnce: number
}

interface BodyLimits {
  readonly bodyBytes: number
  readonly bodyBytesAtOnce: number
}

const UPLOAD = 'upload'
/** Sessions have about 50 bytes per value; one of the longest may have 32. */
const UPLOADED_VALUES = 4_000_000

export function takeUploads({ uploadBytes, uploadsAtOnce }: UploadLimits): MiddlewareHandler {
  const shares = new Shares(uploadsAtOnce)
  return async (c, next) => {
    const declared = Number(c.req.header('content-length') ?? 0)
    if (declared > uploadBytes) throw bodyTooLarge(uploadBytes)
    const giveBack = shares.take(whoIn(c))
    if (!giveBack)
      throw new PrecisError('overloaded', 'Too many files are being imported.', {
        hint: `At most ${uploadsAtOnce} at once per owner, fewer while other owners are active. Try again in a moment.`,
        retryable: true,
      })
    const file = join(tmpdir(), `precis-upload-${randomUUID()}`)
    try {
      c.set(UPLOAD, await keep(c.req.raw.body, file, uploadBytes))
      await next()
    } finally {
      giveBack()
      await rm(file, { force: true })
    }
  }
}

/** The upload of this request, if it has one. */
export function uploadIn(c: Context): KeptUpload | undefined {
  return c.get(UPLOAD) as KeptUpload | undefined
}

/** Limits the body bytes in memory per owner. */
export function shareBodies({ bodyBytes, bodyBytesAtOnce }: BodyLimits): MiddlewareHandler {
  const shares = new Shares(bodyBytesAtOnce)
  return async (c, next) => {
    const held: (() => void)[] = []
    const hold = (bytes: number) => {
      const giveBack = shares.take(whoIn(c), bytes)
      if (giveBack) held.push(giveBack)
      else
        throw new PrecisError('overloaded', 'Too many large requests at once.', {
          hint: `At most ${bodyBytesAtOnce} bytes at once per owner, fewer while other owners are active. Try again in a moment.`,
          retryable: true,
        })
    }
    try {
      // A body of unknown length counts as it arrives.
      if (c.req.header('transfer-encoding') === undefined)
        hold(Math.min(Number(c.req.header('content-length') ?? 0) || 0, bodyBytes))
      else if (c.req.raw.body)
        c.req.raw = new Request(c.req.raw, { body: await gather(c.req.raw.body, bodyBytes, hold) })
      await next()
    } finally {
      for (const giveBack of held) giveBack()
    }
  }
}

/** Collects into one buffer that doubles, so that many tiny chunks take no extra room. */
async function gather(
  body: ReadableStream<Uint8Array>,
  mostBytes: number,
  hold: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  let buffer = new Uint8Array(0)
  let bytes = 0
  for await (const piece of body) {
    const end = bytes + piece.length
    if (end > mostBytes) throw bodyTooLarge(mostBytes)
    if (end > buffer.length) {
      const length = Math.min(mostBytes, Math.max(end, buffer.length * 2))
      hold(length - buffer.length)
      const larger = new Uint8Array(length)
      larger.set(buffer)
      buffer = larger
    }
    buffer.set(piece, bytes)
    bytes = end
  }
  return buffer.subarray(0, bytes)
}

export function bodyTooLarge(mostBytes: number): PrecisError {
  return new PrecisError('payload-too-large', 'The body is too large.', {
    where: 'body',
    hint: `At most ${mostBytes} bytes are accepted.`,
  })
}

async function keep(
  body: ReadableStream<Uint8Array> | null,
  file: string,
  mostBytes: number,
): Promise<KeptUpload> {
  const hash = createHash('sha256')
  let bytes = 0
  const bounds = new JsonBounds({ values: UPLOADED_VALUES, depth: Number.POSITIVE_INFINITY })
  const handle = await open(file, 'wx', 0o600)
  try {
    for await (const piece of body ?? []) {
      bytes += piece.length
      if (bytes > mostBytes) throw bodyTooLarge(mostBytes)
      bounds.take(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1'))
      hash.update(piece)
      await handle.write(piece)
    }
  } finally {
    await handle.close()
  }
  return { bytes, digest: hash.digest('base64'), open: () => createReadStream(file) }
}
