// Every provider behind the same checks: prepared requests, validated bodies, silent overflow noticed.
import { type ErrorCode, PrecisError } from '../core/errors.ts'
import type { EndFrame, ModelFrame, ModelRequest, Provider } from '../core/model.ts'
import type { Block, MessagePart, StopReason, TokenUsage } from '../core/view/content.ts'
import { estimateTokens } from '../core/window/tokens/estimate.ts'
import { type ValidateOptions, validate } from '../validate/validate.ts'
import type { Profile, Violation } from '../validate/walk.ts'
import { type PreparedRequest, prepareRequest } from '../wire/prepare.ts'

interface KnownProblems extends Pick<ValidateOptions, 'requestTokens'> {
  /** What whoever sends it knows to be broken, beyond what the request itself tells. */
  readonly violations?: readonly Violation[]
}

/**
 * Throws `invalid-request` with the id and the place of the first broken rule. If there is only too
 * much: `overflow`, which a compaction helps against, or `payload-too-large`, with what helps.
 */
export function requireValid(profile: Profile, request: unknown, known: KnownProblems = {}): void {
  const { violations: told = [], ...options } = known
  const violations = [...validate(profile, request, options), ...told]
  const kind = KINDS.find(({ fits }) => violations.some(fits))
  const violation = kind && violations.find(kind.fits)
  if (kind === undefined || violation === undefined) return
  const { id, where, message } = violation
  const more = violations.length === 1 ? '' : ` (and ${violations.length - 1} more)`
  throw new PrecisError(kind.code, `${kind.what(id)}: ${message}${more}. Nothing was sent.`, {
    where,
    hint: kind.hint,
    details: { rule: id, where, violations },
  })
}

interface Kind {
  readonly code: ErrorCode
  readonly what: (rule: string) => string
  readonly hint: string
  readonly fits: (violation: Violation) => boolean
}

const isWindow = ({ id }: Violation) => id === 'VALID-A19'
const isBody = ({ id, where }: Violation) => id === 'VALID-A18' && where === 'request'
const isAmount = ({ id }: Violation) => id === 'VALID-C10'
const isTools = (found: Violation) => isAmount(found) && /^(?:tools|functions)$/.test(found.where)
// The place tells: an image is reported as the whole part, a text by the name of its field.
const isText = (found: Violation) => isAmount(found) && !isTools(found) && !/\]$/.test(found.where)

/** The first kind that is found at all is told: a bug before all else, then what a compaction repairs. */
const KINDS: readonly Kind[] = [
  {
    code: 'invalid-request',
    what: (rule) => `The request would break ${rule}`,
    hint: 'This is a bug of précis: please report it with the rule and the place.',
    fits: (found) => !isWindow(found) && !isBody(found) && !isAmount(found),
  },
  {
    code: 'overflow',
    what: (rule) => `The request is too long (${rule})`,
    hint: 'Compact the conversation, or choose a larger window.',
    fits: isWindow,
  },
  {
    code: 'overflow',
    what: (rule) => `One text of the request is too long (${rule})`,
    hint: 'Compact the conversation, or give the text in parts.',
    fits: isText,
  },
  {
    code: 'payload-too-large',
    what: (rule) => `The request offers too many tools (${rule})`,
    hint: 'Offer fewer tools: turn off the ones you do not need.',
    fits: isTools,
  },
  {
    code: 'payload-too-large',
    what: (rule) => `The request has more bytes or images than the provider takes (${rule})`,
    hint: 'Remove images or documents, or compact the conversation.',
    fits: () => true,
  },
]

/** The same provider for requests of any history, with the repairs reported and tools by their real names. */
export function preparing(provider: Provider, profileOf: (model: string) => Profile): Provider {
  const { countTokens } = provider
  const prepared = (request: ModelRequest): PreparedRequest =>
    prepareRequest(request, profileOf(request.model), provider.id)
  return {
    ...provider,
    async *stream(request) {
      requireOutputTokens(request)
      const { request: ready, problems, toolName } = prepared(request)
      let isFirst = true
      for await (const frame of provider.stream(ready)) {
        if (isFirst) yield* reported(frame, problems)
        isFirst = false
        if (frame.type !== 'repairs') yield renamed(frame, toolName)
      }
    },
    ...(countTokens && {
      countTokens: (request: ModelRequest) => countTokens(prepared(request).request),
    }),
  }
}

/** Every API refuses it, each in its own words. */
function requireOutputTokens({ maxOutputTokens }: ModelRequest): void {
  if (Number.isSafeInteger(maxOutputTokens) && maxOutputTokens > 0) return
  throw new PrecisError('usage', `maxOutputTokens is ${maxOutputTokens}. Nothing was sent.`, {
    where: 'maxOutputTokens',
    hint: 'Give a whole number of tokens, 1 or more.',
  })
}

