// Shows an agent's compactions, requested or automatic, on a display, from the agent's frames. Imports
// nothing of Node, so browsers can use it.
import type { AgentFrame, FrameListener } from '../../core/agent/frame.ts'
import type { EventOf } from '../../core/log/event.ts'

/** Displays compactions. Each start is followed by exactly one of the others. */
export interface CompactionDisplay {
  onCompactionStart(): void
  onCompactionComplete(event?: EventOf<'COMPACTION'>): void
  onCompactionError(error: Error): void
}

/** A source of frames: an agent, or a hub. */
export interface FrameSource {
  on(listener: FrameListener): () => void
}

export class CompactionWatch {
  readonly #display: CompactionDisplay
  readonly #running = new Set<string>() // runs whose start was shown
  readonly #stop: () => void

  constructor(source: FrameSource, display: CompactionDisplay) {
    this.#display = display
    this.#stop = source.on((frame) => this.#take(frame))
  }

  get isCompacting(): boolean {
    return this.#running.size > 0
  }

  /** Unsubscribes this watch. May be called repeatedly. */
  cleanup(): void {
    this.#stop()
    this.#running.clear()
  }

  #take(frame: AgentFrame): void {
    if (frame.type === 'COMPACTION_START') {
      this.#running.add(frame.runId)
      this.#display.onCompactionStart()
    } else if (frame.type === 'COMPACTION_COMPLETE') {
      // Without a visible start, the end would be confusing.
      if (!this.#running.delete(frame.runId)) return
      if (frame.success) this.#display.onCompactionComplete(frame.event)
      else this.#display.onCompactionError(frame.error ?? new Error('Compaction failed'))
    }
  }
}
