// Tells a display of the compactions of an agent, by hand or automatic, from the frames that pass by.
// Loads nothing of Node: browsers may have it.
import type { AgentFrame, FrameListener } from '../../core/agent/frame.ts'
import type { EventOf } from '../../core/log/event.ts'

/** What shows compactions to people. Each start is followed by exactly one of the other two. */
export interface CompactionDisplay {
  onCompactionStart(): void
  onCompactionComplete(event?: EventOf<'COMPACTION'>): void
  onCompactionError(error: Error): void
}

/** What frames come from: an agent, or a hub of them. */
export interface FrameSource {
  on(listener: FrameListener): () => void
}

export class CompactionWatch {
  readonly #display: CompactionDisplay
  readonly #running = new Set<string>() // ids of runs whose start was shown
  readonly #stop: () => void

  constructor(source: FrameSource, display: CompactionDisplay) {
    this.#display = display
    this.#stop = source.on((frame) => this.#take(frame))
  }

  get isCompacting(): boolean {
    return this.#running.size > 0
  }

  /** Ends the listening, this watch's own alone. May be called again. */
  cleanup(): void {
    this.#stop()
    this.#running.clear()
  }

  #take(frame: AgentFrame): void {
    if (frame.type === 'COMPACTION_START') {
      this.#running.add(frame.runId)
      this.#display.onCompactionStart()
    } else if (frame.type === 'COMPACTION_COMPLETE') {
      // The end of a run whose start nobody saw would be an answer without a question.
      if (!this.#running.delete(frame.runId)) return
      if (frame.success) this.#display.onCompactionComplete(frame.event)
      else this.#display.onCompactionError(frame.error ?? new Error('Compaction failed'))
    }
  }
}
