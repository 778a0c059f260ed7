// Billing: tokens and dollars by model and over time, cached, and saved by compactions. The window in detail:
// by category, over time, and its largest entries.
import { type PointerEvent, useCallback, useState } from 'react'
import type { Client, ThreadDetail, TimelinePoint } from '../../../protocol/index.ts'
import { useLinks } from '../../links.ts'
import { costText, countText, percentText, tokensText, visibleText } from '../../shown-text.ts'
import { useLoaded } from '../../use-loaded.ts'
import { billedWarning, entryWords, findCategory, inOrder } from '../../words.ts'
import { StateIcon, Swatch, TableHead } from '../texts.tsx'
import { TimelineChart, upToNow } from '../timeline-chart.tsx'
import { WindowBar } from '../window-strip.tsx'

export function CostPanel({
  client,
  detail,
  points,
}: {
  readonly client: Client
  readonly detail: ThreadDetail
  readonly points: readonly TimelinePoint[]
}) {
  const { threadId, version, billed, costUsd, isCounting, tokenUsage } = detail
  const load = useCallback(() => client.cost(threadId), [client, threadId])
  const { value: models = [], error } = useLoaded(load, version)
  const saved = savedTokens(points)
  const unpriced = models
    .filter((each) => each.costUsd === undefined)
    .reduce((sum, { requests }) => sum + requests, 0)
  const { promptTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = billed
  return (
    <div className="cost">
      <p className="quiet">
        Billed is the sum over all requests. Each request sends the whole context again, so this sum
        grows with every answer; it says nothing about how full the window is.
      </p>
      <dl className="sums">
        <div>
          <dt>Billed so far</dt>
          <dd>
            {isCounting ? (
              <>
                <StateIcon state="running" /> being counted…
              </>
            ) : (
              <>
                {costUsd === undefined ? 'unknown' : costText(costUsd)}
                {costUsd !== undefined && unpriced > 0 && (
                  <small className="quiet">
                    {' '}
                    and {countText(unpriced, 'request', 'requests')} of unknown price
                  </small>
                )}
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Billed tokens</dt>
          <dd>{tokensText(billed.totalTokens)}</dd>
        </div>
        <div>
          <dt>Read from the cache</dt>
          <dd>
            {promptTokens === 0 ? 'none' : percentText((100 * cacheReadTokens) / promptTokens)}
          </dd>
        </div>
        <div>
          <dt>Not sent, thanks to compactions</dt>
          <dd>{saved === 0 ? 'none' : `≈ ${tokensText(saved)} tokens`}</dd>
        </div>
      </dl>
      {tokenUsage && <Requests usage={tokenUsage} />}
      {error !== undefined && <p role="alert">{error}</p>}
      <h2>By model</h2>
      <table>
        <TableHead first="Model" figures={['Requests', 'In', 'Cached', 'Out', 'Cost']} />
        <tbody>
          {models.map((each) => (
            <tr key={each.model}>
              <td>{each.model}</td>
              <td className="figure">{each.requests.toLocaleString()}</td>
              <td className="figure">{tokensText(each.promptTokens)}</td>
              <td className="figure">{tokensText(each.cacheReadTokens)}</td>
              <td className="figure">{tokensText(each.completionTokens)}</td>
              <td className="figure">
                {each.costUsd === undefined ? 'unknown' : costText(each.costUsd)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {models.length === 0 && <p className="quiet">No usage was billed yet.</p>}
      {cacheWriteTokens > 0 && (
        <p className="quiet">{tokensText(cacheWriteTokens)} tokens were written to the cache.</p>
      )}
      <h2>Over time</h2>
      <CostLine points={points} />
    </div>
  )
}

/** LOG-88: the billed sum next to its limit. Not an alarm: the context is far below it. */
function Requests({ usage }: { readonly usage: NonNullable<ThreadDetail['tokenUsage']> }) {
  const { totalPromptTokens, totalCompletionTokens, totalTokens, percentUsed } = usage
  const warning = billedWarning(usage)
  return (
    <div className="token-usage quiet">
      <p>
        Billed for the conversation as it is now: {tokensText(totalTokens)} tokens,{' '}
        {tokensText(totalPromptTokens)} in · {tokensText(totalCompletionTokens)} out, as much as{' '}
        {windowsText(percentUsed)}
      </p>
      {warning !== undefined && (
        <p className="warning">
          <StateIcon state="warning" /> {warning}
        </p>
      )}
    </div>
  )
}

function windowsText(percent: number): string {
  return percent < 1_000
    ? `${percentText(percent)} of one window`
    : `${Math.round(percent / 100).toLocaleString()} windows`
}

const HEIGHT = 120
/** Room for the largest sum above the line. */
const TOP = 24
const WIDTH = 1_000

/** Cost over time: compactions, and the sum at the pointer. */
function CostLine({ points }: { readonly points: readonly TimelinePoint[] }) {
  const [at, setAt] = useState<number>()
  const priced = points.filter(({ costUsd }) => costUsd !== undefined)
  const last = priced.at(-1)
  const [first] = priced
  if (!last || !first || priced.length < 2)
    return <p className="quiet">No prices are known for what was billed.</p>
  const most = Math.max(last.costUsd ?? 0, 1e-9)
  const span = Math.max(1, last.seq - first.seq)
  const xOf = (seq: number) => ((seq - first.seq) / span) * WIDTH
  const path = priced
    .map(
      ({ seq, costUsd = 0 }, index) =>
        `${index === 0 ? 'M' : 'L'}${xOf(seq)} ${HEIGHT - 2 - (costUsd / most) * (HEIGHT - TOP)}`,
    )
    .join(' ')
  const moved = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    const seq = first.seq + ((clientX - left) / Math.max(1, width)) * span
    setAt(
      Math.max(
        0,
        priced.findLastIndex((point) => point.seq <= seq),
      ),
    )
  }
  const { seq, costUsd } = (at === undefined ? undefined : priced[at]) ?? last
  return (
    <figure className="chart">
      <div className="plot">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          height={HEIGHT}
          role="img"
          aria-label={`Billed so far: ${costText(last.costUsd)} over ${countText(priced.length, 'point', 'points')}`}
          onPointerMove={moved}
          onPointerLeave={() => setAt(undefined)}
        >
          {points
            .filter(({ compaction }) => compaction)
            .map((point) => (
              <line
                key={point.seq}
                className="fall"
                x1={xOf(point.seq)}
                x2={xOf(point.seq)}
                y1={0}
                y2={HEIGHT}
              />
            ))}
          <path className="size" d={path} />
          {at !== undefined && (
            <line className="cursor" x1={xOf(seq)} x2={xOf(seq)} y1={0} y2={HEIGHT} />
          )}
        </svg>
        <span className="axis top">{costText(last.costUsd)}</span>
      </div>
      <figcaption className="quiet">
        {costText(costUsd)} up to event {seq.toLocaleString()}
      </figcaption>
    </figure>
  )
}

/** Each request after a compaction is smaller by what it removed, until it is undone. */
function savedTokens(points: readonly TimelinePoint[]): number {
  const active = new Map<number, number>()
  let saved = 0
  for (const { seq, compaction, undone, redone } of points) {
    const { before, after } = compaction ?? {}
    if (before !== undefined && after !== undefined) active.set(seq, Math.max(0, before - after))
    else if (undone !== undefined) active.delete(undone)
    else if (redone === undefined) for (const tokens of active.values()) saved += tokens
  }
  return saved
}

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
                <Swatch name={name} /> {findCategory(name).shown}
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
                {visibleText(entryWords(what))}{' '}
                <span className="quiet figure">{tokensText(tokens)} tokens</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  )
}
