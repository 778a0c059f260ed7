// Fields that an Anthropic request must have, must not have, or may not combine.
import type { Fields, Json } from '../../core/text/json.ts'
import { fieldsOf, isGiven, listOf, textOf } from '../../validate/walk.ts'
import { type Finding, findingsIn } from '../schema.ts'
import type { Refusal } from '../wire-format.ts'
import type { Claude } from './claude.ts'
import { ANTHROPIC_REQUEST, ANTHROPIC_TOOL } from './fields.ts'
import { samplingProblems } from './sampling.ts'

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

/** Fields and kinds of blocks that the API does not know, bytes that are none, a name twice. */
function strange(body: Fields): readonly string[] {
  const tools = listOf(body.tools)
  const found = [
    ...findingsIn(ANTHROPIC_REQUEST, body),
    ...tools.flatMap((tool, index) =>
      isOwn(fieldsOf(tool)) ? [...findingsIn(ANTHROPIC_TOOL, tool, ['tools', index])] : [],
    ),
  ].map(inWords)
  const names = tools.flatMap((tool) => textOf(fieldsOf(tool).name) ?? [])
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
  const { type, budget_tokens } = fieldsOf(thinking)
  const choice = fieldsOf(tool_choice).type
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
      choice === undefined || listOf(tools).length > 0,
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
