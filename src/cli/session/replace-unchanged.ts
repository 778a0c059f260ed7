// Replaces a file that another program may append to, without losing a line.
import { createHash } from 'node:crypto'
import { appendFile, type FileHandle, open } from 'node:fs/promises'
import { z } from 'zod'
import { readRow } from '../../core/log/codec.ts'
import type { ThreadEvent } from '../../core/log/event.ts'
import { isPartialImport } from '../../core/log/import-end.ts'
import type { Store } from '../../core/ports.ts'
import type { Json } from '../../core/text/json.ts'
import { findWorkplace } from '../../formats/reading/workplace.ts'
import type { Io } from '../process-io.ts'
import { type Written, writeText } from '../terminal/io.ts'

/** A program that never stops appending must not delay the replacement for ever. */
const MOST_LOOKS = 16

/**
 * Replaces the file if its digest is the given one; otherwise returns undefined and leaves it as it is.
 * Returns what was appended to the old file meanwhile, which is at the end of the new one.
 */
export async function replaceUnchanged(
  path: string,
  digest: string,
  text: Written,
  io: Io,
): Promise<Uint8Array | undefined> {
  // This handle still reads the old file after its name belongs to the new one.
  const old = await open(path, 'r')
  try {
    const { size } = await old.stat()
    if ((await digestOfStart(old, size)) !== digest) return undefined
    await writeText(path, text, io)
    return await moveAppended(old, path, { size, digest }, io)
  } finally {
    await old.close()
  }
}

/** Repeats until nothing is new: each look follows a synced write. */
async function moveAppended(
  old: FileHandle,
  path: string,
  before: { readonly size: number; readonly digest: string },
  io: Io,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = []
  let end = before.size
  for (let look = 0; look < MOST_LOOKS; look++) {
    const piece = await readFrom(old, end)
    const isUnchanged = (await digestOfStart(old, before.size)) === before.digest
    if (!isUnchanged || (piece.length > 0 && !(await endsLine(old, before.size)))) {
      // Changed inside, or not made of lines: nothing can be moved, so restore the file.
      await writeText(path, await readFrom(old, 0), io)
      return undefined
    }
    if (piece.length === 0) break
    await appendFile(path, piece, { flush: true })
    pieces.push(piece)
    end += piece.length
  }
  return Buffer.concat(pieces)
}

async function digestOfStart(file: FileHandle, size: number): Promise<string> {
  const hash = createHash('sha256')
  if (size === 0) return hash.digest('hex')
  for await (const piece of file.createReadStream({ start: 0, end: size - 1, autoClose: false }))
    hash.update(piece)
  return hash.digest('hex')
}

async function readFrom(file: FileHandle, position: number): Promise<Uint8Array> {
  const { size } = await file.stat()
  const bytes = Buffer.alloc(Math.max(0, size - position))
  const { bytesRead } = await file.read(bytes, 0, bytes.length, position)
  return bytes.subarray(0, bytesRead)
}

async function endsLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] === 10
}

export interface EarlierImport {
  readonly threadId: string
  readonly at: string // when it was imported
  /** Interrupted, or still running. */
  readonly isPartial: boolean
}

/** A store may hold any number of threads: only the most recently used are examined. */
const LOOKED_AT = 5_000
const PAGE = 500

export interface EarlierImports {
  /** Keyed by file digest; of several imports of one file the first, or a partial one. */
  readonly byDigest: Map<string, EarlierImport>
  /** Keyed by file path: the latest import. */
  readonly byFile: Map<string, EarlierImport>
}

export async function earlierImports(store: Store): Promise<EarlierImports> {
  const found = new Map<string, EarlierImport>()
  const byFile = new Map<string, EarlierImport>()
  let after: string | undefined
  for (let looked = 0; looked < LOOKED_AT; looked += PAGE) {
    const page = await store.list({ limit: PAGE, ...(after !== undefined && { after }) })
    for (const info of page.items) {
      const { threadId } = info
      const [row] = await store.read(threadId, { limit: 1 })
      const first = row && readRow(row)
      const { digest, at, file } = readImported(first?.source)
      if (digest === undefined || at === undefined || info.parent) continue
      const isPartial = await isPartialImport(store, info, first)
      const known = found.get(digest)
      const isBetter = known?.isPartial === isPartial ? at < known.at : isPartial
      if (known === undefined || isBetter) found.set(digest, { threadId, at, isPartial })
      const latest = file === undefined ? undefined : byFile.get(file)
      if (file !== undefined && (latest === undefined || latest.at < at))
        byFile.set(file, { threadId, at, isPartial })
    }
    after = page.next
    if (after === undefined) break
  }
  return { byDigest: found, byFile }
}

export function importedFrom(digest: string, at: Date) {
  return { digest, at: at.toISOString() }
}

const schema = z.object({
  digest: z.string().optional().catch(undefined),
  at: z.string().optional().catch(undefined),
  file: z.string().optional().catch(undefined), // full path
  agent: z.string().optional().catch(undefined), // format id
  project: z.string().optional().catch(undefined),
  /** The thread of this session before the agent rewrote its file. */
  replaces: z.string().optional().catch(undefined),
})
type ImportedFrom = z.output<typeof schema>

/** What an imported thread's first event tells about the file. */
export function readImported(source: Json | undefined): ImportedFrom {
  return schema.safeParse(source).data ?? {}
}

/** The directory in which a thread's session ran. */
export function findProject(events: readonly ThreadEvent[]): string | undefined {
  const [workspace] = events.flatMap((event) =>
    event.type === 'THREAD_SETTINGS' ? (event.data.workspace ?? []) : [],
  )
  return readImported(events[0]?.source).project ?? workspace ?? findWorkplace(events)
}
