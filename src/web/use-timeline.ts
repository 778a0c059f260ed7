// The size of the context over a thread, and its compactions with their sizes, the newest first
import { useCallback, useMemo } from 'react'
import type { Client, TimelinePoint } from '../protocol/index.ts'
import type { ThreadSnapshot } from './thread-feed.ts'
import { useLoaded } from './use-loaded.ts'
import type { PastChange } from './views/window-strip.tsx'

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
  // Reloaded after a context change; a new answer only adds a point.
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
