// Earlier imports of the same file, recognised by its bytes
import { readRow } from '../../core/log/codec.ts'
import { isPartialImport } from '../../core/log/import-end.ts'
import type { Store } from '../../core/ports.ts'
import type { Json } from '../../core/text/json.ts'

export interface EarlierImport {
  readonly threadId: string
  readonly at: string // when it was imported
  /** It was interrupted, or is under way. */
  readonly isPartial: boolean
}

/** A store may hold any number of threads: those that were used last are looked at. */
const LOOKED_AT = 5_000
const PAGE = 500

/** What the first event of an imported thread says of the file. */
export function importedFrom(digest: string, at: Date): { readonly [key: string]: Json } {
  return { digest, at: at.toISOString() }
}

/** By the digests of their files; of several imports of one file the first, or one that is partial. */
export async function earlierImports(store: Store): Promise<Map<string, EarlierImport>> {
  const found = new Map<string, EarlierImport>()
  let after: string | undefined
  for (let looked = 0; looked < LOOKED_AT; looked += PAGE) {
    const page = await store.list({ limit: PAGE, ...(after !== undefined && { after }) })
    for (const info of page.items) {
      const { threadId } = info
      const [row] = await store.read(threadId, { limit: 1 })
      const first = row && readRow(row)
      const { digest, at } = readSource(first?.source)
      if (digest === undefined || at === undefined || info.parent) continue
      const isPartial = await isPartialImport(store, info, first)
      const known = found.get(digest)
      const isBetter = known?.isPartial === isPartial ? at < known.at : isPartial
      if (known === undefined || isBetter) found.set(digest, { threadId, at, isPartial })
    }
    after = page.next
    if (after === undefined) break
  }
  return found
}

function readSource(source: Json | undefined): { digest?: string; at?: string } {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return {}
  const { digest, at } = source as { readonly [key: string]: Json }
  return typeof digest === 'string' && typeof at === 'string' ? { digest, at } : {}
}
