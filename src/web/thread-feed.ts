// One live thread: blocks, activity and figures; notifies React at most once per frame.
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import {
  type Client,
  type StreamItem,
  type ThreadDetail,
  type ThreadEvent,
  ThreadView,
  type TimelinePoint,
  type ViewBlock,
  type ViewStatus,
} from '../protocol/index.ts'
import { readMessage } from './shown-text.ts'

/** Events loaded before the first drawing; others load on demand. */
const FIRST = 400
const MORE = 1_000
/** Merges many changes in a row into one request. */
const REFRESH_MS = 150
/** Delay before asking again for figures that are still being counted. */
const COUNT_MS = 600

export interface ThreadSnapshot {
  readonly detail?: ThreadDetail
  readonly error?: string
  readonly blocks: readonly ViewBlock[]
  readonly status?: ViewStatus
  /** Points measured since the thread was opened. */
  readonly measured: readonly TimelinePoint[]
  /** Context changes since then: compactions and their undos. */
  readonly changes: number
  readonly hasEarlier: boolean
  /** Everything that existed at opening is shown. */
  readonly isCaughtUp: boolean
}

const NOTHING: ThreadSnapshot = {
  blocks: [],
  measured: [],
  changes: 0,
  hasEarlier: false,
  isCaughtUp: false,
}

/** Figures are reloaded after these; other events do not change them. */
const TELLING = new Set([
  'USER_MESSAGE',
  'AGENT_MESSAGE',
  'TOOL_RESULT',
  'MODEL_CHANGED',
  'THREAD_SETTINGS',
  'turn-start',
  'turn-end',
  'COMPACTION_START',
  'COMPACTION_COMPLETE',
  'approval-request',
])
const CHANGES = new Set([
  'COMPACTION',
  'COMPACTION_UNDONE',
  'COMPACTION_REDONE',
  'CONTENT_EXPANDED',
])

export class ThreadFeed {
  readonly #client: Client
  readonly #threadId: string
  readonly #listeners = new Set<() => void>()
  #view = new ThreadView()
  #snapshot: ThreadSnapshot = NOTHING
  #earliest = 1
  #hasMissed = false // frames were lost with the connection
  #frame = 0
  #refreshing: ReturnType<typeof setTimeout> | undefined
  #counting: ReturnType<typeof setTimeout> | undefined

  constructor(client: Client, threadId: string) {
    this.#client = client
    this.#threadId = threadId
  }

  readonly snapshot = (): ThreadSnapshot => this.#snapshot

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
  }

  /** Opens the thread and follows it until the returned function is called. */
  start(): () => void {
    const stop = new AbortController()
    this.#view = new ThreadView()
    this.#snapshot = NOTHING
    this.#follow(stop.signal).catch((thrown: unknown) => {
      if (!stop.signal.aborted) this.#set({ error: readMessage(thrown) })
    })
    return () => {
      stop.abort()
      cancelAnimationFrame(this.#frame)
      this.#frame = 0
      clearTimeout(this.#refreshing)
      clearTimeout(this.#counting)
    }
  }

  async loadEarlier(): Promise<void> {
    const to = this.#earliest - 1
    if (to < 1) return
    const from = Math.max(1, to - MORE + 1)
    const events = await this.#client.events(this.#threadId, { from, to, limit: MORE })
    if (this.#earliest !== to + 1) return // another call has added them meanwhile
    this.#view.prepend(events)
    this.#earliest = from
    this.#draw()
  }

  /** Loads everything from that event on. */
  async loadFrom(seq: number): Promise<void> {
    while (this.#earliest > seq) {
      const before = this.#earliest
      await this.loadEarlier()
      if (this.#earliest === before) return // another call is loading
    }
    // The next frame draws what was loaded.
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  }

  /** Reloads the figures and the current activity. */
  refresh(): void {
    clearTimeout(this.#refreshing)
    this.#refreshing = setTimeout(() => {
      this.#client.thread(this.#threadId).then(
        (detail) => this.#take(detail),
        (thrown: unknown) => this.#set({ error: readMessage(thrown) }),
      )
    }, REFRESH_MS)
  }

  /** Adds a notice of the page itself. */
  say(text: string, level: 'reply' | 'error', command: string): void {
    this.#view.say({ level, text, command })
    this.#draw()
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const detail = await this.#client.thread(this.#threadId)
    if (signal.aborted) return
    this.#earliest = Math.max(1, detail.version - FIRST + 1)
    this.#view.assume(detail)
    this.#set({ detail, hasEarlier: this.#earliest > 1 })
    if (detail.isCounting) this.#countLater()
    for await (const item of this.#client.follow(this.#threadId, this.#earliest - 1, signal))
      this.#apply(item, detail)
  }

  #apply(item: StreamItem, detail: ThreadDetail): void {
    this.#view.apply(item)
    // The state of the whole thread overrides what its last events say.
    if (item.kind === 'event' && item.event.seq === detail.version) {
      this.#view.assume(detail)
      this.#set({ isCaughtUp: true })
    }
    this.#draw()
    if (item.kind === 'event' && item.event.seq <= detail.version) return
    if (item.kind === 'event') this.#takePoint(item.event)
    if (item.kind === 'reconnected') this.#hasMissed = true
    if (item.kind === 'waiting') this.#set({ error: `${item.error.message} Trying again.` })
    if (isTelling(item)) this.refresh()
  }

  #takePoint(event: ThreadEvent): void {
    const point = livePoint(event)
    const { measured, changes } = this.#snapshot
    if (point) this.#set({ measured: [...measured, point] })
    if (CHANGES.has(event.type)) this.#set({ changes: changes + 1 })
  }

  #take(detail: ThreadDetail): void {
    if (this.#hasMissed) this.#view.assume(detail)
    this.#hasMissed = false
    const { error: _, ...rest } = this.#snapshot
    this.#snapshot = { ...rest, detail }
    if (detail.isCounting) this.#countLater()
    this.#draw()
  }

  /** Asks again for the cost and sums of a long thread until they are counted. */
  #countLater(): void {
    clearTimeout(this.#counting)
    this.#counting = setTimeout(() => this.refresh(), COUNT_MS)
  }

  #set(known: Partial<ThreadSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...known }
    this.#draw()
  }

  #draw(): void {
    if (this.#frame !== 0) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      const { blocks, status } = this.#view
      const hasEarlier = this.#earliest > 1
      this.#snapshot = { ...this.#snapshot, blocks: [...blocks], status, hasEarlier }
      for (const changed of this.#listeners) changed()
    })
  }
}

function isTelling(item: StreamItem): boolean {
  if (item.kind === 'reconnected') return true
  if (item.kind === 'waiting') return false
  const { type } = item.kind === 'event' ? item.event : item.frame
  return TELLING.has(type) || CHANGES.has(type)
}

/** Undefined for events that do not tell the size of the context. */
function livePoint(event: ThreadEvent): TimelinePoint | undefined {
  if (event.type !== 'AGENT_MESSAGE' || event.data.tokenUsage === undefined) return undefined
  const { promptTokens, completionTokens } = event.data.tokenUsage
  const tokens = promptTokens + completionTokens
  return tokens > 0 ? { seq: event.seq, tokens, by: 'measured' } : undefined
}

/** Follows a thread while the component is mounted. */
export function useThread(
  client: Client,
  threadId: string,
): { readonly feed: ThreadFeed; readonly thread: ThreadSnapshot } {
  const feed = useMemo(() => new ThreadFeed(client, threadId), [client, threadId])
  useEffect(() => feed.start(), [feed])
  return { feed, thread: useSyncExternalStore(feed.subscribe, feed.snapshot) }
}
