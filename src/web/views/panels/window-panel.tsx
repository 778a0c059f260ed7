// The window in detail: by category in figures, over time, and its largest entries
import { useCallback } from 'react'
import type { Client, TimelinePoint } from '../../../protocol/index.ts'
import { useLinks } from '../../links.ts'
import { percentText, tokensText, visibleText } from '../../shown-text.ts'
import { useLoaded } from '../../use-loaded.ts'
import { categoryOf, inOrder } from '../../words.ts'
import { Swatch, TableHead } from '../state-mark.tsx'
import { TimelineChart, upToNow } from '../timeline-chart.tsx'
import { WindowBar } from '../window-strip.tsx'

const CHART_PX = 220

export function WindowPanel({
  client,
  threadId,
  version,
  points,
  onCompaction,
}: {
  readonly client: Client
  readonly threadId: string
  readonly version: number
  readonly points: readonly TimelinePoint[]
  readonly onCompaction: (seq: number) => void
}) {
  const load = useCallback(() => client.contextPicture(threadId), [client, threadId])
  const { value: picture, error } = useLoaded(load, version)
  const { show } = useLinks()
  if (error !== undefined) return <p role="alert">{error}</p>
  if (!picture) return <p className="empty">Counting…</p>
  const { categories, context, largest } = picture
  const shown = inOrder(categories.filter(({ tokens }) => tokens > 0))
  const whole = Math.max(1, context.limit ?? shown.reduce((sum, { tokens }) => sum + tokens, 0))
  return (
    <div className="window">
      <h2>Now</h2>
      <p>
        {tokensText(context.tokens)} of {tokensText(context.limit)} tokens (
        {percentText(context.percent)}
        {context.by === undefined ? '' : `, ${context.by}`})
      </p>
      <WindowBar picture={picture} />
      <table>
        <TableHead first="What" figures={['Tokens', 'Share']} />
        <tbody>
          {shown.map(({ name, tokens }) => (
            <tr key={name}>
              <td>
                <Swatch name={name} /> {categoryOf(name).shown}
              </td>
              <td className="figure">{tokens.toLocaleString()}</td>
              <td className="figure">{percentText((100 * tokens) / whole)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2>Over time</h2>
      {points.length === 0 ? (
        <p className="quiet">No data yet: the first answer adds the first point.</p>
      ) : (
        <TimelineChart
          points={upToNow(points, { version, context })}
          limit={context.limit}
          heightPx={CHART_PX}
          onCompaction={onCompaction}
        />
      )}
      {largest.length > 0 && (
        <>
          <h2>Largest entries</h2>
          <ol className="largest">
            {largest.map(({ ref, what, tokens }) => (
              <li key={ref}>
                <button type="button" className="ref" onClick={() => show(ref, 'told')}>
                  {ref}
                </button>{' '}
                {visibleText(what)}{' '}
                <span className="quiet figure">{tokensText(tokens)} tokens</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  )
}
