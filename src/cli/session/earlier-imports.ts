// Earlier imports of the same file, recognised by its bytes or its path
import { z } from 'zod'
import { readRow } from '../../core/log/codec.ts'
import type { ThreadEvent } from '../../core/log/event.ts'
import { isPartialImport } from '../../core/log/import-end.ts'
import type { Store } from '../../core/ports.ts'
import type { Json } from '../../core/text/json.ts'
import { findWorkplace } from '../../formats/reading/workplace.ts'

export interface EarlierImport {
  readonly threadId: string
  readonly at: string // when it was imported
  /** It was interrupted, or is under way. */
  readonly isPartial: boolean
}

/** A store may hold any number of threads: those that were used last are looked at. */
const LOOKED_AT = 5_000
const PAGE = 500

export interface EarlierImports {
  /** By the digests of their files; of several imports of one file the first, or one that is partial. */
  readonly byDigest: Map<string, EarlierImport>
  /** By the paths of their files: the latest. */
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
  file: z.string().optional().catch(undefined), // its whole path
  agent: z.string().optional().catch(undefined), // the id of its format
  project: z.string().optional().catch(undefined),
  /** The thread of the same session before the agent rewrote its file. */
  replaces: z.string().optional().catch(undefined),
})
export type ImportedFrom = z.output<typeof schema>

/** What the first event of an imported thread says of the file. */
export function readImported(source: Json | undefined): ImportedFrom {
  return schema.safeParse(source).data ?? {}
}

/** The directory that the session of a thread took place in. */
export function projectOf(events: readonly ThreadEvent[]): string | undefined {
  const [workspace] = events.flatMap((event) =>
    event.type === 'THREAD_SETTINGS' ? (event.data.workspace ?? []) : [],
  )
  return readImported(events[0]?.source).project ?? workspace ?? findWorkplace(events)
}
