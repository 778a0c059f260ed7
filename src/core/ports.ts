// The ports: store, model, clock, ids and signals. Their contracts are the comments on the members.
import type { NewEvent, ThreadEvent } from './log/event.ts'
import type { ModelRequest, Signal, ThinkingWish, ToolSchema } from './model.ts'
import type { SearchKind, Snippet } from './search/documents.ts'
import type { Json } from './text/json.ts'
import type { ModelRef, StopReason, TokenUsage } from './view/content.ts'
import type { Message } from './view/message.ts'

export interface Clock {
  now(): Date
  /** Resolves after `ms`, or at once when the signal fires. Never rejects. */
  sleep(ms: number, signal?: Signal): Promise<void>
}

/** Unique names. `next('evt')` gives `evt_…`. */
export interface Ids {
  next(prefix: string): string
}

/** A stored row: JSON, not validated. `readEvent` in codec.ts turns it into an event. */
export interface Row {
  readonly v: number
  readonly id: string
  readonly threadId: string
  readonly seq: number
  readonly timestamp: string // ISO 8601
  readonly type: string
  readonly data: unknown
  readonly origin?: string
  readonly source?: unknown
}

/** A derived state of a thread, so that opening it needs no history. May be discarded. */
export interface Snapshot {
  readonly seq: number
  readonly foldVersion: number
  readonly state: Json
}

export interface ThreadInfo {
  readonly threadId: string
  readonly version: number // number of its last event
  readonly createdAt: Date // time of its own first event
  readonly updatedAt: Date // time of its last event
  /** Where it was forked from; known even after that thread was deleted. */
  readonly parent?: { readonly threadId: string; readonly seq: number }
}

/** The result of checking a log's hashes. */
export interface LogVerdict {
  readonly events: number // checked
  /** The last event before a gap so large that the version must be wrong; otherwise absent. */
  readonly end?: number
  /** Events without a hash, from an older program. */
  readonly unverified: number
  /** Altered events, at most 1,000. */
  readonly misfits: readonly { readonly seq: number; readonly problem: string }[]
}

export interface AppendOptions {
  /** The version the caller last saw; 0 for a new thread. Another version is a `version-conflict`. */
  readonly expectedVersion: number
  /** Stored in the same transaction; its version must not exceed the new one. */
  readonly snapshot?: Snapshot
}

export interface ForkOptions {
  /** For the new thread, as in `AppendOptions`. */
  readonly snapshot?: Snapshot
}

export interface Appended {
  /** The number of the last of these events; after a repeated append the thread may be longer. */
  readonly version: number
  readonly rows: readonly Row[]
  /** True if the log had these events (by id) already: nothing was written. */
  readonly repeated: boolean
}

export interface ReadRange {
  readonly from?: number // first number, default 1
  readonly to?: number // last number, inclusive
  readonly limit?: number
}

export interface ListOptions {
  readonly after?: string
  readonly limit?: number
  /** As in `SearchQuery`. */
  readonly owners?: readonly string[]
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly next?: string // pass it as `after` for the next page
}

/**
 * Where logs live. All methods may be called concurrently by several callers and processes. A rejected call
 * changed nothing. Errors are `PrecisError`s: `usage` for invalid arguments, `invalid-input` for content that
 * is not JSON or too large, `store-…` for the rest. Callers own the returned rows: changing them does not
 * affect the store.
 */
