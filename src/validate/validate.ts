// Checks a request against a provider's rules: every violation with id and place.
import { PrecisError } from '../core/errors.ts'
import { type Fields, isFields, type Json } from '../core/text/json.ts'
import { ANTHROPIC_RULES } from './anthropic/index.ts'
import { GEMINI_RULES } from './gemini/index.ts'
import { OPENAI_CHAT_RULES } from './openai-chat/index.ts'
import { findCalls, readMessages } from './openai-chat/tool-rounds.ts'
import { OPENAI_RESPONSES_RULES } from './openai-responses/index.ts'
import {
  type Exchange,
  type Profile,
  type Report,
  type Rule,
  type RuleInput,
  rule,
  type Violation,
} from './rule.ts'
import { readFields, readList } from './walk.ts'

/** If the models of a provider differ, the plain name means the strict reading. */
const ANTHROPIC = {
  wire: 'anthropic',
  preservedThinking: true,
  prefill: false,
  strict: true,
} as const
const CHAT = { wire: 'openai-chat', preservedThinking: false, prefill: false } as const

/** Named profiles for validation. For another model or account, spread one and change it. */
export const PROFILES = {
  /** The newest models: bound thinking, no prefill. */
  anthropic: { ...ANTHROPIC, systemMessages: true },
  /** Older models. `strict` stays: alternating roles are right everywhere. */
  'anthropic-legacy': { ...ANTHROPIC, preservedThinking: false, prefill: true },
  bedrock: { ...ANTHROPIC, backend: 'bedrock' },
  'openai-chat': { ...CHAT, strict: false },
  mistral: { ...CHAT, strict: true, backend: 'mistral' },
  deepseek: { ...CHAT, strict: true, backend: 'deepseek' },
  kimi: { ...CHAT, strict: true, backend: 'deepseek' },
  qwen: { ...CHAT, strict: true, backend: 'qwen' },
  'openai-responses': {
    wire: 'openai-responses',
    preservedThinking: false,
    prefill: false,
    strict: false,
  },
  gemini: { wire: 'gemini', preservedThinking: false, prefill: false, strict: false },
} as const satisfies Record<string, Profile>

const MISTRAL_ID = /^[a-zA-Z0-9]{9}$/

interface Block {
  readonly where: string // `messages[3].content[1]`
  readonly fields: Fields
}

/** An empty list of tools defines none; reported once, at the missing field. */
const toolsAreDefined = on('bedrock', 'VALID-O1', ({ request }, report) => {
  const { tools, toolConfig } = readFields(request)
  const isDefined = [tools, readFields(toolConfig).tools].some((list) => readList(list).length > 0)
  if (isDefined) return
  const blocks = readContents(request).flatMap(readBlocks)
  if (blocks.some(({ fields }) => isFields(fields.toolUse) || isFields(fields.toolResult))) {
    report('toolConfig', 'the conversation holds tool blocks, and toolConfig defines no tools')
  } else if (blocks.some(({ fields: { type } }) => type === 'tool_use' || type === 'tool_result')) {
    report('tools', 'the conversation holds tool blocks, and tools defines none')
  }
})

/** Read strictly: also in the system prompt and in tool results. Thinking may be empty. */
const textIsNotBlank = on('bedrock', 'VALID-O2', ({ request }, report) => {
  const fields = readFields(request)
  for (const content of [{ where: 'system', value: fields.system }, ...readContents(request)]) {
    reportBlank(content, report)
    for (const { where, fields: block } of readBlocks(content)) {
      const { content: value } = readFields(block.toolResult)
      reportBlank({ where: `${where}.content`, value: block.content }, report)
      reportBlank({ where: `${where}.toolResult.content`, value }, report)
    }
  }
})

const idsAreNineCharacters = on('mistral', 'VALID-O3', ({ request, profile }, report) => {
  let before: string | undefined
  for (const message of readMessages(request)) {
    const { where, role, fields } = message
    for (const call of findCalls(message)) checkMistralId(`${call.where}.id`, call.id, report)
    if (role === 'tool') checkMistralId(`${where}.tool_call_id`, fields.tool_call_id, report)
    // Only old models reject this.
    if (profile.strict && role === 'user' && before === 'tool') {
      report(where, 'an answer must stand between a tool message and the user')
    }
    before = role
  }
})

/**
 * The loop is everything after the last user message; strict backends (Kimi among them) require the field on
 * every message with calls. An empty text is enough. The request's own thinking setting overrides the
 * profile.
 */
const reasoningIsPassedBack = on('deepseek', 'VALID-O4', ({ request, profile }, report) => {
  const { type } = readFields(readFields(request).thinking)
  const isThinking = type === undefined ? profile.thinkingEnabled !== false : type !== 'disabled'
  if (!isThinking) return
  const messages = readMessages(request)
  const start = profile.strict ? -1 : messages.findLastIndex(({ role }) => role === 'user')
  for (const message of messages.slice(start + 1)) {
    if (findCalls(message).length > 0 && typeof message.fields.reasoning_content !== 'string') {
      report(`${message.where}.reasoning_content`, 'a message with calls keeps its reasoning')
    }
  }
})

