// A reply without a wire format: ordered parts, cut to the output limit.
import type { Json } from '../core/text/json.ts'
import { cutHead } from '../core/window/tokens/cut.ts'
import { estimateTokens } from '../core/window/tokens/estimate.ts'
import type { Asked } from './asked.ts'
import type { Fault } from './faults.ts'
import { readId } from './seal.ts'

/** Why an answer ended; each wire format has its own words. */
export type Ending =
  | 'end'
  | 'tool_use'
  | 'length'
  | 'refusal'
  | 'window'
  | 'stop_sequence'
  | 'pause'

export interface AnswerCall {
  readonly name: string
  readonly arguments: Json
  readonly id?: string // generated if absent
}

/** One answer of a script. `parts` sets the order; default: thinking, text, calls. */
export interface ScriptedAnswer {
  readonly thinking?: string
  readonly text?: string
  readonly calls?: readonly AnswerCall[]
  readonly parts?: readonly ScriptedPart[]
  readonly stopReason?: Ending
  /** The fault of this answer, as if ordered for the request. */
  readonly fault?: Fault
}

export type ScriptedPart =
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: AnswerCall }

export type ReplyPart =
  | { readonly type: 'thinking'; readonly thinking: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'call'
      readonly id: string
      readonly name: string
      readonly arguments: string // JSON text; truncated with the answer
    }

export interface Reply {
  readonly parts: readonly ReplyPart[]
  readonly ending: Ending
  readonly stopSequence?: string
  readonly outputTokens: number
  readonly reasoningTokens: number
}

/** The provider's overhead per part. */
const PART_TOKENS = 3

/** Ids derive from the request (`seed`), so the same request gets the same answer. */
export function replyFrom(answer: ScriptedAnswer, asked: Asked, seed: string): Reply {
  const parts = readParts(answer).map((part, index) => finishPart(part, seed, index))
  const calls = parts.some(({ type }) => type === 'call')
  const ending = answer.stopReason ?? (calls ? 'tool_use' : 'end')
  return limited(stopped(weighed(parts, ending), asked), asked)
}

/** The same reply cut at about half, as with a low `max_tokens`. */
export function cutOff(reply: Reply): Reply {
  return limitedTo(reply, Math.max(1, Math.floor(reply.outputTokens / 2)), 'length')
}

function weighed(parts: readonly ReplyPart[], ending: Ending, stopSequence?: string): Reply {
  const tokens = parts.map(countTokens)
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
  return {
    parts,
    ending,
    ...(stopSequence !== undefined && { stopSequence }),
    outputTokens: Math.max(1, sum(tokens)),
    reasoningTokens: sum(tokens.filter((_, index) => isThinking(parts[index]))),
  }
}

/** Its text or thinking, joined. */
export function textOfKind({ parts }: Reply, kind: 'text' | 'thinking'): string {
  return parts
    .flatMap((part) => {
      if (part.type !== kind) return []
      return [part.type === 'text' ? part.text : part.thinking]
    })
    .join('')
}

function readParts({ parts, thinking, text, calls = [] }: ScriptedAnswer): readonly ScriptedPart[] {
  if (parts !== undefined) return parts
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking } as const]),
    ...(text === undefined || text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map((call) => ({ type: 'call', call }) as const),
  ]
}

function finishPart(part: ScriptedPart, seed: string, index: number): ReplyPart {
  if (part.type !== 'call') return part
  const { id, name, arguments: value } = part.call
  return {
    type: 'call',
    id: id ?? readId('', seed, 'call', String(index)),
    name,
    arguments: JSON.stringify(value),
  }
}

/** Ends the text at the first stop sequence. */
function stopped(reply: Reply, { stopSequences }: Asked): Reply {
  const kept: ReplyPart[] = []
  for (const part of reply.parts) {
    if (part.type !== 'text') {
      kept.push(part)
      continue
    }
    const found = stopSequences
      .map((sequence) => ({ sequence, at: part.text.indexOf(sequence) }))
      .filter(({ sequence, at }) => sequence !== '' && at >= 0)
      .sort((one, other) => one.at - other.at)[0]
    if (found === undefined) {
      kept.push(part)
      continue
    }
    if (found.at > 0) kept.push({ type: 'text', text: part.text.slice(0, found.at) })
    return weighed(kept, 'stop_sequence', found.sequence)
  }
  return reply
}

function limited(reply: Reply, { maxOutputTokens }: Asked): Reply {
  if (maxOutputTokens === undefined) return reply
  return limitedTo(reply, maxOutputTokens, 'length')
}

/** At most `maxTokens`; cuts in the middle of a text or of a call's arguments. */
export function limitedTo(reply: Reply, maxTokens: number, ending: Ending): Reply {
  if (reply.outputTokens <= maxTokens) return reply
  const kept: ReplyPart[] = []
  let left = maxTokens
  for (const part of reply.parts) {
    const tokens = countTokens(part)
    if (tokens <= left) {
      kept.push(part)
      left -= tokens
      continue
    }
    const piece = cutPart(part, left - PART_TOKENS)
    if (piece !== undefined) kept.push(piece)
    break
  }
  return { ...weighed(kept, ending), outputTokens: Math.max(1, maxTokens) }
}

function cutPart(part: ReplyPart, tokens: number): ReplyPart | undefined {
  switch (part.type) {
    case 'text': {
      const text = cutToTokens(part.text, tokens)
      return text.trim() === '' ? undefined : { ...part, text }
    }
    case 'thinking':
      return { ...part, thinking: cutToTokens(part.thinking, tokens) }
    case 'call': {
      const left = tokens - estimateTokens(part.name)
      return left < 0 ? undefined : { ...part, arguments: cutToTokens(part.arguments, left) }
    }
    case 'redacted_thinking':
      return undefined
  }
}

/** The longest prefix within the limit, by bisection. */
function cutToTokens(text: string, tokens: number): string {
  let [fits, tooLong] = [0, text.length + 1]
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2)
    if (estimateTokens(cutHead(text, middle)) <= tokens) fits = middle
    else tooLong = middle
  }
  return cutHead(text, fits)
}

function countTokens(part: ReplyPart): number {
  switch (part.type) {
    case 'text':
      return estimateTokens(part.text) + PART_TOKENS
    case 'thinking':
      return estimateTokens(part.thinking) + PART_TOKENS
    case 'redacted_thinking':
      return estimateTokens(part.data) + PART_TOKENS
    case 'call':
      return estimateTokens(part.name) + estimateTokens(part.arguments) + PART_TOKENS
  }
}

function isThinking(part: ReplyPart | undefined): boolean {
  return part?.type === 'thinking' || part?.type === 'redacted_thinking'
}
