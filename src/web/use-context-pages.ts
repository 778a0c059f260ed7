// The context of a thread in pages, loaded on demand
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Client, ContextEntry } from '../protocol/index.ts'
import { readMessage } from './shown-text.ts'

const PAGE = 100

interface Pages {
  readonly total: number | undefined
  readonly byNumber: ReadonlyMap<number, readonly ContextEntry[]>
}

export interface ContextPages {
  readonly total: number | undefined // unknown yet
  readonly error: string | undefined
  at(index: number): ContextEntry | undefined
  /** The visible range. */
  need(first: number, last: number): void
}

/** Keeps a page until a later version of it is loaded. */
export function useContextPages(client: Client, threadId: string, version: number): ContextPages {
  const [pages, setPages] = useState<Pages>({ total: undefined, byNumber: new Map() })
  const [error, setError] = useState<string>()
  const inSight = useRef<readonly [number, number]>([0, 0])
  const asked = useRef({ version: -1, pages: new Set<number>() })

  const read = useCallback(
    async (number: number) => {
      const range = { from: number * PAGE, limit: PAGE }
      const { items, total } = await client.contextEntries(threadId, range)
      setError(undefined)
      setPages(({ byNumber }) => ({ total, byNumber: new Map(byNumber).set(number, items) }))
    },
    [client, threadId],
  )
  const need = useCallback(
    (first: number, last: number) => {
      inSight.current = [first, last]
      if (asked.current.version !== version) asked.current = { version, pages: new Set() }
      const { pages: known } = asked.current
      for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page += 1) {
        if (known.has(page)) continue
        known.add(page)
        read(page).catch((thrown: unknown) => {
          known.delete(page)
          setError(readMessage(thrown))
        })
      }
    },
    [read, version],
  )
  useEffect(() => need(...inSight.current), [need])
  return {
    total: pages.total,
    error,
    at: (index) => pages.byNumber.get(Math.floor(index / PAGE))?.[index % PAGE],
    need,
  }
}
