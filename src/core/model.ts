// The model port: a provider-neutral request, the streamed frames, and the answer.
import type { Json } from './text/json.ts'
import {
  type Answer,
  type ModelRef,
  type Part,
  type StopReason,
  type TokenUsage,
  textOfParts,
} from './view/content.ts'
import type { Message } from './view/message.ts'

const STAND_IN = 'dev'

/** The stand-in is a program for use without a key, not a language model. */
export function isStandIn(model: string | undefined): boolean {
  return model === STAND_IN || (model?.startsWith(`${STAND_IN}/`) ?? false)
}

export interface ToolSchema {
  readonly name: string
  readonly description: string
  readonly inputSchema: Json // JSON Schema of an object
}

/** How much a model may think. Each API uses the fields it supports. */
export interface ThinkingWish {
  readonly effort?: 'low' | 'medium' | 'high'
  /** For models that take a number; must be below `maxOutputTokens`. */
  readonly budgetTokens?: number
}

/** Options of one provider's API: merged into the body unchanged, ignored by all others. */
interface NativeOptions {
  readonly provider: string
  readonly fields: { readonly [name: string]: Json }
  readonly betas?: readonly string[] // beta features, enabled by header
}

export interface ModelRequest {
  readonly model: string // without the provider
  readonly system: readonly string[]
  readonly messages: readonly Message[]
  readonly tools: readonly ToolSchema[]
  /** `none` sends the same tools but forbids calls, so the cached prefix stays. */
  readonly toolChoice: 'auto' | 'none'
  readonly maxOutputTokens: number
  /** Absent: the model's default. */
  readonly thinking?: ThinkingWish
  /**
   * Whether to ask the provider to drop thinking whose prefix has changed, which it would otherwise reject.
   * Default: ask if the request contains thinking that this process did not see being made after exactly this
   * prefix. With `false`, a request with outdated thinking fails validation and is not sent.
   */
  readonly dropStaleThinking?: boolean
  /** Puts cache marks on the stable prefix, if the API has them. */
  readonly cache: boolean
  readonly native?: NativeOptions
  readonly signal?: Signal
  /** Called before each pause when the provider retries after a transient failure. */
  readonly onRetry?: (retry: ModelRetry) => void
  /**
   * Called with the cost known at the start of an answer, if the API reports it: the answer may never end.
   */
  readonly onBegin?: (usage: TokenUsage) => void
}

export interface ModelRetry {
  readonly attempt: number // the next one; the first is 1
  readonly attempts: number // maximum
  readonly reason: string
  readonly waitMs: number
}

interface CallFrame {
  readonly type: 'call'
  readonly id: string
  readonly name: string
  readonly arguments: Json
}

/** A call with invalid JSON arguments, usually because the answer was cut off. Must not run. */
interface BrokenCallFrame {
  readonly type: 'broken-call'
  readonly id: string
  readonly name: string
  readonly text: string // the received arguments
}

/** The last frame of every completed answer. */
export interface EndFrame {
  readonly type: 'end'
  readonly stopReason: StopReason
  /** Absent without a report, never zeros. `promptTokens` includes cache reads and writes. */
  readonly usage?: TokenUsage
  /** The provider's own term, finer than the unified ones. */
  readonly rawStopReason?: string
  readonly rawUsage?: Json
  /** Why the context did not fit, although the provider did not refuse it. */
  readonly overflow?: string
}

/** The frames of an answer. Parts and calls arrive whole at their end, in order. */
export type ModelFrame =
  /** Problems of the messages, and how they were sent nevertheless. At most once, and first. */
  | { readonly type: 'repairs'; readonly problems: readonly string[] }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'thinking-delta'; readonly text: string }
  | { readonly type: 'part'; readonly part: Exclude<Part, { readonly type: 'tool_call' }> }
  | CallFrame
  | BrokenCallFrame
  | EndFrame

