// Earlier imports of the same file, recognised by its bytes
import { readRow } from '../../core/codec.ts'
import type { Json } from '../../core/json.ts'
import type { Store } from '../../core/ports.ts'

export interface EarlierImport {
  readonly threadId: string
  readonly at: string // when it was imported
}

/** A store may hold any number of threads: those that were used last are looked at. */
const LOOKED_AT = 5_000
const PAGE = 500

/** What the first event of an imported thread says of the file. */
export function importedFrom(digest: string, at: Date): Json {
  return { digest, at: at.toISOString() }
}

/** By the digests of their files; of several imports of one file the first. */
export async function earlierImports(store: Store): Promise<Map<string, EarlierImport>> {
  const found = new Map<string, EarlierImport>()
  let after: string | undefined
  for (let looked = 0; looked < LOOKED_AT; looked += PAGE) {
    const page = await store.list({ limit: PAGE, ...(after !== undefined && { after }) })
    for (const { threadId } of page.items) {
      const [row] = await store.read(threadId, { limit: 1 })
      const { digest, at } = sourceOf(row && readRow(row).source)
      if (digest === undefined || at === undefined) continue
      const known = found.get(digest)
      if (known === undefined || at < known.at) found.set(digest, { threadId, at })
    }
    after = page.next
    if (after === undefined) break
  }
  return found
}

function sourceOf(source: Json | undefined): { digest?: string; at?: string } {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return {}
  const { digest, at } = source as { readonly [key: string]: Json }
  return typeof digest === 'string' && typeof at === 'string' ? { digest, at } : {}
}
