// The feeds of all threads with subscribers, one per thread.
import type { AgentFrame } from '../../core/agent/frame.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Clock, Store } from '../../core/ports.ts'
import { unknownThread } from '../../threads/live-thread.ts'
import { Shares } from '../http/problems.ts'
import { rowText, ThreadFeed } from './feed.ts'
import type { Follower, FollowerLimits } from './follower.ts'

export interface FeedPorts {
  readonly store: Pick<Store, 'follow' | 'info' | 'read'>
  readonly clock: Clock
  /** Whether this process ran the compaction and so has announced it. */
  isOwnRun(runId: string): boolean
  readonly limits: FollowerLimits & { readonly heartbeatMs: number; readonly streams: number }
}

/** Rows read at a time for late subscribers. */
const PAGE_ROWS = 200
/** Sends the headers before the first event. */
const OPENING = ': connected\n\n'

export class Feeds {
  readonly #ports: FeedPorts
  readonly #feeds = new Map<string, ThreadFeed>()
  readonly #shares: Shares

  constructor(ports: FeedPorts) {
    this.#ports = ports
    this.#shares = new Shares(ports.limits.streams)
  }

  /** True if no feed has unpublished events. */
  get isTold(): boolean {
    return [...this.#feeds.values()].every((feed) => feed.isTold)
  }

  /** Open streams of all threads. */
  get followers(): number {
    return [...this.#feeds.values()].reduce((sum, feed) => sum + feed.followers, 0)
  }

  take(frame: AgentFrame): void {
    this.#feeds.get(frame.threadId)?.take(frame)
  }

  close(): void {
    for (const feed of this.#feeds.values()) feed.close()
    this.#feeds.clear()
  }

  /** The text of a stream: events after `afterSeq`, then live ones, while access is allowed. */
  async follow(
    threadId: string,
    afterSeq: number,
    signal: AbortSignal,
    { who = 'here', isAllowed = () => true }: FollowChoices = {},
  ): Promise<Following> {
    const { limits } = this.#ports
    const giveBack = this.#shares.take(who)
    if (!giveBack) throw tooMany(limits.streams)
    const joined = await this.#join(threadId, afterSeq, giveBack).catch((thrown: unknown) => {
      giveBack()
      throw thrown
    })
    const leave = () => this.#leave(threadId, joined)
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    const pieces = this.#pieces(threadId, afterSeq, joined, leave)
    return { pieces: whileAllowed(pieces, isAllowed), leave }
  }

  async #join(threadId: string, afterSeq: number, giveBack: () => void): Promise<Membership> {
    const info = await this.#ports.store.info(threadId)
    if (!info) throw unknownThread(threadId)
    if (afterSeq > info.version) throw beyond(threadId, afterSeq, info.version)
    const feed = this.#feedOf(threadId, info.version)
    return { feed, follower: feed.join(afterSeq), upTo: feed.lastSeq, giveBack }
  }

  async *#pieces(
    threadId: string,
    afterSeq: number,
    { follower, upTo }: Membership,
    leave: () => void,
  ): AsyncGenerator<string> {
    const { store, clock, limits } = this.#ports
    try {
      yield OPENING
      for (let next = afterSeq + 1; next <= upTo && !follower.isEnded; ) {
        const rows = await store.read(threadId, { from: next, to: upTo, limit: PAGE_ROWS })
        const last = rows.at(-1)
        if (!last) break // deleted meanwhile
        yield rows.map(rowText).join('')
        next = last.seq + 1
      }
      for (;;) {
        const pieces = await follower.take(clock, limits.heartbeatMs)
        if (pieces === undefined) return
        yield pieces
      }
    } finally {
      leave()
    }
  }

  #feedOf(threadId: string, version: number): ThreadFeed {
    const known = this.#feeds.get(threadId)
    if (known && !known.isClosed) return known
    const { store, limits, isOwnRun } = this.#ports
    const feed = new ThreadFeed(store, threadId, version, limits, isOwnRun)
    this.#feeds.set(threadId, feed)
    return feed
  }

  #leave(threadId: string, { feed, follower, giveBack }: Membership): void {
    feed.leave(follower)
    giveBack()
    if (!feed.isUnused && !feed.isClosed) return
    feed.close()
    if (this.#feeds.get(threadId) === feed) this.#feeds.delete(threadId)
  }
}

/** Stops sending once access is revoked; heartbeats check during silence. */
async function* whileAllowed(
  pieces: AsyncGenerator<string>,
  isAllowed: () => boolean,
): AsyncGenerator<string> {
  for await (const piece of pieces) {
    if (!isAllowed()) return
    yield piece
  }
}

export interface FollowChoices {
  /** Whose quota it uses. */
  readonly who?: string
  readonly isAllowed?: () => boolean
}

/** A subscription: its chunks, and how to leave even while waiting. */
export interface Following {
  readonly pieces: AsyncGenerator<string>
  readonly leave: () => void
}

interface Membership {
  readonly feed: ThreadFeed
  readonly follower: Follower
  readonly upTo: number // older events are read from the store
  readonly giveBack: () => void
}

function tooMany(most: number): PrecisError {
  return new PrecisError('overloaded', `Too many stream subscribers (limit ${most}).`, {
    hint: `At most ${most} at once per owner, fewer while other owners are active. Try again later.`,
    retryable: true,
  })
}

function beyond(threadId: string, afterSeq: number, version: number): PrecisError {
  const message = `The thread has ${version} events, and none behind ${afterSeq}.`
  return new PrecisError('version-conflict', message, {
    where: threadId,
    hint: 'The thread was deleted and recreated: read it from the beginning.',
  })
}
