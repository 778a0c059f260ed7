// Checks a request against a provider's rules: every violation with id and place
import type { Json } from '../core/text/json.ts'
import { ANTHROPIC_RULES } from './anthropic/index.ts'
import { BACKEND_RULES } from './backends.ts'
import { GEMINI_RULES } from './gemini/index.ts'
import { OPENAI_CHAT_RULES } from './openai-chat/index.ts'
import { OPENAI_RESPONSES_RULES } from './openai-responses/index.ts'
import type { Exchange, Profile, Rule, Violation } from './rule.ts'

export interface ValidateOptions {
  /** What was sent and answered before, oldest first: some rules cannot be decided without it. */
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
 * The request is JSON of any shape; none makes this throw. The result is in the order of the places,
 * and empty if nothing is wrong that can be told from the request and what came before it.
 */
export function validate(
  profile: Profile,
  request: unknown,
  options: ValidateOptions = {},
): Violation[] {
  return applyRules(RULES_OF_WIRE[profile.wire], profile, request, options)
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
    .map((violation) => ({ violation, keys: keysOf(violation) }))
    .sort((a, b) => compareKeys(a.keys, b.keys))
    .map(({ violation }) => violation)
}

type Key = string | number

/** `messages[3].content` before `messages[12]`; at one place by the number of the rule. */
function keysOf({ where, id }: Violation): readonly Key[] {
  return [...partsOf(where), '', ...partsOf(id)]
}

function partsOf(text: string): readonly Key[] {
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
