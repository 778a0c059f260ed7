// Hands frames to whoever listens, in order, and survives listeners that throw.
import type { AgentFrame, FrameDraft, FrameListener } from '../core/agent/frame.ts'
import type { Clock } from '../core/ports.ts'

export class FrameHub {
  readonly #clock: Clock
  readonly #listeners = new Set<FrameListener>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns what ends the listening; it removes this listener and no other. */
  on(listener: FrameListener): () => void {
    const own: FrameListener = (frame) => listener(frame)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  emit(draft: FrameDraft): void {
    const frame = { ...draft, timestamp: this.#clock.now() } as AgentFrame
    for (const listener of [...this.#listeners]) {
      try {
        listener(frame)
      } catch (error) {
        // A listener has no say in what the agent does; whoever runs the process hears of it.
        process.emitWarning(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }
}
