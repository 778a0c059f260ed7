// The context size over time: a line that falls at compactions and rises at undos, with values on hover.
import { type PointerEvent, useId, useState } from 'react'
import type { ThreadDetail, TimelinePoint } from '../../protocol/index.ts'
import { savedText, tokensText } from '../shown-text.ts'
import { strategyName } from '../strategy-words.ts'

const WIDTH = 1_000
const PADDING = 6

interface ChartProps {
  readonly points: readonly TimelinePoint[]
  readonly limit: number | undefined
  readonly heightPx: number
  /** Without axes, next to other figures. */
  readonly isSmall?: boolean
  readonly onCompaction: (seq: number) => void
}

/** Extends the line to the end of the log. */
export function upToNow(
  points: readonly TimelinePoint[],
  { version, context: { tokens, by = 'estimated' } }: Pick<ThreadDetail, 'version' | 'context'>,
): readonly TimelinePoint[] {
  if (tokens === undefined || version <= (points.at(-1)?.seq ?? version)) return points
  return [...points, { seq: version, tokens, by }]
}

export function TimelineChart({ points, limit, heightPx, isSmall, onCompaction }: ChartProps) {
  const [at, setAt] = useState<number>()
  const fill = useId()
  const scale = chooseScale(points, limit, heightPx)
  const compactions = points.filter(({ compaction }) => compaction)
  const line = linePath(points, scale)
  const hover = at === undefined ? undefined : points[at]
  const moved = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setAt(nearest(points, scale, ((clientX - left) / Math.max(1, width)) * WIDTH))
  }
  const first = points[0]?.seq ?? 0
  const last = points.at(-1)?.seq ?? 0
  return (
    <figure className="chart" data-small={isSmall}>
      <div className="plot">
        <svg
          viewBox={`0 0 ${WIDTH} ${heightPx}`}
          preserveAspectRatio="none"
          height={heightPx}
          role="img"
          aria-label={`Context size over ${points.length} points, ${compactions.length} compactions`}
          onPointerMove={moved}
          onPointerLeave={() => setAt(undefined)}
        >
          <defs>
            <linearGradient id={fill} x1="0" y1="0" x2="0" y2="1">
              <stop offset="0" className="fill-top" />
              <stop offset="1" className="fill-end" />
            </linearGradient>
          </defs>
          <path d={`${line} V${heightPx} H${scale.x(first)} Z`} fill={`url(#${fill})`} />
          {scale.hasLimit && limit !== undefined && (
            <line className="limit" x1={0} x2={WIDTH} y1={scale.y(limit)} y2={scale.y(limit)} />
          )}
          {compactions.map(({ seq }) => (
            <line
              key={seq}
              className="fall"
              x1={scale.x(seq)}
              x2={scale.x(seq)}
              y1={PADDING}
              y2={heightPx}
            />
          ))}
          <path className="size" d={line} />
          {hover && (
            <line
              className="cursor"
              x1={scale.x(hover.seq)}
              x2={scale.x(hover.seq)}
              y1={0}
              y2={heightPx}
            />
          )}
        </svg>
        {compactions.map(({ seq, tokens, compaction }) => (
          <button
            key={seq}
            type="button"
            className="mark"
            style={{ left: `${scale.x(seq) / 10}%`, top: scale.y(tokens) }}
            aria-label={`Compaction at event ${seq}: ${strategyName(compaction?.strategy ?? '')}, ${tokensText(compaction?.before)} to ${tokensText(compaction?.after)} tokens`}
            title={`${strategyName(compaction?.strategy ?? '')}: ${tokensText(compaction?.before)} → ${tokensText(compaction?.after)} tokens`}
            onClick={() => onCompaction(seq)}
          />
        ))}
        {!isSmall &&
          (scale.hasLimit && limit !== undefined ? (
            <span className="axis limit" style={{ top: scale.y(limit) }}>
              The window: {tokensText(limit)} tokens
            </span>
          ) : (
            <span className="axis top">{tokensText(Math.round(scale.most))} tokens</span>
          ))}
      </div>
      <figcaption className="quiet">
        {hover ? hoverWords(hover) : `Events ${first.toLocaleString()} to ${last.toLocaleString()}`}
      </figcaption>
    </figure>
  )
}

function hoverWords({ seq, tokens, by, compaction, undone, redone }: TimelinePoint): string {
  const what = compaction
    ? `, ${strategyName(compaction.strategy)} ${savedText(compaction.before, compaction.after)}`
    : undone !== undefined
      ? ', undo'
      : redone !== undefined
        ? ', redo'
        : ''
  return `${tokensText(tokens)} tokens (${by}) at event ${seq.toLocaleString()}${what}`
}

interface Scale {
  readonly most: number
  readonly hasLimit: boolean
  x(seq: number): number
  y(tokens: number): number
}

/** Scaled to a much larger window, the line would be flat at the bottom. */
function chooseScale(
  points: readonly TimelinePoint[],
  limit: number | undefined,
  heightPx: number,
): Scale {
  const largest = points.reduce(
    (high, { tokens, compaction }) => Math.max(high, tokens, compaction?.before ?? 0),
    1,
  )
  const hasLimit = limit !== undefined && limit < 3 * largest
  const most = (hasLimit ? Math.max(limit, largest) : largest) * 1.04
  const first = points[0]?.seq ?? 0
  const span = Math.max(1, (points.at(-1)?.seq ?? 0) - first)
  return {
    most,
    hasLimit,
    x: (seq) => PADDING + ((seq - first) / span) * (WIDTH - 2 * PADDING),
    y: (tokens) => PADDING + (1 - tokens / most) * (heightPx - PADDING),
  }
}

/** A context change is a step; growth is a slope. */
function linePath(points: readonly TimelinePoint[], { x, y }: Scale): string {
  let height: number | undefined
  return points
    .map(({ seq, tokens, compaction, undone, redone }) => {
      const isStep = compaction !== undefined || undone !== undefined || redone !== undefined
      const before = compaction?.before ?? height
      const step =
        isStep && before !== undefined
          ? `${height === undefined ? 'M' : 'L'}${x(seq)} ${y(before)} V${y(tokens)}`
          : `${height === undefined ? 'M' : 'L'}${x(seq)} ${y(tokens)}`
      height = tokens
      return step
    })
    .join(' ')
}

function nearest(points: readonly TimelinePoint[], { x }: Scale, place: number): number {
  let best = 0
  points.forEach(({ seq }, at) => {
    if (Math.abs(x(seq) - place) < Math.abs(x(points[best]?.seq ?? 0) - place)) best = at
  })
  return best
}
