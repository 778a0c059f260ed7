// What is in the window now, what happened last, and how the size went: the first thing to see of a thread.
import { useCallback } from 'react'
import type { Client, ContextPicture, TimelinePoint } from '../../protocol/index.ts'
import { percentText, savedText, shortTime, tokensText } from '../shown-text.ts'
import type { ThreadSnapshot } from '../thread-feed.ts'
import { useLoaded } from '../use-loaded.ts'
import { categoryOf, inOrder } from '../words.ts'
import { StateIcon, Swatch } from './state-mark.tsx'
import { TimelineChart } from './timeline-chart.tsx'

const NEAR_PERCENT = 80
const CHART_PX = 64
/** Smaller parts have no room for a word of their own: the table has them. */
const LEGEND_SHARE = 0.02

type Detail = NonNullable<ThreadSnapshot['detail']>

export function WindowStrip({
  client,
  detail,
  points,
  last,
  onCompaction,
  onUndo,
}: {
  readonly client: Client
  readonly detail: Detail
  readonly points: readonly TimelinePoint[]
  readonly last: LastCompaction | undefined
  readonly onCompaction: (seq: number) => void
  readonly onUndo: (seq: number) => void
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
            points={points}
            limit={context.limit}
            heightPx={CHART_PX}
            isSmall
            onCompaction={onCompaction}
          />
        )}
      </div>
      <LastLine last={last} onCompaction={onCompaction} onUndo={onUndo} />
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

/** One bar, in one order and one colour for each category. What is free is the empty end. */
export function WindowBar({ picture }: { readonly picture: ContextPicture }) {
  const parts = inOrder(picture.categories.filter(({ tokens }) => tokens > 0))
  const used = parts.filter(({ name }) => name !== 'free')
  const sum = used.reduce((total, { tokens }) => total + tokens, 0)
  const whole = Math.max(picture.context.limit ?? 0, sum, 1)
  let at = 0
  return (
    <svg
      className="bar"
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={`The window by category: ${parts
        .map(({ name, tokens }) => `${categoryOf(name).shown} ${tokensText(tokens)}`)
        .join(', ')}`}
    >
      {used.map(({ name, tokens }) => {
        const start = at
        at += (tokens / whole) * 100
        return (
          <rect
            key={name}
            x={start}
            y={0}
            width={Math.max(0, at - start)}
            height={10}
            className={`cat-${categoryOf(name).id}`}
          >
            <title>{`${categoryOf(name).shown}: ${tokensText(tokens)} tokens`}</title>
          </rect>
        )
      })}
    </svg>
  )
}

function Legend({ picture }: { readonly picture: ContextPicture }) {
  const { categories, context } = picture
  const whole = context.tokens ?? 1
  const shown = inOrder(categories).filter(
    ({ name, tokens }) => name === 'free' || tokens >= LEGEND_SHARE * whole,
  )
  return (
    <ul className="legend" aria-label="Categories">
      {shown.map(({ name, tokens }) => (
        <li key={name}>
          <Swatch name={name} /> {categoryOf(name).shown}{' '}
          <span className="figure">{tokensText(tokens)}</span>
        </li>
      ))}
    </ul>
  )
}

export interface LastCompaction {
  readonly seq: number
  readonly strategy: string
  readonly before?: number
  readonly after?: number
  readonly time?: Date
  readonly isUndone: boolean
}

function LastLine({
  last,
  onCompaction,
  onUndo,
}: {
  readonly last: LastCompaction | undefined
  readonly onCompaction: (seq: number) => void
  readonly onUndo: (seq: number) => void
}) {
  if (!last)
    return <p className="last quiet">Nothing was compacted here: the model sees everything.</p>
  const { seq, strategy, before, after, time, isUndone } = last
  const isKnown = before !== undefined && after !== undefined
  return (
    <p className="last">
      <span>
        <StateIcon state={isUndone ? 'undone' : 'done'} />{' '}
        {isUndone ? 'Undone compaction: ' : 'Last compaction: '}
        {isKnown ? (
          <>
            removed <strong>{tokensText(before - after)}</strong> tokens ({savedText(before, after)}
            )
          </>
        ) : (
          'its size is being counted'
        )}{' '}
        by {strategy}
        {time && (
          <>
            , <time dateTime={time.toISOString()}>{shortTime(time)}</time>
          </>
        )}
      </span>
      <button type="button" className="small" onClick={() => onCompaction(seq)}>
        What was removed
      </button>
      {!isUndone && (
        <button type="button" className="small" onClick={() => onUndo(seq)}>
          Undo it
        </button>
      )}
    </p>
  )
}