export interface Store {
  /**
   * Appends all events or none, numbered from `expectedVersion + 1`, and returns what it wrote. Durable when
   * it resolves. Repeating an append (same event ids) succeeds without effect at any version; the same id
   * with other content, or a partial repetition, is an `id-conflict`. The first append creates the thread. An
   * append without events only checks the version and stores the snapshot.
   */
  append(threadId: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended>
  /**
   * Starts a thread that shares its parent's events up to `seq` and continues at `seq + 1`; all its rows name
   * the new thread. Repeating the call succeeds without effect; a different thread with this id is an
   * `id-conflict`.
   */
  fork(
    parentId: string,
    seq: number,
    threadId: string,
    first: readonly NewEvent[],
    options?: ForkOptions,
  ): Promise<Appended>
  /** Rows in order. Empty for an unknown thread or an empty range. */
  read(threadId: string, range?: ReadRange): Promise<readonly Row[]>
  /** The rows of several ranges at once, in the requested order. */
  readMany(
    threadId: string,
    ranges: readonly (readonly [from: number, to: number])[],
  ): Promise<readonly Row[]>
  /** The thread's last event number and origin; undefined if it does not exist. */
  info(threadId: string): Promise<ThreadInfo | undefined>
  /** The newest snapshot of this fold version, at or before the thread's version. */
  snapshot(threadId: string, foldVersion: number): Promise<Snapshot | undefined>
  /**
   * Threads, latest first, `limit` (1 to 1000, default 100) at a time. A thread that changes during paging
   * moves in the list and may be missed.
   */
  list(options?: ListOptions): Promise<Page<ThreadInfo>>
  /**
   * Rows after `afterSeq`, then live ones, including those of other processes, each once and in order, until
   * the signal fires or the thread is deleted. Waits for a thread that does not exist yet.
   */
  follow(threadId: string, afterSeq: number, signal: Signal): AsyncIterable<Row>
  /** Deletes a thread; its forks keep their past. False if it did not exist. */
  delete(threadId: string): Promise<boolean>
  /**
   * Takes or renews a lease for `ttlMs` from now: true if `owner` then holds it, false if another owner's
   * lease is still valid. One owner at a time across all processes; the lease ends by itself if its owner
   * dies.
   */
  takeLease(name: string, owner: string, ttlMs: number): Promise<boolean>
  /** Releases a lease; no effect if `owner` does not hold it. */
  releaseLease(name: string, owner: string): Promise<void>
  /** Waits for running calls; later ones reject with `store-closed`. May be called repeatedly. */
  close(): Promise<void>
  /** The event with this id in a thread's log. */
  find?(threadId: string, id: string): Promise<Row | undefined>
  /**
   * Checks the hash chain of a thread. Detects damage and careless edits, but not a writer who recomputes the
   * hashes. Undefined for a missing thread; absent in stores without hashes.
   */
  verify?(threadId: string): Promise<LogVerdict | undefined>
  /** The number of events without a thread, which only damage causes. Absent where that is impossible. */
  countStrays?(): Promise<number>
  /** Absent in stores without search. */
  readonly index?: SearchIndex
}

/** Deferred work on threads, in this process or another. */
export interface JobQueue {
  /** Queues a thread. False if it is queued already. */
  add(threadId: string): Promise<boolean>
  /**
   * Runs queued jobs until the queue is closed or `until` fires, which leaves jobs to others. A thread never
   * has two running jobs, not even in two processes. A rejected job is retried a few times; so is one whose
   * process died, or one that times out and sees its signal fire. A job may therefore run more than once and
   * must be idempotent.
   */
  work(run: (threadId: string, signal: Signal) => Promise<void>, until?: Signal): Promise<void>
  /** Starts no more jobs and waits for running ones. */
  close(): Promise<void>
}

/** A query over everything ever said. Each filter narrows it. */
export interface SearchQuery {
  readonly text: string
  readonly limit?: number // 1 to 100, default 20
  readonly threadId?: string // a fork includes what it shares
  readonly kinds?: readonly SearchKind[]
  readonly since?: Date
  readonly until?: Date // inclusive
  readonly tool?: string
  readonly file?: string // its path, or the end of it: `ports.ts`, `core/ports.ts`
  /** Owners of the threads and their forks; `''` stands for threads without a named owner. */
  readonly owners?: readonly string[]
  /** Returns only the best event of each thread, so `limit` counts threads. */
  readonly isThreadOnce?: boolean
  /** Also returns events with only some of the words, after the others: the caller ranks them. */
  readonly withAnyWord?: boolean
}

export interface SearchFind {
  readonly threadId: string
  readonly seq: number
  readonly kind: SearchKind
  readonly timestamp: Date
  readonly tool?: string
  readonly file?: string
  readonly snippet: Snippet
}

export interface SearchFinds {
  /** Best first, each event once. */
  readonly finds: readonly SearchFind[]
  /** True if each has all the words; otherwise those with some words are returned. */
  readonly hasAllWords: boolean
}

/**
 * Searches everything said in any thread, whether still in a context or not. Derived from the log: a search
 * updates it first, so appends stay fast, and it can be rebuilt.
 */
export interface SearchIndex {
  search(query: SearchQuery): Promise<SearchFinds>
  /** Indexes what was appended; resolves when nothing is left. */
  catchUp(): Promise<void>
  /** Discards and rebuilds the index. */
  rebuild(): Promise<void>
}

/** The settings of a conversation's own requests; repeating them reuses the cached prefix. */
export interface AskedWithin {
  readonly system: readonly string[]
  readonly tools: readonly ToolSchema[]
  readonly thinking?: ThinkingWish
  /** Forbids tools. Absent: whatever keeps the cache, with a prohibition in words. */
  readonly toolChoice?: 'none'
}
export interface AskRequest {
  readonly system?: string
  readonly messages: readonly Message[]
  readonly model?: string
  readonly maxOutputTokens?: number
  /** Asks within the conversation instead of with `system`. Absent: asks apart, without tools. */
  readonly within?: AskedWithin
  /** The model of the conversation's latest answer. Prompts to another provider are redacted. */
  readonly conversation?: ModelRef
  readonly signal?: Signal
  readonly onRetry?: ModelRequest['onRetry']
}
export interface AskAnswer {
  readonly text: string
  readonly stopReason: StopReason
  readonly usage?: TokenUsage
}
/** A model's limits; absent if unknown. */
export interface ModelLimits {
  readonly windowTokens?: number
  readonly outputTokens?: number
}
/** A short conversation in which the model may call tools; the caller runs them. */
export interface ConverseRequest extends Omit<AskRequest, 'within'> {
  readonly tools: readonly ToolSchema[]
}
export interface AskedCall {
  readonly id: string
  readonly name: string
  readonly arguments: Json
  /** Why the call cannot run: its arguments are not JSON. It needs a result nevertheless. */
  readonly problem?: string
}
export interface ConverseAnswer {
  /** To be sent again unchanged, followed by the results of its calls. */
  readonly message: Message
  readonly calls: readonly AskedCall[]
  readonly stopReason: StopReason
  readonly usage?: TokenUsage
}
/** A model that answers in text. Its tool calls are never run. */
export interface ModelPort {
  /** Rejects with `overflow` if the request exceeds the window, even if it was truncated silently. */
  ask(request: AskRequest): Promise<AskAnswer>
  limitsOf?(model?: string, signal?: Signal): Promise<ModelLimits>
  /** One answer that may call tools. Absent if unsupported. Rejects like `ask`. */
  converse?(request: ConverseRequest): Promise<ConverseAnswer>
}

/** A state derived from the log step by step and stored with snapshots. */
export interface Reducer<S> {
  readonly name: string
  readonly version: number
  init(): S
  step(state: S, event: ThreadEvent): S
  encode(state: S): Json
  decode(json: Json): S
}
