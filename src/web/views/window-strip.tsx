// What is in the window now, what happened last, and the size over time: the first view of a thread.
import { useCallback } from 'react'
import type { Client, ContextPicture, ReportFigures, TimelinePoint } from '../../protocol/index.ts'
import { changedText, isLarger, percentText, shortTime, tokensText } from '../shown-text.ts'
import { strategyName } from '../strategy-words.ts'
import type { ThreadSnapshot } from '../thread-feed.ts'
import { useLoaded } from '../use-loaded.ts'
import { findCategory, inOrder } from '../words.ts'
import { CategoryBar, StateIcon, Swatch } from './texts.tsx'
import { TimelineChart, upToNow } from './timeline-chart.tsx'

const NEAR_PERCENT = 80
const CHART_PX = 64
/** Smaller parts have no room for a label; the table has them. */
const LEGEND_SHARE = 0.02

type Detail = NonNullable<ThreadSnapshot['detail']>

export function WindowStrip({
  client,
  detail,
  points,
  compactions,
  onCompaction,
}: {
  readonly client: Client
  readonly detail: Detail
  readonly points: readonly TimelinePoint[]
  /** Newest first. */
  readonly compactions: readonly PastChange[]
  readonly onCompaction: (seq: number) => void
}) {
  const { threadId, version, context } = detail
  const load = useCallback(() => client.contextPicture(threadId), [client, threadId])
  const { value: picture } = useLoaded(load, version)
  return (
    <section className="strip" aria-label="The window">
      <div className="fullness">
        <p className="large">
          <strong>{percentText(context.percent)}</strong> full
        </p>
        <p className="quiet">
          {tokensText(context.tokens)} of {tokensText(context.limit)} tokens
          {context.by === undefined ? '' : `, ${context.by}`}
        </p>
      </div>
      <div className="contents">
        {picture ? <WindowBar picture={picture} /> : <div className="bar" />}
        {picture && <Legend picture={picture} />}
        <Fullness percent={context.percent} />
      </div>
      <div className="sparkline">
        {points.length > 1 && (
          <TimelineChart
            points={upToNow(points, detail)}
            limit={context.limit}
            heightPx={CHART_PX}
            isSmall
            onCompaction={onCompaction}
          />
        )}
      </div>
      <LastLine
        client={client}
        detail={detail}
        compactions={compactions}
        onCompaction={onCompaction}
      />
    </section>
  )
}

function Fullness({ percent = 0 }: { readonly percent?: number | undefined }) {
  if (percent <= NEAR_PERCENT) return null
  return (
    <p className={percent >= 100 ? 'failure' : 'warning'} role="status">
      <StateIcon state={percent >= 100 ? 'failed' : 'warning'} />{' '}
      {percent >= 100
        ? `Over the window by ${Math.round(percent - 100)} %: the next request may be refused`
        : 'The window is nearly full'}
    </p>
  )
}

/** One bar with fixed order and colours of categories. The empty end is free. */
export function WindowBar({ picture }: { readonly picture: ContextPicture }) {
  const parts = inOrder(picture.categories.filter(({ tokens }) => tokens > 0))
  const used = parts.filter(({ name }) => name !== 'free')
  const sum = used.reduce((total, { tokens }) => total + tokens, 0)
  const whole = Math.max(picture.context.limit ?? 0, sum, 1)
  const words = parts.map(({ name, tokens }) => `${findCategory(name).shown} ${tokensText(tokens)}`)
  return (
    <CategoryBar parts={used} whole={whole} label={`The window by category: ${words.join(', ')}`} />
  )
}

function Legend({ picture }: { readonly picture: ContextPicture }) {
  const { categories, context } = picture
  const whole = context.tokens ?? 1
  const shown = inOrder(categories).filter(
    ({ name, tokens }) => tokens > 0 && (name === 'free' || tokens >= LEGEND_SHARE * whole),
  )
  return (
    <ul className="legend" aria-label="Categories">
      {shown.map(({ name, tokens }) => (
        <li key={name}>
          <Swatch name={name} /> {findCategory(name).shown}{' '}
          <span className="figure">{tokensText(tokens)}</span>
        </li>
      ))}
    </ul>
  )
}

export interface PastChange {
  readonly seq: number
  readonly strategy: string
  readonly before?: number
  readonly after?: number
  readonly time?: Date
  readonly isUndone: boolean
}

function LastLine({
  client,
  detail: { threadId, reason },
  compactions,
  onCompaction,
}: {
  readonly client: Client
  readonly detail: Detail
  readonly compactions: readonly PastChange[]
  readonly onCompaction: (seq: number) => void
}) {
  const [newest] = compactions
  const last = compactions.find(({ isUndone }) => !isUndone) ?? newest
  if (!last)
    return (
      <p className="last quiet">
        {reason === 'fresh-session'
          ? 'This thread began with a summary of an earlier one. Nothing was compacted here since.'
          : 'Nothing was compacted here: the model sees everything.'}
      </p>
    )
  const { seq, strategy, before, after, time, isUndone } = last
  const isKnown = before !== undefined && after !== undefined
  return (
    <p className="last">
      <span>
        <StateIcon state={isUndone ? 'undone' : 'done'} />{' '}
        {isUndone
          ? 'No compaction is in effect. The last one, now undone, made it '
          : last === newest
            ? 'Last compaction: '
            : 'Last compaction in effect: '}
        {isKnown ? (
          <>
            <strong>{changedText(before, after)}</strong>{' '}
            {isLarger(before, after) ? 'larger' : 'smaller'}, {tokensText(before)} →{' '}
            {tokensText(after)} tokens
            {!isUndone && <MostRemoved client={client} threadId={threadId} seq={seq} />}
          </>
        ) : (
          'its size is being counted'
        )}{' '}
        by {strategyName(strategy)}
        {time && (
          <>
            , <time dateTime={time.toISOString()}>{shortTime(time)}</time>
          </>
        )}
      </span>
      <span className="last-actions">
        <button type="button" className="small" onClick={() => onCompaction(seq)}>
          What was removed
        </button>
      </span>
    </p>
  )
}

const MOST_NAMED = 2

/** The kinds it removed, largest first: `; removed mostly tool results,`. */
function MostRemoved({
  client,
  threadId,
  seq,
}: {
  readonly client: Client
  readonly threadId: string
  readonly seq: number
}) {
  const load = useCallback(() => client.report(threadId, seq), [client, threadId, seq])
  const { value } = useLoaded(load, seq)
  return value ? removedWords(value.figures) : null
}

function removedWords({ categories }: ReportFigures): string {
  const less = categories
    .map(({ name, before, after }) => ({ name, tokens: before - after }))
    .filter(({ tokens }) => tokens > 0)
    .toSorted((one, other) => other.tokens - one.tokens)
  const sum = less.reduce((total, { tokens }) => total + tokens, 0)
  const named = less
    .slice(0, MOST_NAMED)
    .filter(({ tokens }, at) => at === 0 || tokens > sum / 10)
    .map(({ name }) => removedName(name))
  if (named.length === 0) return ''
  return `; removed ${named.length < less.length ? 'mostly ' : ''}${named.join(' and ')},`
}

/** As part of a sentence. */
function removedName(name: string): string {
  const own: Readonly<Record<string, string>> = {
    user: 'your messages',
    assistant: "the agent's answers",
  }
  return own[name] ?? findCategory(name).shown.toLowerCase()
}
