// The ports: store, model, clock, ids and signals; contracts are on the members
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

/** A row as it is stored: JSON only, not yet checked. `readEvent` in codec.ts makes an event of it. */
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

/** A derived state of a thread, so that opening it need not read its history. May be discarded. */
export interface Snapshot {
  readonly seq: number
  readonly foldVersion: number
  readonly state: Json
}

export interface ThreadInfo {
  readonly threadId: string
  readonly version: number // the sequence number of its last event
  readonly createdAt: Date // the time of its first event of its own
  readonly updatedAt: Date // the time of its last event
  /** Where it was forked from; known also when that thread is deleted. */
  readonly parent?: { readonly threadId: string; readonly seq: number }
}

/** What the hashes of a log say of it. */
export interface LogVerdict {
  readonly events: number // that were looked at
  /** The last event before so many are missing that the version must be wrong; absent where they are not. */
  readonly end?: number
  /** Events without a hash: an older program wrote them. */
  readonly unverified: number
  /** Events that are not as they were written, 1,000 at most. */
  readonly misfits: readonly { readonly seq: number; readonly problem: string }[]
}

export interface AppendOptions {
  /** The version the caller last saw; 0 for a new thread. Another one is a `version-conflict`. */
  readonly expectedVersion: number
  /** Stored in the same transaction; at or before the version after the append. */
  readonly snapshot?: Snapshot
}

export interface ForkOptions {
  /** Of the new thread, as in `AppendOptions`. */
  readonly snapshot?: Snapshot
}

export interface Appended {
  /** The number of the last of these events; where they were repeated, the thread may be further. */
  readonly version: number
  readonly rows: readonly Row[]
  /** True if these very events (by id) were in the log already: nothing was written. */
  readonly repeated: boolean
}

