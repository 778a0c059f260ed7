// What a compaction does in figures, on the same base as the window's: categories, drops with their reasons, pins.
import type { CompactionReport } from '../../core/edit/report.ts'
import type { TokenSplit } from '../../core/edit/report-split.ts'
import type { ThreadEvent } from '../../core/log/event.ts'
import { type Context, calibrationOf } from '../../core/view/context.ts'
import { readContext } from '../../core/window/reading.ts'
import type { CompactionFigures } from '../../protocol/client.ts'
import { categoriesIn, tokenScale } from './entry-places.ts'

interface Around {
  readonly before: Context
  readonly after: Context
  readonly report: CompactionReport
  readonly addedPins: number
}

export function figuresOf({ before, after, report, addedPins }: Around): CompactionFigures {
  const counted = tokenScale(before)
  const was = sizeOf(before)
  const is = sizeOf(after)
  const { strategyId: strategy, trigger, pins, refs, fallback } = report
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
    pins: { kept: pins.entries.length + pins.texts, added: addedPins },
    refs: refs.count,
    ...(fallback && { fallback }),
  }
}

/** How full the window is with this context, as everywhere else. */
function sizeOf(context: Context): number | undefined {
  return readContext(context, calibrationOf(context)).tokens
}

/** Pins that the compaction found: they stand right behind it, and their names begin with its run's. */
export function countAddedPins(following: readonly ThreadEvent[], runId: string): number {
  const start = `pin_${runId.replace(/^run_/, '')}.`
  const end = following.findIndex(
    (event) => event.type !== 'PIN' || !event.data.pinId.startsWith(start),
  )
  return end === -1 ? following.length : end
}

function compared(
  was: TokenSplit,
  is: TokenSplit,
  counted: (tokens: number) => number,
): CompactionFigures['categories'] {
  const left = new Map(categoriesIn(is, counted).map(({ name, tokens }) => [name, tokens]))
  return categoriesIn(was, counted)
    .map(({ name, tokens }) => ({ name, before: tokens, after: left.get(name) ?? 0 }))
    .filter(({ before, after }) => before > 0 || after > 0)
}
