// The size of the context over the thread as a line, with its compactions and the window's end marked.
import { useEffect, useRef, useSyncExternalStore } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { TimelinePoint } from '../../protocol/index.ts'
import { tokensText } from '../shown-text.ts'

const HEIGHT_PX = 280
/** Fewer points are shown as dots, too. */
const DOTS = 60

export function TimelineChart({
  points,
  limit,
}: {
  readonly points: readonly TimelinePoint[]
  readonly limit: number | undefined
}) {
  const place = useRef<HTMLDivElement>(null)
  const isDark = useDark()
  const key = `${points.length}/${points.at(-1)?.seq}/${limit}/${isDark}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` says when there is something new
  useEffect(() => {
    const element = place.current
    if (!element) return undefined
    const chart = new uPlot(optionsFor(element, { points, limit }), buildSeries(points), element)
    const watch = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    )
    watch.observe(element)
    return () => {
      watch.disconnect()
      chart.destroy()
    }
  }, [key])
  const compactions = points.filter(({ compaction }) => compaction).length
  return (
    <div
      ref={place}
      className="chart"
      role="img"
      aria-label={`Context size over ${points.length} points, ${compactions} compactions`}
    />
  )
}

interface Drawn {
  readonly points: readonly TimelinePoint[]
  readonly limit: number | undefined
}

/** A compaction is two points at one place: the line falls there. */
function buildSeries(points: readonly TimelinePoint[]): uPlot.AlignedData {
  const places: number[] = []
  const sizes: number[] = []
  for (const { seq, tokens, compaction } of points) {
    const before = sizes.at(-1)
    if (compaction && before !== undefined) {
      places.push(seq - 0.5)
      sizes.push(before)
    }
    places.push(seq)
    sizes.push(tokens)
  }
  return [places, sizes]
}

function optionsFor(element: HTMLElement, { points, limit }: Drawn): uPlot.Options {
  const style = getComputedStyle(element)
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim()
  const most = points.reduce((high, { tokens }) => Math.max(high, tokens), 0)
  // A window many times as large as all that was in it would press the line to the floor.
  const isLimitSeen = limit !== undefined && limit < 3 * most
  const axis = {
    stroke: colour('quiet'),
    grid: { stroke: colour('rule'), width: 1 },
    ticks: { stroke: colour('rule'), width: 1 },
  }
  return {
    width: Math.max(200, element.clientWidth),
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: {
      x: { time: false },
      y: { range: [0, Math.max(1, (isLimitSeen ? Math.max(limit, most) : most) * 1.08)] },
    },
    axes: [
      { ...axis, label: 'event', labelSize: 20 },
      { ...axis, size: 56, values: (_chart, ticks) => ticks.map((tick) => tokensText(tick)) },
    ],
    series: [
      {},
      {
        stroke: colour('accent'),
        width: 2,
        fill: colour('wash'),
        points: { show: points.length < DOTS },
      },
    ],
    hooks: { draw: [(chart) => drawMarks(chart, points, isLimitSeen ? limit : undefined, colour)] },
  }
}

function drawMarks(
  chart: uPlot,
  points: readonly TimelinePoint[],
  limit: number | undefined,
  colour: (name: string) => string,
): void {
  const { ctx, bbox } = chart
  const line = (x1: number, y1: number, x2: number, y2: number) => {
    ctx.beginPath()
    ctx.moveTo(x1, y1)
    ctx.lineTo(x2, y2)
    ctx.stroke()
  }
  ctx.save()
  ctx.lineWidth = 1.5
  ctx.setLineDash([5, 4])
  ctx.strokeStyle = colour('good')
  for (const { seq, compaction } of points) {
    if (!compaction) continue
    const x = chart.valToPos(seq - 0.25, 'x', true)
    line(x, bbox.top, x, bbox.top + bbox.height)
  }
  if (limit !== undefined) {
    ctx.setLineDash([])
    ctx.strokeStyle = colour('bad')
    const y = chart.valToPos(limit, 'y', true)
    line(bbox.left, y, bbox.left + bbox.width, y)
  }
  ctx.restore()
}

const DARK = '(prefers-color-scheme: dark)'

/** Colours of a canvas do not change by themselves. */
function useDark(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = window.matchMedia(DARK)
      query.addEventListener('change', changed)
      return () => query.removeEventListener('change', changed)
    },
    () => window.matchMedia(DARK).matches,
  )
}
