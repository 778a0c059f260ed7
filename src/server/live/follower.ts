// One subscriber of a thread's feed, with a bounded queue; disconnected if it is too slow
import type { Clock } from '../../core/ports.ts'
import { SSE_HEARTBEAT } from '../../protocol/sse.ts'

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

  /** A piece of the stream, as it is sent; of an event with its number. */
  push(piece: string, seq?: number): void {
    if (this.#isEnded || (seq !== undefined && seq <= this.#afterSeq)) return
    this.#waiting.push(piece)
    this.#chars += piece.length
    const { followerItems, followerChars } = this.#limits
    // Whoever is let go comes back with the number of the last event it has.
    if (this.#waiting.length > followerItems || this.#chars > followerChars) this.drop()
    else this.#wake?.()
  }

  /** What waits is still read. */
  end(): void {
    this.#isEnded = true
    this.#wake?.()
  }

  /** Nothing more is read. */
  drop(): void {
    this.#waiting = []
    this.#chars = 0
    this.end()
  }

  /** All that waits, or a heartbeat if nothing comes in time; undefined at the end. */
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
