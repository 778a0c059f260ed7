// Required, forbidden and conflicting fields of an Anthropic request.
import type { Fields, Json } from '../../core/text/json.ts'
import type { Profile } from '../../validate/rule.ts'
import { PROFILES } from '../../validate/validate.ts'
import { isGiven, readFields, readList, readText } from '../../validate/walk.ts'
import { type Finding, findingsIn } from '../schema.ts'
import type { Refusal } from '../wire-format.ts'
import { ANTHROPIC_REQUEST, ANTHROPIC_TOOL } from './fields.ts'

const MIN_BUDGET_TOKENS = 1_024

export function shapeOfAnthropic(
  body: Fields,
  isCounting: boolean,
  claude: Claude,
): Refusal | undefined {
  const message = [
    ...missing(body, isCounting),
    ...misshapen(body),
    ...strange(body),
    ...uncombined(body),
    ...samplingProblems(body, claude),
  ][0]
  return message === undefined ? undefined : { kind: 'invalid', message }
}

function missing(body: Fields, isCounting: boolean): readonly string[] {
  const needed = isCounting ? ['model', 'messages'] : ['model', 'max_tokens', 'messages']
  return needed.filter((name) => !isGiven(body[name])).map((name) => `${name}: Field required`)
}

/** Unknown fields and blocks, invalid base64, duplicate names. */
function strange(body: Fields): readonly string[] {
  const tools = readList(body.tools)
  const found = [
    ...findingsIn(ANTHROPIC_REQUEST, body),
    ...tools.flatMap((tool, index) =>
      isOwn(readFields(tool)) ? [...findingsIn(ANTHROPIC_TOOL, tool, ['tools', index])] : [],
    ),
  ].map(inWords)
  const names = tools.flatMap((tool) => readText(readFields(tool).name) ?? [])
  return new Set(names).size === names.length
    ? found
    : [...found, 'tools: Tool names must be unique.']
}

function isOwn({ type }: Fields): boolean {
  return !isGiven(type) || type === 'custom'
}

function inWords(finding: Finding): string {
  const steps = finding.path.map((step) => (typeof step === 'object' ? step.variant : step))
  const place = steps.join('.')
  const holder = steps.slice(0, -1).join('.')
  switch (finding.what) {
    case 'unknown-field':
      return `${place}: Extra inputs are not permitted`
    case 'no-tag':
      return `${place}.${finding.by}: Field required`
    case 'no-bytes':
      return `${holder}: image cannot be empty`
    case 'bad-bytes':
      return `${holder}: invalid base64 data`
    case 'unknown-tag': {
      const known = finding.known.map((name) => `'${name}'`).sort()
      return `${place}: Input tag '${finding.tag}' found using '${finding.by}' does not match any of the expected tags: ${known.join(', ')}`
    }
  }
}

function misshapen(body: Fields): readonly string[] {
  const { model, messages, max_tokens, tools, system } = body
  return [
    ...unless(typeof model === 'string', 'model: Input should be a valid string'),
    ...unless(Array.isArray(messages), 'messages: Input should be a valid list'),
    ...unless(!isGiven(tools) || Array.isArray(tools), 'tools: Input should be a valid list'),
    ...unless(
      !isGiven(system) || typeof system === 'string' || Array.isArray(system),
      'system: Input should be a valid string or list',
    ),
    ...unless(
      !isGiven(max_tokens) || isCount(max_tokens),
      'max_tokens: Input should be greater than or equal to 1',
    ),
  ]
}

function uncombined({ thinking, tool_choice, tools, max_tokens }: Fields): readonly string[] {
  const { type, budget_tokens } = readFields(thinking)
  const choice = readFields(tool_choice).type
  const isEnabled = type === 'enabled'
  const budget = typeof budget_tokens === 'number' ? budget_tokens : 0
  const isForced = choice === 'any' || choice === 'tool'
  return [
    ...unless(
      !isEnabled || budget >= MIN_BUDGET_TOKENS,
      `thinking.enabled.budget_tokens: Input should be greater than or equal to ${MIN_BUDGET_TOKENS}`,
    ),
    ...unless(
      !isEnabled || typeof max_tokens !== 'number' || max_tokens > budget,
      '`max_tokens` must be greater than `thinking.budget_tokens`',
    ),
    ...unless(
      !isForced || !(isEnabled || type === 'adaptive'),
      'Thinking may not be enabled when tool_choice forces tool use.',
    ),
    ...unless(
      choice === undefined || readList(tools).length > 0,
      'tool_choice may only be specified while providing tools.',
    ),
  ]
}

function isCount(value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1
}

function unless(isFine: boolean, message: string): readonly string[] {
  return isFine ? [] : [message]
}

/** With thinking, only values of top_p near 1 are allowed. */
const MIN_TOP_P_WITH_THINKING = 0.95

