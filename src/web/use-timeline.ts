// The size of the context over a thread, and its compactions with their sizes, the newest first
// The context of a thread in pages, loaded on demand
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Client, ContextEntry, TimelinePoint } from '../protocol/index.ts'
import type { ThreadSnapshot } from './thread-feed.ts'
import { useLoaded } from './use-loaded.ts'
import type { PastChange } from './views/window-strip.tsx'
import { readMessage } from './words.ts'

type OpenThread = ThreadSnapshot & { readonly detail: { readonly threadId: string } }

export function useTimeline(
  client: Client,
  { detail, measured, changes, blocks }: OpenThread,
): {
  readonly points: readonly TimelinePoint[]
  readonly compactions: readonly PastChange[]
} {
  const { threadId } = detail
  const load = useCallback(() => client.timeline(threadId), [client, threadId])
  // Read again where the context was changed; one more answer is one more point.
  const { value: before } = useLoaded(load, changes)
  const points = useMemo(() => {
    const last = before?.at(-1)?.seq ?? 0
    return [...(before ?? []), ...measured.filter(({ seq }) => seq > last)]
  }, [before, measured])
  const times = useMemo(
    () =>
      new Map(
        blocks.flatMap((block) =>
          block.kind === 'compaction' && block.seq !== undefined ? [[block.seq, block.time]] : [],
        ),
      ),
    [blocks],
  )
  const compactions = useMemo(() => compactionsIn(points, times), [points, times])
  return { points, compactions }
}

function compactionsIn(
  points: readonly TimelinePoint[],
  times: ReadonlyMap<number, Date | undefined>,
): readonly PastChange[] {
  const undone = new Set<number>()
  for (const point of points) {
    if (point.undone !== undefined) undone.add(point.undone)
    if (point.redone !== undefined) undone.delete(point.redone)
  }
  return points
    .flatMap(({ seq, compaction }) => {
      const time = times.get(seq)
      return compaction
        ? [{ seq, ...compaction, isUndone: undone.has(seq), ...(time && { time }) }]
        : []
    })
    .reverse()
}

const PAGE = 100

interface Pages {
  readonly total: number | undefined
  readonly byNumber: ReadonlyMap<number, readonly ContextEntry[]>
}

export interface ContextPages {
  readonly total: number | undefined // not known yet
  readonly error: string | undefined
  at(index: number): ContextEntry | undefined
  /** These are in sight. */
  need(first: number, last: number): void
}

/** What was read stays until the same page of a later version is there. */
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
