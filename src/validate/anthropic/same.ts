// Compares two parts of a conversation as the API does, which ignores some fields
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { type Exchange, type RuleInput, readFields, readList, readText } from '../walk.ts'
import { type Block, isThinking, type Message, readBlocks } from './conversation.ts'

/** One block and who said it. Turns need no border: where the role changes, there is one. */
export interface Step {
  readonly role: string
  readonly fields: Fields
}

/** Earlier thinking is no part of what a later block is bound to. */
export function stepsOfMessage({ role, blocks }: Message): readonly Step[] {
  return findSteps(role, blocks)
}

export function findSteps(role: string, blocks: readonly Block[]): readonly Step[] {
  return blocks.filter((block) => !isThinking(block)).map(({ fields }) => ({ role, fields }))
}

export function sameSteps(some: readonly Step[], others: readonly Step[]): boolean {
  return some.length === others.length && some.every((step, index) => sameStep(step, others[index]))
}

export function sameStep(step: Step, other: Step | undefined): boolean {
  return other !== undefined && step.role === other.role && sameJson(step.fields, other.fields)
}

/** Tools that are loaded later do not count. */
export function sameTools(some: Json | undefined, others: Json | undefined): boolean {
  return sameJson(loadedTools(some), loadedTools(others))
}

function loadedTools(tools: Json | undefined): readonly Json[] {
  return readList(tools).filter((tool) => !(isFields(tool) && tool.defer_loading === true))
}

/** A prompt that is a string is the same as one text block. */
export function sameSystem(some: Json | undefined, others: Json | undefined): boolean {
  return sameJson(systemList(some), systemList(others))
}

function systemList(system: Json | undefined): readonly Json[] {
  if (typeof system !== 'string') return readList(system)
  return system === '' ? [] : [{ type: 'text', text: system }]
}

/** What the tool's author wrote is compared to the letter. */
const EXACT = ['input', 'input_schema']

/** Compares without marks for the cache, and without fields that only spell out the default. */
export function sameJson(some: Json, others: Json): boolean {
  const waiting: { a: Json; b: Json; isExact: boolean }[] = [{ a: some, b: others, isExact: false }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { a, b, isExact } = next
    if (a === b) continue
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false
      for (const [index, item] of a.entries())
        waiting.push({ a: item, b: b[index] ?? null, isExact })
    } else if (isFields(a) && isFields(b)) {
      const keys = isExact ? Object.keys(a) : keysThatCount(a, b)
      const otherKeys = isExact ? Object.keys(b) : keysThatCount(b, a)
      if (keys.length !== otherKeys.length) return false
      for (const key of keys) {
        if (!Object.hasOwn(b, key)) return false
        const isExactBelow = isExact || EXACT.includes(key)
        waiting.push({ a: a[key] ?? null, b: b[key] ?? null, isExact: isExactBelow })
      }
    } else return false
  }
  return true
}

function keysThatCount(fields: Fields, other: Fields): readonly string[] {
  return Object.keys(fields).filter((key) => {
    const value = fields[key]
    if (value === undefined || value === null || key === 'cache_control') return false
    if (key === 'is_error') return value !== false
    if (key === 'caller') return !(isFields(value) && value.type === 'direct')
    // The API compares the bytes behind an address, which may change its name and stay the same.
    return !(key === 'url' && fields.type === 'url' && other.type === 'url')
  })
}

// Earlier exchanges, found by what their answers hold: calls, thinking, compactions, texts.

/** An answer, and the request that it answered. */
export interface Answered {
  readonly request: Json
  readonly stopReason: string | undefined
  readonly blocks: readonly Block[]
}

const histories = new WeakMap<RuleInput, History>()

/** For one validation the same to every rule. */
export function findHistory(input: RuleInput): History {
  const known = histories.get(input) ?? new History(input.earlier)
  histories.set(input, known)
  return known
}

export class History {
  readonly #byThinking = new Map<string, { answered: Answered; block: Block }>()
  readonly #byCall = new Map<string, Answered>()
  readonly #byCompaction = new Map<string, Answered>()
  /** Undefined if several answers say the same. */
  readonly #byText = new Map<string, Answered | undefined>()

  constructor(earlier: readonly Exchange[]) {
    for (const { request, answer } of earlier) {
      const fields: Fields = Array.isArray(answer) ? { content: answer } : readFields(answer)
      const blocks = readBlocks(fields, 'answer')
      this.#add({ request, stopReason: readText(fields.stop_reason), blocks })
    }
  }

  get isEmpty(): boolean {
    return this.#byText.size === 0
  }

  /** The answer that this thinking came with, whatever became of its text since. */
  ofThinking(block: Block): Answered | undefined {
    return this.#byThinking.get(thinkingKey(block) ?? '')?.answered
  }

  /** A thinking block as it was given. */
  originalOf(block: Block): Block | undefined {
    return this.#byThinking.get(thinkingKey(block) ?? '')?.block
  }

  ofCompaction(signature: string | undefined): Answered | undefined {
    return signature === undefined ? undefined : this.#byCompaction.get(signature)
  }

  /**
   * The answer that a message repeats: by its calls, its thinking, or a text that only it has. A call
   * that nobody here made is of another answer, whatever words it stands behind.
   */
  ofMessage({ blocks }: Pick<Message, 'blocks'>): Answered | undefined {
    for (const block of blocks) {
      const id = block.type === 'tool_use' ? readText(block.fields.id) : undefined
      const found = id === undefined ? this.ofThinking(block) : this.#byCall.get(id)
      if (found !== undefined) return found
    }
    if (blocks.some(({ type }) => type === 'tool_use')) return undefined
    const text = textIn(blocks)
    return text === '' ? undefined : this.#byText.get(text)
  }

  #add(answered: Answered): void {
    for (const block of answered.blocks) {
      const { type, fields } = block
      const id = readText(type === 'compaction' ? fields.signature : fields.id)
      const thinking = thinkingKey(block)
      if (thinking !== undefined) putFirst(this.#byThinking, thinking, { answered, block })
      else if (id !== undefined && type === 'tool_use') putFirst(this.#byCall, id, answered)
      else if (id !== undefined && type === 'compaction') {
        putFirst(this.#byCompaction, id, answered)
      }
    }
    const text = textIn(answered.blocks)
    this.#byText.set(text, this.#byText.has(text) ? undefined : answered)
  }
}

function putFirst<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (!map.has(key)) map.set(key, value)
}

/** What tells one thinking block from another; undefined for other blocks. */
export function thinkingKey(block: Block): string | undefined {
  if (!isThinking(block)) return undefined
  const { signature, data } = block.fields
  const key = readText(block.type === 'thinking' ? signature : data)
  return key === undefined || key === '' ? undefined : `${block.type} ${key}`
}

function textIn(blocks: readonly Block[]): string {
  return blocks
    .map(({ type, fields }) => (type === 'text' ? (readText(fields.text) ?? '') : ''))
    .join('')
}
