// The size of the context over the whole thread, as a chart and as a list of its compactions.
import { useCallback } from 'react'
import type { Client, TimelinePoint } from '../../protocol/index.ts'
import { tokensText } from '../figures.ts'
import { useLoaded } from '../use-loaded.ts'
import { TimelineChart } from './timeline-chart.tsx'

export function TimelinePanel({
  client,
  threadId,
  measured,
  changes,
  limit,
  onCompaction,
}: {
  readonly client: Client
  readonly threadId: string
  /** What came since the thread was opened. */
  readonly measured: readonly TimelinePoint[]
  readonly changes: number
  readonly limit: number | undefined
  readonly onCompaction: (seq: number) => void
}) {
  const load = useCallback(() => client.timeline(threadId), [client, threadId])
  // Read again where the context was changed; one more answer is one more point.
  const { value: before, error } = useLoaded(load, changes)
  if (error !== undefined) return <p role="alert">{error}</p>
  if (!before) return <p className="empty">Measuring…</p>
  const last = before.at(-1)?.seq ?? 0
  const points = [...before, ...measured.filter(({ seq }) => seq > last)]
  if (points.length === 0)
    return <p className="empty">Nothing was measured yet: the first answer makes a first point.</p>
  const compactions = points.filter(({ compaction }) => compaction)
  return (
    <div className="timeline">
      <TimelineChart points={points} limit={limit} />
      <h2>Compactions</h2>
      {compactions.length === 0 && <p className="quiet">None so far.</p>}
      <ol aria-label="Compactions">
        {compactions.map(({ seq, compaction }) => (
          <li key={seq}>
            <button type="button" onClick={() => onCompaction(seq)}>
              {compaction?.strategy}: {tokensText(compaction?.before)} →{' '}
              {tokensText(compaction?.after)} tokens
            </button>{' '}
            <span className="quiet">event {seq.toLocaleString()}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}