/** Sampling and thinking rules of each Claude model, in the API's wording. */
function samplingProblems(body: Fields, claude: Claude): readonly string[] {
  return [
    ...outOfRange(body),
    ...(claude.refusesSampling ? refused(body) : []),
    ...(claude.oneSamplingField && isGiven(body.temperature) && isGiven(body.top_p)
      ? ['`temperature` and `top_p` cannot both be specified for this model. Please use only one.']
      : []),
    ...besideThinking(body),
    ...unknownThinking(body, claude),
  ]
}

function outOfRange({ temperature, top_p: topP }: Fields): readonly string[] {
  return [['temperature', temperature] as const, ['top_p', topP] as const].flatMap(
    ([name, value]) => {
      if (!isGiven(value)) return []
      if (typeof value !== 'number') return [`${name}: Input should be a valid number`]
      if (value < 0) return [`${name}: Input should be greater than or equal to 0`]
      return value > 1 ? [`${name}: Input should be less than or equal to 1`] : []
    },
  )
}

/** The default is accepted for old clients. */
function refused({ temperature, top_p: topP, top_k: topK }: Fields): readonly string[] {
  const given = [
    ...(isGiven(temperature) && temperature !== 1 ? ['temperature'] : []),
    ...(isGiven(topP) && topP !== 1 ? ['top_p'] : []),
    ...(isGiven(topK) ? ['top_k'] : []),
  ]
  return given.map((name) => `\`${name}\` is deprecated for this model.`)
}

function besideThinking(body: Fields): readonly string[] {
  const { type } = readFields(body.thinking)
  if (type !== 'enabled' && type !== 'adaptive') return []
  const { temperature, top_p: topP, top_k: topK } = body
  return [
    ...(isGiven(temperature) && temperature !== 1
      ? ['`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.']
      : []),
    ...(typeof topP === 'number' && topP < MIN_TOP_P_WITH_THINKING
      ? ['`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.']
      : []),
    ...(isGiven(topK) ? ['`top_k` must be unset when thinking is enabled.'] : []),
  ]
}

function unknownThinking({ thinking }: Fields, claude: Claude): readonly string[] {
  const { type } = readFields(thinking)
  if (type === 'adaptive' && !claude.thinking.includes('adaptive'))
    return ['adaptive thinking is not supported on this model']
  if (type === 'enabled' && !claude.thinking.includes('enabled'))
    return [
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    ]
  return []
}

/** Abilities of a Claude model by name: prefill, preserved thinking, sampling, kinds of thinking. */
interface Claude {
  readonly profile: Profile
  /** Rejects `temperature`, `top_p` and `top_k`, except for the default. */
  readonly refusesSampling: boolean
  /** `temperature` and `top_p` exclude each other. */
  readonly oneSamplingField: boolean
  readonly thinking: readonly ('enabled' | 'adaptive')[]
  /** A shorter prefix is silently not cached (VALID-A17). */
  readonly minCacheTokens: number
}

/** For `dev` and unknown names: the strict reading, and both kinds of thinking. */
const NEWEST: Claude = {
  profile: PROFILES.anthropic,
  refusesSampling: true,
  oneSamplingField: true,
  thinking: ['enabled', 'adaptive'],
  minCacheTokens: 1_024,
}

/** `claude-opus-4-5-20251101`, `claude-3-7-sonnet-latest`. */
const FAMILY_FIRST = /^claude-([a-z]+)-(\d)(?:-(\d))?(?:-\d{8}|-latest|@.*)?$/
const VERSION_FIRST = /^claude-(\d)(?:-(\d))?-([a-z]+)/

export function describeClaude(model: string): Claude {
  const [, family, major, minor = '0'] = FAMILY_FIRST.exec(model) ?? []
  const [, oldMajor, oldMinor = '0', oldFamily] = VERSION_FIRST.exec(model) ?? []
  const version = Number(`${major ?? oldMajor}.${major === undefined ? oldMinor : minor}`)
  if (Number.isNaN(version)) return NEWEST
  const isBound = version >= 5.5 || (family === 'fable' && version >= 5.1)
  const isPrefilled = version < 4.6
  return {
    profile: {
      ...(isBound ? PROFILES.anthropic : PROFILES['anthropic-legacy']),
      prefill: isPrefilled,
      systemMessages: isBound,
      windowTokens: version < 4.6 ? 200_000 : 1_000_000,
    },
    refusesSampling: version >= 4.7,
    oneSamplingField: version >= 4.1,
    thinking: readThinking(version),
    minCacheTokens: countMinCacheTokens(family ?? oldFamily ?? '', version),
  }
}

function countMinCacheTokens(family: string, version: number): number {
  if (family === 'haiku') return version < 4 ? 2_048 : 4_096
  if (family === 'opus' && version >= 4.5 && version < 4.8) return 4_096
  return version >= 5 && family !== 'sonnet' ? 512 : 1_024
}

function readThinking(version: number): Claude['thinking'] {
  if (version < 3.7) return []
  if (version < 4.6) return ['enabled']
  return version < 4.7 ? ['enabled', 'adaptive'] : ['adaptive']
}
