// Puts every provider behind the same checks: prepared requests, validated bodies, detection of silent
// overflow.
import { type ErrorCode, PrecisError } from '../core/errors.ts'
import type { ModelFrame, ModelRequest, Provider } from '../core/model.ts'
import type { Profile, Violation } from '../validate/rule.ts'
import { type ValidateOptions, validate } from '../validate/validate.ts'
import { type PreparedRequest, prepareRequest } from '../wire/prepare.ts'

interface KnownProblems extends Pick<ValidateOptions, 'requestTokens'> {
  /** Violations the sender knows beyond those in the request itself. */
  readonly violations?: readonly Violation[]
}

/**
 * Throws `invalid-request` with the id and place of the first broken rule. If only amounts are exceeded:
 * `overflow`, which compaction solves, or `payload-too-large` with a hint.
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
// The place tells the kind: an image is reported as a whole part, a text by its field.
const isText = (found: Violation) => isAmount(found) && !isTools(found) && !/\]$/.test(found.where)

/** The first kind found is reported: bugs first, then what a compaction repairs. */
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

/** Wraps a provider to accept any history; reports repairs and restores tool names. */
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

/** Every API rejects it, each in other words. */
function requireOutputTokens({ maxOutputTokens }: ModelRequest): void {
  if (Number.isSafeInteger(maxOutputTokens) && maxOutputTokens > 0) return
  throw new PrecisError('usage', `maxOutputTokens is ${maxOutputTokens}. Nothing was sent.`, {
    where: 'maxOutputTokens',
    hint: 'Give a whole number of tokens, 1 or more.',
  })
}

/** Yields repairs once and first: ours, then the writer's. */
function* reported(first: ModelFrame, problems: readonly string[]): Generator<ModelFrame> {
  const all = first.type === 'repairs' ? [...problems, ...first.problems] : problems
  if (all.length > 0) yield { type: 'repairs', problems: all }
}

function renamed(frame: ModelFrame, toolName: (name: string) => string): ModelFrame {
  if (frame.type !== 'call' && frame.type !== 'broken-call') return frame
  return { ...frame, name: toolName(frame.name) }
}
