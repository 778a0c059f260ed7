// Earlier exchanges, found by the calls, thinking, compactions and texts of their answers.
import type { Fields, Json } from '../../core/text/json.ts'
import type { Exchange, RuleInput } from '../rule.ts'
import { readFields, readText } from '../walk.ts'
import { type Block, isThinking, type Message, readBlocks } from './conversation.ts'

/** An answer and its request. */
export interface Answered {
  readonly request: Json
  readonly stopReason: string | undefined
  readonly blocks: readonly Block[]
}

const histories = new WeakMap<RuleInput, History>()

/** Shared by all rules of one validation. */
export function findHistory(input: RuleInput): History {
  const known = histories.get(input) ?? new History(input.earlier)
  histories.set(input, known)
  return known
}

export class History {
  readonly #byThinking = new Map<string, { answered: Answered; block: Block }>()
  readonly #byCall = new Map<string, Answered>()
  readonly #byCompaction = new Map<string, Answered>()
  /** Undefined if several answers have the same text. */
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

  /** The answer this thinking came with, even if its text has changed. */
  ofThinking(block: Block): Answered | undefined {
    return this.#byThinking.get(thinkingKey(block) ?? '')?.answered
  }

  /** The original of a thinking block. */
  originalOf(block: Block): Block | undefined {
    return this.#byThinking.get(thinkingKey(block) ?? '')?.block
  }

  ofCompaction(signature: string | undefined): Answered | undefined {
    return signature === undefined ? undefined : this.#byCompaction.get(signature)
  }

  /**
   * The answer a message repeats: by its calls, its thinking, or a unique text. An unknown call means another
   * answer, whatever its text.
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

/** The identity of a thinking block; undefined for other blocks. */
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
