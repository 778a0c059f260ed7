// A rule of a provider: an id of docs/spec/valid.md and a check of one wire request.
import type { Json } from '../core/text/json.ts'
import { isWellFormed } from '../core/text/well-formed.ts'
import { eachString } from './walk.ts'

/**
 * The wire format of a request, and what depends on the model or account. An absent optional field means the
 * strict reading of its rule.
 */
export interface Profile {
  readonly wire: 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini'
  /** Thinking is bound to its prefix: a changed one makes every later block invalid (VALID-A13). */
  readonly preservedThinking: boolean
  /** The last message may be an unfinished answer (VALID-A10). */
  readonly prefill: boolean
  /** Backends that refuse what the original merges or forgives: roles must alternate, first and only one system message, blank text refused. */
  readonly strict: boolean
  /** For VALID-A19; above 200,000 a request may hold more images (VALID-A18). */
  readonly windowTokens?: number
  /** The answer ends at the window instead of being rejected (VALID-A19). */
  readonly stopsAtWindow?: boolean
  /** For requests that do not set it themselves (VALID-A12). */
  readonly thinkingEnabled?: boolean
  /** System messages may stand between others (VALID-A1, -A16). */
  readonly systemMessages?: boolean
  /** Maximum length of a tool name: 64, or 128 on newer models (VALID-A7). */
  readonly toolNameChars?: number
  /** Maximum body size; default 32 MB (VALID-A18). */
  readonly requestBytes?: number
  /** Other backends of the same wire format with their own rules (VALID-O1 to -O5). */
  readonly backend?: 'bedrock' | 'mistral' | 'deepseek' | 'qwen'
}

/** One rule broken at one place. */
export interface Violation {
  readonly id: string // `VALID-A4`
  readonly where: string // `messages[3].content[1]`
  readonly message: string
}

/** An earlier accepted request and its answer: what thinking is bound to. */
export interface Exchange {
  readonly request: Json
  readonly answer: Json
}

export interface RuleInput {
  readonly request: Json
  readonly profile: Profile
  readonly earlier: readonly Exchange[]
  /** Exact or estimated tokens of the whole request, if known. */
  readonly requestTokens?: number
}

/** Reports every place that breaks its rule. Never throws, whatever the request. */
export interface Rule {
  readonly id: string
  check(input: RuleInput): readonly Violation[]
}

export type Report = (where: string, message: string) => void

/** A rule from a visit that names each broken place. */
export function rule(id: string, visit: (input: RuleInput, report: Report) => void): Rule {
  return {
    id,
    check(input) {
      const found: Violation[] = []
      visit(input, (where, message) => found.push({ id, where, message }))
      return found
    },
  }
}

/** The rule is listed under Anthropic in docs/spec/valid.md; UTF-8 applies to all. */
export const textsAreWellFormed = rule('VALID-A21', ({ request }, report) => {
  if (isWellFormed(request)) return // usually true, and checked without computing places
  eachString(request, (text, place) => {
    if (!text.isWellFormed()) report(place() || 'request', 'half a character: a lone surrogate')
  })
})
