// Compactions as console lines.
import type { CompactionDisplay } from '../../agent/compaction/compaction-watch.ts'
import type { RunResult } from '../../core/agent/frame.ts'
import type { ReportFallback } from '../../core/edit/report.ts'
import {
  committedFacts,
  isAsPlanned,
  renderCaveats,
  renderSizes,
} from '../../core/edit/report-text.ts'
import type { EventOf } from '../../core/log/event.ts'
import { oneLine } from './terminal.ts'

// Compactions as console lines.

/** Provider messages are foreign text. */
const LONGEST_MESSAGE = 400

/** A destination of lines, such as standard output. */
interface LineStream {
  write(text: string): unknown
}

/** Surrounded by blank lines, because answers are streamed to the same console. */
export class ConsoleCompactionDisplay implements CompactionDisplay {
  readonly #out: LineStream
  readonly #err: LineStream
  #fallback: ReportFallback | undefined
  #isReplaced = false

  constructor(out: LineStream, err: LineStream) {
    this.#out = out
    this.#err = err
  }

  onCompactionStart(): void {
    this.#out.write('\n🔄 Compacting conversation to reduce size...\n')
  }

  /** Facts the event lacks; call this before showing its end. */
  noteReport({ report, fresh }: Pick<RunResult, 'report' | 'fresh'>): void {
    this.#fallback = report?.fallback
    this.#isReplaced = fresh?.replacedFor !== undefined
  }

  onCompactionComplete(event?: EventOf<'COMPACTION'>): void {
    const fresh = this.#isReplaced ? 'Compaction complete.' : '✅ Compaction complete!'
    const lines = event ? committedLines(event, this.#fallback) : [fresh]
    this.#out.write(`${lines.map((line) => oneLine(line, LONGEST_MESSAGE)).join('\n')}\n\n`)
  }

  onCompactionError(error: Error): void {
    const hint = 'hint' in error && typeof error.hint === 'string' ? [error.hint] : []
    const lines = [`❌ Compaction failed: ${error.message}`, ...hint]
    this.#err.write(`${lines.map((line) => oneLine(line, LONGEST_MESSAGE)).join('\n')}\n\n`)
  }
}

/** The sentence of LOG-59 if it is true, then the relevant figures. */
function committedLines({ data }: EventOf<'COMPACTION'>, fallback?: ReportFallback): string[] {
  const facts = committedFacts(data, fallback)
  const { strategy, isEmpty } = facts
  const sizes = renderSizes(facts)
  const caveats = renderCaveats(facts)
  if (isEmpty) return ['Nothing to compact: the context is as it was.', ...caveats]
  return [
    isAsPlanned(facts) ? `✅ Compaction complete! ${reduction(data)}` : `Compacted by ${strategy}.`,
    ...(sizes === '' ? [] : [`${strategy}: ${sizes}`]),
    ...caveats,
  ]
}

/** An empty thread, or one that grew, was not reduced. */
function reduction(data: EventOf<'COMPACTION'>['data']): string {
  const { originalEventCount: before, compactedEventCount: after } = data
  const percent = before > after ? Math.round((1 - after / before) * 100) : 0
  return `Reduced from ${before} to ${after} events (${percent}% reduction)`
}