export interface ReadRange {
  readonly from?: number // first sequence number, default 1
  readonly to?: number // last sequence number, inclusive
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
 * Where logs live. Every method may be called at any time by several callers and processes.
 * A method that rejects has changed nothing. Errors are `PrecisError`s: `usage` for arguments that
 * make no sense, `invalid-input` for content that is not JSON or too large, `store-…` for the rest.
 * Rows belong to the caller: changing them changes nothing in the store.
 */
export interface Store {
  /**
   * Appends all events or none, numbered from `expectedVersion + 1`, and returns what it wrote.
   * Durable when it resolves. Appending the same event ids again is a success without effect,
   * whatever the version is by then; the same id with other content, and an append of which only a
   * part is there, is an `id-conflict`. The first append makes the thread. One without events only
   * checks the version and stores the snapshot.
   */
  append(threadId: string, events: readonly NewEvent[], options: AppendOptions): Promise<Appended>
  /**
   * Starts a thread that shares its parent's events up to `seq`, then continues by itself at
   * `seq + 1`; all its rows name the new thread. The same call again is a success without effect;
   * a thread of this id that is another one is an `id-conflict`.
   */
  fork(
    parentId: string,
    seq: number,
    threadId: string,
    first: readonly NewEvent[],
    options?: ForkOptions,
  ): Promise<Appended>
  /** Rows in order. An unknown thread has none, nor has a range that ends before it begins. */
  read(threadId: string, range?: ReadRange): Promise<readonly Row[]>
  /** The rows of several stretches in one go, in the order asked for. */
  readMany(
    threadId: string,
    ranges: readonly (readonly [from: number, to: number])[],
  ): Promise<readonly Row[]>
  /** The thread's last event number and its origin, or undefined. */
  info(threadId: string): Promise<ThreadInfo | undefined>
  /** The newest snapshot of this fold version at or before the thread's version. */
  snapshot(threadId: string, foldVersion: number): Promise<Snapshot | undefined>
  /**
   * Threads, latest first, `limit` (1 to 1000, default 100) at a time. One that changes while pages
   * are read moves in the list, and may be missed.
   */
  list(options?: ListOptions): Promise<Page<ThreadInfo>>
  /**
   * Rows after `afterSeq`, then live ones, also those of other processes, each once and in order,
   * until the signal fires or the thread is deleted. A thread that is not there yet is waited for.
   */
  follow(threadId: string, afterSeq: number, signal: Signal): AsyncIterable<Row>
  /** Removes a thread; its forks keep their past. False if there was none. */
  delete(threadId: string): Promise<boolean>
  /**
   * Takes a lease, or renews one's own, for `ttlMs` from now: true where `owner` holds it then, false
   * where another does and its time is not over. For one owner at a time across all processes, which
   * ends by itself where that owner dies.
   */
  takeLease(name: string, owner: string, ttlMs: number): Promise<boolean>
  /** Gives a lease back; without effect where `owner` does not hold it. */
  releaseLease(name: string, owner: string): Promise<void>
  /** Waits for the calls under way; later ones reject with `store-closed`. May be called again. */
  close(): Promise<void>
  /** The event of this id in the log of a thread. */
  find?(threadId: string, id: string): Promise<Row | undefined>
  /**
   * Checks the hash chain of a thread: finds damage and careless edits, not those of a writer who computes
   * the hashes again. Undefined where there is no such thread; absent where a store keeps no hashes.
   */
  verify?(threadId: string): Promise<LogVerdict | undefined>
  /** How many events belong to no thread: only damage brings that about. Absent where it cannot be. */
  countStrays?(): Promise<number>
  /** Absent if a store cannot be searched. */
  readonly index?: SearchIndex
}

/** Work on threads that is done later, in this process or in another. */
export interface JobQueue {
  /** Puts a thread in line. False if it is there already. */
  add(threadId: string): Promise<boolean>
  /**
   * Takes threads from the line until the queue is closed or `until` fires: whoever could only refuse
   * them leaves them to others. Never two jobs at once for one thread, in no two processes either. A job that rejects is tried again later, a few times; so is one whose
   * process died, or that takes too long and then sees its signal fire. It may so run more than once,
   * and must come to the same.
   */
  work(run: (threadId: string, signal: Signal) => Promise<void>, until?: Signal): Promise<void>
  /** Takes no further jobs, and waits for those that run. */
  close(): Promise<void>
}

/** What is looked for, in all that was ever said. Every filter narrows it down. */
export interface SearchQuery {
  readonly text: string
  readonly limit?: number // 1 to 100, default 20
  readonly threadId?: string // a fork has what it shares
  readonly kinds?: readonly SearchKind[]
  readonly since?: Date
  readonly until?: Date // inclusive
  readonly tool?: string
  readonly file?: string // its path, or the end of it: `ports.ts`, `core/ports.ts`
  /** Whose threads: as they were begun, and their forks. `''` are those that nobody is named for. */
  readonly owners?: readonly string[]
  /** Only the best of each thread: so many threads are found, not so many events. */
  readonly isThreadOnce?: boolean
  /** Behind what has all the words, what has some: the caller ranks them. */
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
  /** Whether each has all the words; if nothing has, those that have some are given. */
  readonly hasAllWords: boolean
}

/**
 * Finds what was said in any thread, whether it is in a context or was dropped from it. It is derived
 * from the log: it is brought up to date when something is looked for, so that appending stays fast,
 * and can be recreated.
 */
export interface SearchIndex {
  search(query: SearchQuery): Promise<SearchFinds>
  /** Takes in what was appended since; resolves when nothing is left. */
  catchUp(): Promise<void>
  /** Throws it away and makes it again. */
  rebuild(): Promise<void>
}

/** What a conversation's own requests are sent with: the same again finds its prefix in the cache. */
export interface AskedWithin {
  readonly system: readonly string[]
  readonly tools: readonly ToolSchema[]
  readonly thinking?: ThinkingWish
  /** No tool may be called. Absent: whatever leaves the cache as it is, and words that forbid it. */
  readonly toolChoice?: 'none'
}
export interface AskRequest {
  readonly system?: string
  readonly messages: readonly Message[]
  readonly model?: string
  readonly maxOutputTokens?: number
  /** Asked in the conversation itself, in place of `system`. Absent: asked apart, without tools. */
  readonly within?: AskedWithin
  /** Whose conversation this is: the model of its latest answer. Another provider is told no secrets. */
  readonly conversation?: ModelRef
  readonly signal?: Signal
  readonly onRetry?: ModelRequest['onRetry']
}
export interface AskAnswer {
  readonly text: string
  readonly stopReason: StopReason
  readonly usage?: TokenUsage
}
/** How much a model takes and gives; absent if nobody knows. */
export interface ModelLimits {
  readonly windowTokens?: number
  readonly outputTokens?: number
}
/** A small talk in which the model may call tools; the caller runs them. */
export interface ConverseRequest extends Omit<AskRequest, 'within'> {
  readonly tools: readonly ToolSchema[]
}
export interface AskedCall {
  readonly id: string
  readonly name: string
  readonly arguments: Json
  /** Why it cannot be run: its arguments are no JSON. It wants a result all the same. */
  readonly problem?: string
}
export interface ConverseAnswer {
  /** To be sent again as it is, followed by the results of its calls. */
  readonly message: Message
  readonly calls: readonly AskedCall[]
  readonly stopReason: StopReason
  readonly usage?: TokenUsage
}
/** A model that answers in text. No tool is run through it, whatever the model calls. */
export interface ModelPort {
  /** Rejects with `overflow` where the request is longer than the window, also if it was cut silently. */
  ask(request: AskRequest): Promise<AskAnswer>
  limitsOf?(model?: string, signal?: Signal): Promise<ModelLimits>
  /** One answer that may call tools. Absent if nobody can be asked in that way. Rejects as `ask` does. */
  converse?(request: ConverseRequest): Promise<ConverseAnswer>
}

/** A state derived from the log, kept up step by step and stored with the snapshots. */
export interface Reducer<S> {
  readonly name: string
  readonly version: number
  init(): S
  step(state: S, event: ThreadEvent): S
  encode(state: S): Json
  decode(json: Json): S
}
