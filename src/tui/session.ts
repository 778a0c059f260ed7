// One open thread: its live events and its figures
import {
  asPrecisError,
  type Client,
  type StreamItem,
  type ThreadDetail,
  ThreadView,
} from '../protocol/index.ts'

export interface SessionListener {
  onChange(): void
  onItem(item: StreamItem): void
  onError(error: Error): void
}

/** Events loaded at first, and each time the user scrolls to the beginning. */
const PAGE_EVENTS = 2_000

export class ThreadSession {
  readonly threadId: string
  readonly view: ThreadView
  readonly #client: Client
  readonly #listener: SessionListener
  readonly #stop = new AbortController()
  #detail: ThreadDetail | undefined
  #firstSeq = 1
  #refreshing: Promise<void> | undefined
  #isStale = false

  constructor(
    client: Client,
    threadId: string,
    listener: SessionListener,
    view: ThreadView = new ThreadView(),
  ) {
    this.#client = client
    this.threadId = threadId
    this.#listener = listener
    this.view = view
  }

  get detail(): ThreadDetail | undefined {
    return this.#detail
  }

  /** How many events precede the loaded ones. */
  get earlier(): number {
    return this.#firstSeq - 1
  }

  /** Rejects if there is no such thread. Resolves when its content is shown. */
  async start(): Promise<void> {
    const detail = await this.#client.thread(this.threadId)
    this.#detail = detail
    const after = Math.max(0, detail.version - PAGE_EVENTS)
    this.#firstSeq = after + 1
    const events = await this.#client.events(this.threadId, {
      from: after + 1,
      limit: PAGE_EVENTS,
    })
    for (const event of events) this.view.apply({ kind: 'event', event })
    this.view.assume(detail, new Date())
    void this.#follow(events.at(-1)?.seq ?? after)
    // It may have ended before the subscription began.
    if (detail.isCompacting || !this.view.isMeasured) void this.refresh()
  }

  stop(): void {
    this.#stop.abort()
  }

  /** Loads earlier events; resolves with the number of new blocks. */
  async loadEarlier(): Promise<number> {
    if (this.#firstSeq <= 1) return 0
    const from = Math.max(1, this.#firstSeq - PAGE_EVENTS)
    const to = this.#firstSeq - 1
    this.#firstSeq = from
    const events = await this.#client.events(this.threadId, { from, to, limit: PAGE_EVENTS })
    const before = this.view.blocks.length
    this.view.prepend(events)
    return this.view.blocks.length - before
  }

  /** Figures only the server knows. One request at a time, however many ask. */
  refresh(): Promise<void> {
    this.#isStale = true
    this.#refreshing ??= this.#readDetail().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #readDetail(): Promise<void> {
    while (this.#isStale && !this.#stop.signal.aborted) {
      this.#isStale = false
      try {
        this.#detail = await this.#client.thread(this.threadId)
        this.view.endAssumed(this.#detail)
        await this.#measure()
        this.#listener.onChange()
      } catch (thrown) {
        this.#fail(thrown)
        return
      }
    }
  }

  async #measure(): Promise<void> {
    const isKnown = this.view.isMeasured
    this.view.measure(isKnown ? [] : await this.#client.timeline(this.threadId))
  }

  async #follow(afterSeq: number): Promise<void> {
    const { signal } = this.#stop
    try {
      for await (const item of this.#client.follow(this.threadId, afterSeq, signal)) {
        if (signal.aborted) return
        this.view.apply(item)
        if (item.kind === 'reconnected') await this.#catchUp()
        if (changesFigures(item)) void this.refresh()
        this.#listener.onItem(item)
        this.#listener.onChange()
      }
    } catch (thrown) {
      this.#fail(thrown)
    }
  }

  /** After missed frames, take the activity from the server. */
  async #catchUp(): Promise<void> {
    await this.refresh()
    if (this.#detail) this.view.assume(this.#detail, new Date())
  }

  #fail(thrown: unknown): void {
    if (!this.#stop.signal.aborted) this.#listener.onError(asPrecisError(thrown))
  }
}

const FIGURE_FRAMES: ReadonlySet<string> = new Set([
  'answer-end',
  'reading',
  'turn-end',
  'COMPACTION_COMPLETE',
])
const FIGURE_EVENTS: ReadonlySet<string> = new Set([
  'USER_MESSAGE', // the first one is the title
  'MODEL_CHANGED',
  'THREAD_SETTINGS',
  'COMPACTION',
  'COMPACTION_UNDONE',
  'COMPACTION_REDONE',
])

function changesFigures(item: StreamItem): boolean {
  if (item.kind === 'event') return FIGURE_EVENTS.has(item.event.type)
  return item.kind === 'frame' && FIGURE_FRAMES.has(item.frame.type)
}
