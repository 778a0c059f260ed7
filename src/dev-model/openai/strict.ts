// What both OpenAI APIs check and count: fields that they do not accept, in their wording, and the automatic cache.
import type { Fields, Json } from '../../core/text/json.ts'
import type { Profile } from '../../validate/rule.ts'
import { isGiven, readFields, readList, readText } from '../../validate/walk.ts'
import type { CacheUsage } from '../cache.ts'
import type { Segment } from '../count.ts'
import type { AutomaticCache } from '../prefix-cache.ts'
import { type Finding, findingsIn, type Step } from '../schema.ts'
import type { Links, Refusal } from '../wire-format.ts'
import type { OpenaiWire } from './errors.ts'
import { CHAT_REQUEST, RESPONSES_FUNCTION, RESPONSES_REQUEST } from './fields.ts'

type Invalid = Extract<Refusal, { kind: 'invalid' }>

/** OpenAI and Mistral reject unknown fields; the other backends ignore them. */
export function strangeChat(
  body: Fields,
  { backend }: Profile,
  isLocal: boolean,
): Invalid | undefined {
  const isLenient = isLocal || (backend !== undefined && backend !== 'mistral')
  for (const finding of findingsIn(CHAT_REQUEST, body)) {
    if (finding.what === 'unknown-field' && (isLenient || isKnownTo(backend, finding))) continue
    return backend === 'mistral' ? byMistral(finding) : byOpenai('openai-chat', finding)
  }
  if (backend !== 'deepseek') return undefined
  const names = readList(body.tools).map((tool) =>
    readText(readFields(readFields(tool).function).name),
  )
  return new Set(names).size === names.length
    ? undefined
    : { kind: 'invalid', message: 'Tool names must be unique.' }
}

const MISTRAL_FIELDS = ['prefix', 'safe_prompt', 'random_seed', 'prompt_mode', 'guardrails']

function isKnownTo(backend: Profile['backend'], { path }: Finding): boolean {
  return backend === 'mistral' && MISTRAL_FIELDS.includes(String(path.at(-1)))
}

export function strangeResponses(body: Fields): Invalid | undefined {
  for (const finding of findingsIn(RESPONSES_REQUEST, body))
    return byOpenai('openai-responses', finding)
  for (const [index, tool] of readList(body.tools).entries()) {
    if (readFields(tool).type !== 'function') continue
    for (const finding of findingsIn(RESPONSES_FUNCTION, tool, ['tools', index]))
      return byOpenai('openai-responses', finding)
  }
  return undefined
}

function byOpenai(wire: OpenaiWire, finding: Finding): Invalid {
  const place = findPlace(finding.path)
  const invalid = (message: string, code: string, param = place): Invalid => ({
    kind: 'invalid',
    message,
    param,
    code,
  })
  switch (finding.what) {
    case 'unknown-field':
      return invalid(`Unknown parameter: '${place}'.`, 'unknown_parameter')
    case 'no-tag': {
      const missing = `${place}.${finding.by}`
      return invalid(
        `Missing required parameter: '${missing}'.`,
        'missing_required_parameter',
        missing,
      )
    }
    case 'unknown-tag': {
      const message = `Invalid value: '${finding.tag}'. Supported values are: ${listed(finding.known)}.`
      const param = wire === 'openai-chat' ? `${place}.${finding.by}` : place
      return invalid(message, 'invalid_value', param)
    }
    default: {
      const got =
        finding.what === 'no-bytes' ? 'empty base64-encoded bytes' : 'an unsupported value'
      return invalid(`Invalid '${place}'. ${EXPECTED_IMAGE}, but got ${got}.`, 'invalid_value')
    }
  }
}

const EXPECTED_IMAGE =
  "Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU=')"

function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`)
  if (quoted.length < 2) return quoted.join('')
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`
}

function findPlace(path: readonly Step[]): string {
  return path
    .filter((step) => typeof step !== 'object')
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`,
    )
    .join('')
}

/** Mistral answers 422 with a list of problems. */
function byMistral(finding: Finding): Invalid {
  const loc: Json = ['body', ...finding.path.map((step) => (isVariant(step) ? step.variant : step))]
  const isExtra = finding.what === 'unknown-field'
  const message = isExtra ? 'Extra inputs are not permitted' : 'Input should be a valid value'
  const detail = [{ type: isExtra ? 'extra_forbidden' : 'value_error', loc, msg: message }]
  return {
    kind: 'invalid',
    status: 422,
    message,
    body: {
      object: 'error',
      message: { detail },
      type: 'invalid_request_error',
      param: null,
      code: null,
    },
  }
}

function isVariant(step: Step): step is { readonly variant: string } {
  return typeof step === 'object'
}

/** Reasoning models reject sampling settings. */
const REASONING_MODEL = /^(?:o\d|gpt-(?:[6-9]|5(?!.*chat)))/
const MAX_TEMPERATURE = 2

export function unsupported(wire: OpenaiWire, body: Fields): Invalid | undefined {
  const { temperature } = body
  if (typeof temperature === 'number' && temperature > MAX_TEMPERATURE) {
    const message = `Invalid 'temperature': decimal above maximum value. Expected a value <= ${MAX_TEMPERATURE}, but got ${temperature} instead.`
    return { kind: 'invalid', message, param: 'temperature', code: 'decimal_above_max_value' }
  }
  if (!REASONING_MODEL.test(readText(body.model) ?? '')) return undefined
  const isChat = wire === 'openai-chat'
  if (isChat && isGiven(temperature) && temperature !== 1) {
    const message = `Unsupported value: 'temperature' does not support ${String(temperature)} with this model. Only the default (1) value is supported.`
    return { kind: 'invalid', message, param: 'temperature', code: 'unsupported_value' }
  }
  const refused = isChat ? CHAT_ONLY_DEFAULT : ['temperature', 'top_p']
  const param = refused.find((name) => isGiven(body[name]))
  if (param === undefined) return undefined
  const instead = param === 'max_tokens' ? " Use 'max_completion_tokens' instead." : ''
  const message = `Unsupported parameter: '${param}' is not supported with this model.${instead}`
  return { kind: 'invalid', message, param, code: 'unsupported_parameter' }
}

const CHAT_ONLY_DEFAULT = ['max_tokens', 'top_p', 'presence_penalty', 'frequency_penalty', 'stop']

/** For a stateless API. */
export const NO_LINKS: Links = { ofRequest: () => [], ofAnswer: () => [], onward: () => [] }

const FIVE_MINUTES_MS = 5 * 60_000
const ONE_DAY_MS = 24 * 60 * 60_000

/** Writes to this cache are free and not reported. */
export function accountAutomatically(
  body: Fields,
  segments: readonly Segment[],
  inputTokens: number,
  cache: AutomaticCache,
  nowMs: number,
): CacheUsage {
  const keepMs = body.prompt_cache_retention === '24h' ? ONE_DAY_MS : FIVE_MINUTES_MS
  const readTokens = cache.account(readText(body.model) ?? '', segments, nowMs, keepMs)
  return {
    readTokens,
    writtenTokens: 0,
    writtenForHourTokens: 0,
    uncachedTokens: inputTokens - readTokens,
  }
}

/** Truncated or wrong arguments are not JSON: then they stay text. */
export function parsedJson(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}
