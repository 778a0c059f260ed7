// Compactions as lines in a console.
import type { CompactionDisplay } from '../../agent/compaction/compaction-watch.ts'
import type { EventOf } from '../../core/log/event.ts'
import { oneLine } from './terminal.ts'

/** What providers say is not ours, and may be anything. */
const LONGEST_MESSAGE = 400

/** Where lines go to, such as standard output. */
export interface LineStream {
  write(text: string): unknown
}

/** A blank line stands around each, since answers are streamed to the same console. */
export class ConsoleCompactionDisplay implements CompactionDisplay {
  readonly #out: LineStream
  readonly #err: LineStream

  constructor(out: LineStream, err: LineStream) {
    this.#out = out
    this.#err = err
  }

  onCompactionStart(): void {
    this.#out.write('\n🔄 Compacting conversation to reduce size...\n')
  }

  onCompactionComplete(event?: EventOf<'COMPACTION'>): void {
    this.#out.write(`✅ Compaction complete!${event ? ` ${reduction(event)}` : ''}\n\n`)
  }

  onCompactionError(error: Error): void {
    this.#err.write(`❌ Compaction failed: ${oneLine(error.message, LONGEST_MESSAGE)}\n\n`)
  }
}

/** A thread that had nothing, or has more than before, was not reduced. */
function reduction({ data }: EventOf<'COMPACTION'>): string {
  const { originalEventCount: before, compactedEventCount: after, edits } = data
  if (edits?.length === 0) return 'Nothing had to go: the context is as it was'
  const percent = before > after ? Math.round((1 - after / before) * 100) : 0
  return `Reduced from ${before} to ${after} events (${percent}% reduction)`
}
