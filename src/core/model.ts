// The model port: a provider-neutral request, the streamed frames, and the answer
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

/** The program that takes the place of a model where there is no key; it is not a language model. */
export function isStandIn(model: string | undefined): boolean {
  return model === STAND_IN || (model?.startsWith(`${STAND_IN}/`) ?? false)
}

export interface ToolSchema {
  readonly name: string
  readonly description: string
  readonly inputSchema: Json // JSON Schema of an object
}

/** How much a model may think before it answers. Each API takes what it understands of this. */
export interface ThinkingWish {
  readonly effort?: 'low' | 'medium' | 'high'
  /** For models that take a number; below `maxOutputTokens`. */
  readonly budgetTokens?: number
}

/** What only one provider's API understands: merged into the body as it is, ignored by all others. */
interface NativeOptions {
  readonly provider: string
  readonly fields: { readonly [name: string]: Json }
  readonly betas?: readonly string[] // names of features to switch on by header
}

export interface ModelRequest {
  readonly model: string // without the provider
  readonly system: readonly string[]
  readonly messages: readonly Message[]
  readonly tools: readonly ToolSchema[]
  /** `none` sends the same tools and forbids calling them: the cached prefix stays. */
  readonly toolChoice: 'auto' | 'none'
  readonly maxOutputTokens: number
  /** Absent leaves it to the model's own default. */
  readonly thinking?: ThinkingWish
  /**
   * Whether the provider is asked to drop thinking that is bound to words which are no longer there,
   * where it would otherwise refuse the request. Absent: it is asked whenever thinking is sent that it
   * was not seen to make behind exactly these words. `false` leaves thinking that is known to be stale
   * to the rules: the request is then not sent.
   */
  readonly dropStaleThinking?: boolean
  /** Places cache marks on the stable prefix, where the API has such marks. */
  readonly cache: boolean
  readonly native?: NativeOptions
  readonly signal?: Signal
  /** Told before each pause, where the provider asks again after a passing failure. */
  readonly onRetry?: (retry: ModelRetry) => void
  /** Told what an answer has cost when it begins, where the API says so then: it may come to no end. */
  readonly onBegin?: (usage: TokenUsage) => void
}

export interface ModelRetry {
  readonly attempt: number // the next one; the first was 1
  readonly attempts: number // at most
  readonly reason: string
  readonly waitMs: number
}

interface CallFrame {
  readonly type: 'call'
  readonly id: string
  readonly name: string
  readonly arguments: Json
}

/** A call whose arguments are no JSON, mostly because the answer was cut off. It must not be run. */
interface BrokenCallFrame {
  readonly type: 'broken-call'
  readonly id: string
  readonly name: string
  readonly text: string // the arguments as far as they came
}

/** The last frame of every answer that came to its end. */
export interface EndFrame {
  readonly type: 'end'
  readonly stopReason: StopReason
  /** Absent if the response had none, never zeros. `promptTokens` holds cache reads and writes. */
  readonly usage?: TokenUsage
  /** In the provider's own words; finer than the unified ones. */
  readonly rawStopReason?: string
  readonly rawUsage?: Json
  /** Why this is an answer to a context that did not fit, although nobody refused it. */
  readonly overflow?: string
}

/** What arrives while a model answers. Parts and calls come whole at their end, in order. */
export type ModelFrame =
  /** What was wrong with the messages and how it was sent all the same. At most once, and first. */
  | { readonly type: 'repairs'; readonly problems: readonly string[] }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'thinking-delta'; readonly text: string }
  | { readonly type: 'part'; readonly part: Exclude<Part, { readonly type: 'tool_call' }> }
  | CallFrame
  | BrokenCallFrame
  | EndFrame

/** One provider's API. Rejects with PrecisErrors only; an aborted signal rejects with `aborted`. */
export interface Provider {
  readonly id: string
  /**
   * Sends the request when the first frame is asked for, and again after a passing failure as long as
   * no frame was given out. Leaving the loop early closes the connection.
   */
  stream(request: ModelRequest): AsyncIterable<ModelFrame>
  /** How many tokens the request would have. Absent if the API has no such call. */
  countTokens?(request: ModelRequest): Promise<number>
  /** The window of a model. Absent if the server cannot be asked; undefined if it does not know. */
  windowOf?(model: string, signal?: Signal): Promise<number | undefined>
}

/** An answer and its calls, as they go into the log. */
export interface CollectedAnswer {
  readonly answer: Answer
  readonly calls: readonly Omit<CallFrame, 'type'>[]
  readonly brokenCalls: readonly Omit<BrokenCallFrame, 'type'>[]
  readonly repairs: readonly string[]
  readonly rawStopReason?: string
  readonly rawUsage?: Json
  /** As in `EndFrame`: compact before the next request, and trust no summary. */
  readonly overflow?: string
}

/** Gathers the frames of one answer. May be asked at any time: an answer cut short is still one. */
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
        return // shown while it comes; only the whole part has the signature that makes it of use
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

  /** `cutShort` says why there is no end: the user stopped it, or the connection did. */
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

  /** Some servers repeat an id within an answer; its results could then not be told apart. */
  #addCall({ id, name, arguments: given }: CallFrame): void {
    const used = new Set(this.#calls.map((call) => call.id))
    let unique = id
    for (let count = 2; used.has(unique); count += 1) unique = `${id}_${count}`
    this.#calls.push({ id: unique, name, arguments: given })
    this.#parts.push({ type: 'tool_call', callId: unique })
  }
}

/** All frames of an answer at once, for callers that show nothing while it comes. */
export async function collectAnswer(
  model: ModelRef,
  frames: AsyncIterable<ModelFrame>,
): Promise<CollectedAnswer> {
  const collector = new AnswerCollector(model)
  for await (const frame of frames) collector.add(frame)
  return collector.collected()
}

/** Nothing that `content` alone would not say. */
function isPlainText(parts: readonly Part[]): boolean {
  const [only] = parts
  return parts.length === 0 || (parts.length === 1 && only?.type === 'text' && !only.extra)
}

/** A cancellation signal of the caller; an AbortSignal is one */
export interface Signal {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}
