// One subscriber of a feed, with a bounded queue; disconnected if it is too slow.
import type { Clock } from '../../core/ports.ts'
import { SSE_HEARTBEAT } from '../../protocol/sse.ts'

// One subscriber of a feed, with a bounded queue; disconnected if it is too slow.

export interface FollowerLimits {
  readonly followerItems: number
  readonly followerChars: number
}

export class Follower {
  readonly #limits: FollowerLimits
  readonly #afterSeq: number
  #waiting: string[] = []
  #chars = 0
  #isEnded = false
  #wake: (() => void) | undefined

  constructor(limits: FollowerLimits, afterSeq: number) {
    this.#limits = limits
    this.#afterSeq = afterSeq
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Adds a chunk of the stream; for an event, with its number. */
  push(piece: string, seq?: number): void {
    if (this.#isEnded || (seq !== undefined && seq <= this.#afterSeq)) return
    this.#waiting.push(piece)
    this.#chars += piece.length
    const { followerItems, followerChars } = this.#limits
    // A disconnected subscriber returns with the number of its last event.
    if (this.#waiting.length > followerItems || this.#chars > followerChars) this.drop()
    else this.#wake?.()
  }

  /** Ends the stream after the queued chunks. */
  end(): void {
    this.#isEnded = true
    this.#wake?.()
  }

  /** Ends the stream at once. */
  drop(): void {
    this.#waiting = []
    this.#chars = 0
    this.end()
  }

  /** All queued chunks, or a heartbeat after a timeout; undefined at the end. */
  async take(clock: Clock, heartbeatMs: number): Promise<string | undefined> {
    if (this.#waiting.length === 0 && !this.#isEnded) await this.#pause(clock, heartbeatMs)
    if (this.#waiting.length === 0) return this.#isEnded ? undefined : SSE_HEARTBEAT
    const pieces = this.#waiting.join('')
    this.#waiting = []
    this.#chars = 0
    return pieces
  }

  async #pause(clock: Clock, heartbeatMs: number): Promise<void> {
    const waking = new AbortController()
    this.#wake = () => waking.abort()
    await clock.sleep(heartbeatMs, waking.signal)
    this.#wake = undefined
  }
}