const toolMessagesAreNamed = on('qwen', 'VALID-O5', ({ request }, report) => {
  for (const { where, role, fields } of readMessages(request)) {
    if (role !== 'tool' || (typeof fields.name === 'string' && fields.name !== '')) continue
    report(`${where}.name`, 'a tool message names its tool')
  }
})

/**
 * Rules of backends that speak another provider's wire format: VALID-O1 to -O5 of
 * docs/spec/valid.md. Bedrock is checked on the `anthropic` wire, in both shapes a body can have
 * there: that of Anthropic Messages (`tool_use`, `tools`) and that of Converse (`toolUse`,
 * `toolConfig.tools`). Mistral, DeepSeek (and Kimi, which goes by the same rule) and Qwen speak
 * Chat Completions.
 */
export const BACKEND_RULES: readonly Rule[] = [
  toolsAreDefined,
  textIsNotBlank,
  idsAreNineCharacters,
  reasoningIsPassedBack,
  toolMessagesAreNamed,
]

/** A rule for one backend only. */
function on(
  backend: NonNullable<Profile['backend']>,
  id: string,
  visit: (input: RuleInput, report: Report) => void,
): Rule {
  const wire = backend === 'bedrock' ? 'anthropic' : 'openai-chat'
  return rule(id, (input, report) => {
    if (input.profile.backend === backend && input.profile.wire === wire) visit(input, report)
  })
}

interface Place {
  readonly where: string
  readonly value: Json | undefined
}

function readContents(request: Json): readonly Place[] {
  return readList(readFields(request).messages).map((message, index) => ({
    where: `messages[${index}].content`,
    value: readFields(message).content,
  }))
}

function readBlocks({ where, value }: Place): readonly Block[] {
  return readList(value).map((block, index) => ({
    where: `${where}[${index}]`,
    fields: readFields(block),
  }))
}

/** Blank content, or content with blank blocks. */
function reportBlank(content: Place, report: Report): void {
  if (isBlank(content.value)) report(content.where, 'the text is blank')
  for (const { where, fields } of readBlocks(content)) {
    if (isBlank(fields.text)) report(`${where}.text`, 'the text is blank')
  }
}

function isBlank(value: Json | undefined): boolean {
  return typeof value === 'string' && !/\S/.test(value)
}

function checkMistralId(where: string, id: Json | undefined, report: Report): void {
  if (typeof id !== 'string' || !MISTRAL_ID.test(id)) {
    report(where, 'an id here has exactly nine letters and digits')
  }
}

export interface ValidateOptions {
  /** Earlier requests and answers, oldest first: some rules need them. */
  readonly earlier?: readonly Exchange[]
  /** Exact or estimated tokens of the whole request. */
  readonly requestTokens?: number
}

const RULES_OF_WIRE: Readonly<Record<Profile['wire'], readonly Rule[]>> = {
  anthropic: [...ANTHROPIC_RULES, ...BACKEND_RULES],
  'openai-chat': [...OPENAI_CHAT_RULES, ...BACKEND_RULES],
  'openai-responses': [...OPENAI_RESPONSES_RULES, ...BACKEND_RULES],
  gemini: [...GEMINI_RULES, ...BACKEND_RULES],
}

/**
 * Accepts JSON of any shape; throws only for an unknown profile. The result is sorted by place, and empty if
 * the request and its history show no problem.
 */
export function validate(
  profile: Profile,
  request: unknown,
  options: ValidateOptions = {},
): Violation[] {
  const rules = RULES_OF_WIRE[profile?.wire]
  if (rules) return applyRules(rules, profile, request, options)
  throw new PrecisError('invalid-input', 'validate: `profile` must be one of PROFILES.', {
    where: 'profile',
    hint: `validate(PROFILES.anthropic, request). Profiles: ${Object.keys(PROFILES).join(', ')}.`,
  })
}

/** With other rules than the profile's own. */
export function applyRules(
  rules: readonly Rule[],
  profile: Profile,
  request: unknown,
  options: ValidateOptions = {},
): Violation[] {
  const { earlier = [], requestTokens } = options
  const input = {
    request: (request ?? null) as Json,
    profile,
    earlier,
    ...(requestTokens !== undefined && { requestTokens }),
  }
  return rules
    .flatMap((rule) => rule.check(input))
    .map((violation) => ({ violation, keys: readKeys(violation) }))
    .sort((a, b) => compareKeys(a.keys, b.keys))
    .map(({ violation }) => violation)
}

type Key = string | number

/** `messages[3].content` before `messages[12]`; at one place by rule number. */
function readKeys({ where, id }: Violation): readonly Key[] {
  return [...readParts(where), '', ...readParts(id)]
}

function readParts(text: string): readonly Key[] {
  return (text.match(/\d+|[^\d.[\]]+/g) ?? []).map((part) => {
    const number = Number(part)
    return Number.isNaN(number) ? part : number
  })
}

function compareKeys(some: readonly Key[], others: readonly Key[]): number {
  const length = Math.min(some.length, others.length)
  for (let index = 0; index < length; index += 1) {
    const [a = '', b = ''] = [some[index], others[index]]
    if (a === b) continue
    if (typeof a === typeof b) return a < b ? -1 : 1
    return typeof a === 'number' ? -1 : 1
  }
  return some.length - others.length
}