/** Repairs are told once and first, those of the writer behind ours. */
function* reported(first: ModelFrame, problems: readonly string[]): Generator<ModelFrame> {
  const all = first.type === 'repairs' ? [...problems, ...first.problems] : problems
  if (all.length > 0) yield { type: 'repairs', problems: all }
}

function renamed(frame: ModelFrame, toolName: (name: string) => string): ModelFrame {
  if (frame.type !== 'call' && frame.type !== 'broken-call') return frame
  return { ...frame, name: toolName(frame.name) }
}

// Detects an overflow that the provider did not report, from the answer

/** An answer, and what is known of the request it is one to. */
export interface AnswerSigns {
  readonly stopReason: StopReason
  readonly rawStopReason?: string
  readonly usage?: TokenUsage
  /** Absent if unknown: a default says nothing about the model. */
  readonly windowTokens?: number
  /** How long the request should be. Without it, a silent cut cannot be seen. */
  readonly estimatedTokens?: number
}

/** How Anthropic, Bedrock and Z.ai say that the answer, too, must fit. */
const WINDOW_FULL = 'model_context_window_exceeded'
/** An estimate may be a quarter off; beyond that, the server read something else than was sent. */
const ESTIMATE_ERROR = 1.25
const FULL_SHARE = 0.99
/** Below this share of the estimate something is missing, whatever window and tokenizer are. */
const READ_SHARE = 0.6
/** Small requests differ by more than their share: templates add and drop words. */
const SMALLEST_GAP_TOKENS = 500

/** Why the answer is one to a context that did not fit, or undefined. */
export function silentOverflow(signs: AnswerSigns): string | undefined {
  const { stopReason, rawStopReason, usage, windowTokens, estimatedTokens = 0 } = signs
  if (rawStopReason === WINDOW_FULL) return 'the answer filled the window'
  if (usage === undefined) return undefined
  const { promptTokens, completionTokens } = usage
  if (windowTokens !== undefined) {
    if (promptTokens > windowTokens)
      return 'the request was longer than the window, and was answered'
    const isFull = promptTokens >= FULL_SHARE * windowTokens
    if (stopReason === 'length' && completionTokens === 0 && isFull)
      return 'the request left no room for an answer'
  }
  const isBeyondWindow =
    windowTokens !== undefined &&
    estimatedTokens > windowTokens &&
    estimatedTokens > ESTIMATE_ERROR * promptTokens
  const isFarBelow =
    promptTokens < READ_SHARE * estimatedTokens &&
    estimatedTokens - promptTokens > SMALLEST_GAP_TOKENS
  return isBeyondWindow || isFarBelow ? 'the server read less than it was sent' : undefined
}

export interface OverflowFacts {
  /** Undefined if it is only a default. */
  windowOf(model: string): number | undefined
  /** Whether the server may leave out a part of a long prompt; then requests are estimated. */
  readonly cutsSilently: boolean
}

/** The same provider, whose answers say where the context did not fit (`EndFrame.overflow`). */
export function noticingOverflow(provider: Provider, facts: OverflowFacts): Provider {
  const { countTokens, windowOf } = provider
  return {
    id: provider.id,
    async *stream(request) {
      for await (const frame of provider.stream(request)) yield noticed(frame, request, facts)
    },
    ...(countTokens && { countTokens: countTokens.bind(provider) }),
    ...(windowOf && { windowOf: windowOf.bind(provider) }),
  }
}

function noticed(frame: ModelFrame, request: ModelRequest, facts: OverflowFacts): ModelFrame {
  if (frame.type !== 'end') return frame
  const windowTokens = facts.windowOf(request.model)
  const overflow = silentOverflow({
    ...findSigns(frame),
    ...(windowTokens !== undefined && { windowTokens }),
    ...(facts.cutsSilently && { estimatedTokens: computeEstimate(request) }),
  })
  return overflow === undefined ? frame : { ...frame, overflow }
}

function findSigns({ stopReason, rawStopReason, usage }: EndFrame): AnswerSigns {
  return {
    stopReason,
    ...(rawStopReason !== undefined && { rawStopReason }),
    ...(usage && { usage }),
  }
}

/** What every template shows of a request, and no more: texts, and the arguments of calls. */
export function computeEstimate({ system, messages }: ModelRequest): number {
  const parts = messages.flatMap(({ parts: each }) => each.map(countPart))
  return [...system.map(estimateTokens), ...parts].reduce((sum, tokens) => sum + tokens, 0)
}

function countPart(part: MessagePart): number {
  switch (part.type) {
    case 'text':
    case 'system_reminder':
      return estimateTokens(part.text)
    case 'tool_call':
      return estimateTokens(JSON.stringify(part.arguments))
    case 'tool_result':
      return part.content.reduce((sum, { text = '' }: Block) => sum + estimateTokens(text), 0)
    default:
      return 0
  }
}
