// The activity of this process on each thread, derived from its frames
import type { AgentFrame } from '../../core/agent/frame.ts'

interface ThreadActivity {
  readonly isWorking: boolean
  readonly isCompacting: boolean
}

const MOST_KNOWN = 1_000

export class Activity {
  readonly #working = new Set<string>()
  readonly #runs = new Map<string, string>() // compactions by run, with their thread
  readonly #known = new Set<string>() // recent runs of this process, including finished ones

  take(frame: AgentFrame): void {
    const { threadId } = frame
    if (frame.type === 'turn-start') this.#working.add(threadId)
    else if (frame.type === 'turn-end') this.ended(threadId)
    // Only this frame reports a turn that could not end normally.
    else if (frame.type === 'error' && frame.context.operation === 'turn') this.ended(threadId)
    else if (frame.type === 'COMPACTION_START') this.#begun(frame.runId, threadId)
    else if (frame.type === 'COMPACTION_COMPLETE') this.#runs.delete(frame.runId)
  }

  /** Whether this process ran it. */
  isOwnRun(runId: string): boolean {
    return this.#known.has(runId)
  }

  ended(threadId: string): void {
    this.#working.delete(threadId)
  }

  /** Threads with a running turn or compaction here. */
  all(): { readonly working: string[]; readonly compacting: string[] } {
    return { working: [...this.#working], compacting: [...new Set(this.#runs.values())] }
  }

  /** Threads with anything running here. */
  busy(): string[] {
    return [...new Set([...this.#working, ...this.#runs.values()])]
  }

  of(threadId: string): ThreadActivity {
    return {
      isWorking: this.#working.has(threadId),
      isCompacting: [...this.#runs.values()].includes(threadId),
    }
  }

  #begun(runId: string, threadId: string): void {
    this.#runs.set(runId, threadId)
    this.#known.add(runId)
    const [oldest] = this.#known
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest)
  }
}
