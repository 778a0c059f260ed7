// The frames of an answer that comes as running text: each stretch is given whole where it ends.
import { PrecisError } from '../../core/errors.ts'
import type { ModelFrame } from '../../core/model.ts'
import type { ModelRef } from '../../core/view/content.ts'

type Kind = 'text' | 'thinking'

/** At most one stretch is open; another kind closes it. */
export class Stretches {
  readonly #model: ModelRef
  #kind: Kind = 'text'
  #text = ''

  constructor(model: ModelRef) {
    this.#model = model
  }

  *add(kind: Kind, text: string): Generator<ModelFrame> {
    if (text === '') return
    if (kind !== this.#kind) yield* this.close()
    this.#kind = kind
    this.#text += text
    yield { type: kind === 'text' ? 'text-delta' : 'thinking-delta', text }
  }

  *close(): Generator<ModelFrame> {
    if (this.#text === '') return
    const text = this.#text
    this.#text = ''
    yield {
      type: 'part',
      part:
        this.#kind === 'text'
          ? { type: 'text', text }
          : { type: 'thinking', thinking: text, model: this.#model },
    }
  }
}

/** An answer that stopped without its end is invalid. */
export function cutOff(model: ModelRef): PrecisError {
  return new PrecisError('unreachable', 'The connection ended before the answer did.', {
    where: model,
    hint: 'Check the network, then try again.',
    retryable: true,
  })
}

/** Before the first frame, because a yielded frame rules out a second attempt. */
export async function* withRepairs(
  problems: readonly string[],
  frames: AsyncIterable<ModelFrame>,
): AsyncGenerator<ModelFrame> {
  let isFirst = true
  for await (const frame of frames) {
    if (isFirst && problems.length > 0) yield { type: 'repairs', problems }
    isFirst = false
    yield frame
  }
}

/** Servers that do not know a model's thinking format leave it in the text: <think>…</think> at its start. */
interface Said {
  readonly kind: 'thinking' | 'text'
  readonly text: string
}

const OPEN = '<think>'

const CLOSE = '</think>'

/** Splits streamed text. Holds back what could still become a tag. */
export class ThinkTags {
  #state: 'start' | 'inside' | 'thinking' | 'behind' | 'text' = 'start'
  #held = '';

  *push(piece: string): Generator<Said> {
    this.#held += piece
    if (this.#state === 'start') this.#begin()
    if (this.#state === 'inside') this.#skipBlanks('thinking')
    if (this.#state === 'thinking') yield* this.#think()
    if (this.#state === 'behind') this.#skipBlanks('text')
    if (this.#state === 'text') yield* this.#give('text', this.#held.length)
  }

  /** Yields the rest: an incomplete tag was text. */
  *end(): Generator<Said> {
    yield* this.#give(this.#state === 'thinking' ? 'thinking' : 'text', this.#held.length)
  }

  #begin(): void {
    const text = this.#held.trimStart()
    if (text.startsWith(OPEN)) {
      this.#state = 'inside'
      this.#held = text.slice(OPEN.length)
    } else if (!OPEN.startsWith(text)) this.#state = 'text'
  }

  *#think(): Generator<Said> {
    const end = this.#held.indexOf(CLOSE)
    if (end === -1) {
      yield* this.#give('thinking', this.#held.length - beginning(this.#held, CLOSE))
      return
    }
    yield* this.#give('thinking', end)
    this.#held = this.#held.slice(CLOSE.length)
    this.#state = 'behind'
  }

  /** Blanks after a tag belong to it. */
  #skipBlanks(next: 'thinking' | 'text'): void {
    this.#held = this.#held.trimStart()
    if (this.#held !== '') this.#state = next
  }

  *#give(kind: Said['kind'], chars: number): Generator<Said> {
    const text = this.#held.slice(0, chars)
    this.#held = this.#held.slice(chars)
    if (text !== '') yield { kind, text }
  }
}

/** The length of the tag's beginning at the end of the text. */
function beginning(text: string, tag: string): number {
  for (let chars = Math.min(tag.length - 1, text.length); chars > 0; chars -= 1)
    if (text.endsWith(tag.slice(0, chars))) return chars
  return 0
}
