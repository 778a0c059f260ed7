// The feed of one thread: stored events and frames in one order, for all subscribers.
import type { AgentFrame, RunInfo } from '../../core/agent/frame.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import type { Row, Store } from '../../core/ports.ts'
import { STORED } from '../../protocol/follow-stream.ts'
import { writeSse } from '../../protocol/sse.ts'
import { toWireFrame } from '../../protocol/wire.ts'
import { Follower, type FollowerLimits } from './follower.ts'

/** Frames about an event that was just stored: they follow it. */
const BEHIND_EVENTS: ReadonlySet<AgentFrame['type']> = new Set([
  'turn-end',
  'answer-end',
  'tool-start',
  'tool-end',
  'approval-request',
  'message-queued',
  'message-delivered',
  'messages-returned',
  'COMPACTION_COMPLETE',
])

export class ThreadFeed {
  readonly #store: Pick<Store, 'follow' | 'info'>
  readonly #threadId: string
  readonly #limits: FollowerLimits
  readonly #isOwnRun: (runId: string) => boolean
  readonly #closing = new AbortController()
  readonly #followers = new Set<Follower>()
  readonly #rows: Row[] = []
  readonly #frames: AgentFrame[] = []
  #lastSeq: number
  #isPumping = false
  #onRow: (() => void) | undefined

  /** Starts after `afterSeq`; earlier events are read from the store. */
  constructor(
    store: Pick<Store, 'follow' | 'info'>,
    threadId: string,
    afterSeq: number,
    limits: FollowerLimits,
    isOwnRun: (runId: string) => boolean,
  ) {
    this.#store = store
    this.#threadId = threadId
    this.#lastSeq = afterSeq
    this.#limits = limits
    this.#isOwnRun = isOwnRun
    this.#run().then(
      () => this.close(),
      () => this.close(),
    )
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  /** True if nothing is pending here. */
  get isTold(): boolean {
    return this.isClosed || (!this.#isPumping && this.#frames.length === 0)
  }

  get followers(): number {
    return this.#followers.size
  }

  get isUnused(): boolean {
    return this.#followers.size === 0
  }

  /** The number of the last published event. A new subscriber gets what follows it. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  /** For a subscriber that has everything up to `afterSeq`. */
  join(afterSeq: number): Follower {
    const follower = new Follower(this.#limits, afterSeq)
    if (this.isClosed) follower.end()
    else this.#followers.add(follower)
    return follower
  }

  leave(follower: Follower): void {
    follower.drop()
    this.#followers.delete(follower)
  }

  take(frame: AgentFrame): void {
    if (this.isClosed || this.isUnused) return
    this.#frames.push(frame)
    // An unresponsive store must not fill the memory; subscribers that return read what was stored.
    if (this.#frames.length > this.#limits.followerItems) this.close()
    else this.#pump().catch(() => this.close())
  }

  close(): void {
    this.#closing.abort()
    this.#onRow?.()
    for (const follower of this.#followers) follower.end()
    this.#followers.clear()
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    for await (const row of this.#store.follow(this.#threadId, this.#lastSeq, signal)) {
      this.#rows.push(row)
      this.#onRow?.()
      this.#pump().catch(() => this.close())
    }
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return
    this.#isPumping = true
    try {
      while (!this.isClosed) {
        const [frame] = this.#frames
        if (frame && BEHIND_EVENTS.has(frame.type)) await this.#catchUp()
        if (frame) this.#pass(frameText(this.#frames.shift() ?? frame))
        else if (!this.#passRows(Number.POSITIVE_INFINITY)) return
      }
    } finally {
      this.#isPumping = false
    }
  }

  /** Resolves when everything stored by now was published. */
  async #catchUp(): Promise<void> {
    const version = (await this.#store.info(this.#threadId))?.version ?? 0
    for (;;) {
      this.#passRows(version)
      if (this.#lastSeq >= version || this.isClosed) return
      await new Promise<void>((resolve) => {
        this.#onRow = resolve
      })
      this.#onRow = undefined
    }
  }

  #passRows(upTo: number): boolean {
    let count = 0
    for (;;) {
      const [row] = this.#rows
      if (!row || row.seq > upTo) return count > 0
      this.#rows.shift()
      this.#lastSeq = row.seq
      const { before, after } = framesAround(row, this.#isOwnRun)
      if (before) this.#pass(frameText(before))
      this.#pass(rowText(row), row.seq)
      if (after) this.#pass(frameText(after))
      count += 1
    }
  }

  #pass(text: string, seq?: number): void {
    for (const follower of this.#followers) {
      follower.push(text, seq)
      if (follower.isEnded) this.#followers.delete(follower)
    }
  }
}

export function rowText(row: Row): string {
  return writeSse({ event: STORED, data: JSON.stringify(row), id: String(row.seq) })
}

function frameText(frame: AgentFrame): string {
  return writeSse({ event: frame.type, data: JSON.stringify(toWireFrame(frame)) })
}

interface FramesAround {
  readonly before?: AgentFrame
  readonly after?: AgentFrame
}

/** LOG-77, LOG-78: one start and one end for each run, even if only the outcome came through the store. */
function framesAround(row: Row, isOwnRun: (runId: string) => boolean): FramesAround {
  if (row.type !== 'COMPACTION' && row.type !== 'COMPACTION_FAILED') return {}
  const event = readRow(row)
  if (event.type !== 'COMPACTION' && event.type !== 'COMPACTION_FAILED') return {}
  const { threadId, timestamp, data } = event
  // An imported run happened long ago in another program.
  if (isOwnRun(data.runId) || ('trigger' in data && data.trigger === 'import')) return {}
  const run: RunInfo = {
    runId: data.runId,
    strategy: data.strategyId,
    trigger: 'trigger' in data ? data.trigger : 'command',
  }
  const at = { threadId, timestamp }
  const message = 'Another process compacts this thread.'
  const start: AgentFrame = { type: 'COMPACTION_START', ...at, ...run, message }
  const ended = { type: 'COMPACTION_COMPLETE', ...at, ...run, durationMs: 0 } as const
  if (event.type === 'COMPACTION_FAILED') {
    const error = new PrecisError('gate-refused', event.data.reason)
    return { before: start, after: { ...ended, success: false, end: 'failed', error } }
  }
  const { before, after } = event.data
  const saved = savedTokens(before?.tokens, after?.tokens)
  return {
    before: start,
    after: {
      ...ended,
      success: true,
      end: event.data.edits.length === 0 ? 'nothing' : 'committed',
      ...(before && { before }),
      ...(after && { after }),
      ...(saved !== undefined && { tokensSaved: saved }),
    },
  }
}

function savedTokens(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : Math.max(0, before - after)
}