/** One provider's API. Rejects only with PrecisErrors; an aborted signal rejects with `aborted`. */
export interface Provider {
  readonly id: string
  /**
   * Sends the request when the first frame is read, and again after a transient failure as long as no frame
   * was yielded. Leaving the loop early closes the connection.
   */
  stream(request: ModelRequest): AsyncIterable<ModelFrame>
  /** Counts a request's tokens. Absent if the API cannot. */
  countTokens?(request: ModelRequest): Promise<number>
  /** The window of a model. Absent if the server cannot tell; undefined if it does not know. */
  windowOf?(model: string, signal?: Signal): Promise<number | undefined>
}

/** An answer and its calls, in the form of the log. */
export interface CollectedAnswer {
  readonly answer: Answer
  readonly calls: readonly Omit<CallFrame, 'type'>[]
  readonly brokenCalls: readonly Omit<BrokenCallFrame, 'type'>[]
  readonly repairs: readonly string[]
  readonly rawStopReason?: string
  readonly rawUsage?: Json
  /** As in `EndFrame`: compact before the next request, and do not trust a summary. */
  readonly overflow?: string
}

/** Collects the frames of one answer. Can be read at any time: a partial answer is an answer, too. */
export class AnswerCollector {
  readonly #model: ModelRef
  readonly #parts: Part[] = []
  readonly #calls: Omit<CallFrame, 'type'>[] = []
  readonly #brokenCalls: Omit<BrokenCallFrame, 'type'>[] = []
  #repairs: readonly string[] = []
  #unfinishedText = ''
  #end: EndFrame | undefined

  constructor(model: ModelRef) {
    this.#model = model
  }

  add(frame: ModelFrame): void {
    switch (frame.type) {
      case 'repairs':
        this.#repairs = frame.problems
        return
      case 'text-delta':
        this.#unfinishedText += frame.text
        return
      case 'thinking-delta':
        return // for display; only the whole part has the signature it needs
      case 'part':
        if (frame.part.type === 'text') this.#unfinishedText = ''
        this.#parts.push(frame.part)
        return
      case 'call':
        this.#addCall(frame)
        return
      case 'broken-call':
        this.#brokenCalls.push({ id: frame.id, name: frame.name, text: frame.text })
        return
      case 'end':
        this.#end = frame
    }
  }

  /** `cutShort` says why there is no end: the user or the connection. */
  collected(cutShort: 'aborted' | 'error' = 'error'): CollectedAnswer {
    const { usage, rawStopReason, rawUsage, overflow } = this.#end ?? {}
    const parts: readonly Part[] = this.#unfinishedText
      ? [...this.#parts, { type: 'text', text: this.#unfinishedText }]
      : this.#parts
    return {
      answer: {
        content: textOfParts(parts),
        ...(!isPlainText(parts) && { parts }),
        model: this.#model,
        calls: this.#calls.map(({ id }) => id),
        stopReason: this.#end?.stopReason ?? cutShort,
        ...(usage && { tokenUsage: usage }),
      },
      calls: this.#calls,
      brokenCalls: this.#brokenCalls,
      repairs: this.#repairs,
      ...(rawStopReason !== undefined && { rawStopReason }),
      ...(rawUsage !== undefined && { rawUsage }),
      ...(overflow !== undefined && { overflow }),
    }
  }

  /** Some servers repeat an id within an answer, which would mix up the results. */
  #addCall({ id, name, arguments: given }: CallFrame): void {
    const used = new Set(this.#calls.map((call) => call.id))
    let unique = id
    for (let count = 2; used.has(unique); count += 1) unique = `${id}_${count}`
    this.#calls.push({ id: unique, name, arguments: given })
    this.#parts.push({ type: 'tool_call', callId: unique })
  }
}

/** Collects a whole answer, for callers that show no progress. */
export async function collectAnswer(
  model: ModelRef,
  frames: AsyncIterable<ModelFrame>,
): Promise<CollectedAnswer> {
  const collector = new AnswerCollector(model)
  for await (const frame of frames) collector.add(frame)
  return collector.collected()
}

/** Contains nothing beyond `content`. */
function isPlainText(parts: readonly Part[]): boolean {
  const [only] = parts
  return parts.length === 0 || (parts.length === 1 && only?.type === 'text' && !only.extra)
}

/** A cancellation signal of the caller, such as an AbortSignal. */
export interface Signal {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}
