// The figures of a compaction in the window's token base: categories, drops with reasons, pins.

import type { Pins } from '../../core/edit/pins.ts'
import type { CompactionReport } from '../../core/edit/report.ts'
import type { TokenSplit } from '../../core/edit/token-split.ts'
import type { PinData, ThreadEvent } from '../../core/log/event.ts'
import { type Context, calibrationOf } from '../../core/view/context.ts'
import { readContext } from '../../core/window/reading.ts'
import type { ReportFigures } from '../../protocol/client.ts'
import { categoriesIn, tokenScale } from './entry-places.ts'

interface Around {
  readonly before: Context
  readonly after: Context
  readonly report: CompactionReport
  /** All pins after it, including those it added. */
  readonly pins: Pins
  readonly addedPins: number
}

export function computeFigures({ before, after, report, pins, addedPins }: Around): ReportFigures {
  const counted = tokenScale(before)
  const was = readSize(before)
  const is = readSize(after)
  const { strategyId: strategy, trigger, refs, fallback } = report
  return {
    strategy,
    trigger,
    ...(was !== undefined && { before: was }),
    ...(is !== undefined && { after: is }),
    categories: compared(report.before, report.after, counted),
    drops: report.drops.map((drop) => ({ ...drop, tokens: counted(drop.tokens) })),
    largest: report.largest.map((drop) => ({
      ...drop,
      before: counted(drop.before),
      after: counted(drop.after),
    })),
    pins: { kept: pins.length - addedPins, added: addedPins },
    refs: refs.count,
    ...(fallback && { fallback }),
  }
}

/** The same report with the window's token counts instead of estimates. */
export function inWindow(
  report: CompactionReport,
  context: Context,
  sizes: Pick<ReportFigures, 'before' | 'after'>,
): CompactionReport {
  const counted = tokenScale(context)
  const { pins } = report
  return {
    ...report,
    before: scaled(report.before, counted, sizes.before),
    after: scaled(report.after, counted, sizes.after),
    drops: report.drops.map((drop) => ({ ...drop, tokens: counted(drop.tokens) })),
    largest: report.largest.map((drop) => ({
      ...drop,
      before: counted(drop.before),
      after: counted(drop.after),
    })),
    pins: { ...pins, tokens: counted(pins.tokens) },
  }
}

function scaled(split: TokenSplit, counted: (tokens: number) => number, total?: number) {
  const { toolResults, ...sums } = split
  const counts = Object.entries(sums).map(([name, tokens]) => [name, counted(tokens)])
  return {
    ...split,
    ...(Object.fromEntries(counts) as typeof sums),
    total: total ?? counted(split.total),
    toolResults: toolResults.map((each) => ({ ...each, tokens: counted(each.tokens) })),
  }
}

/** How full the window is with this context, computed as everywhere else. */
function readSize(context: Context): number | undefined {
  return readContext(context, calibrationOf(context)).tokens
}

/** Pins found by the compaction: they follow it, and their names begin with its run id. */
export function addedPins(following: readonly ThreadEvent[], runId: string): PinData[] {
  const start = `pin_${runId.replace(/^run_/, '')}.`
  const pins: PinData[] = []
  for (const event of following) {
    if (event.type !== 'PIN' || !event.data.pinId.startsWith(start)) break
    pins.push(event.data)
  }
  return pins
}

function compared(
  was: TokenSplit,
  is: TokenSplit,
  counted: (tokens: number) => number,
): ReportFigures['categories'] {
  const left = new Map(categoriesIn(is, counted).map(({ name, tokens }) => [name, tokens]))
  return categoriesIn(was, counted)
    .map(({ name, tokens }) => ({ name, before: tokens, after: left.get(name) ?? 0 }))
    .filter(({ before, after }) => before > 0 || after > 0)
}
