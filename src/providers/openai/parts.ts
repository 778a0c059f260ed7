// The frames of an answer that comes as running text: each stretch is given whole where it ends.
import { PrecisError } from '../../core/errors.ts'
import type { ModelFrame } from '../../core/model.ts'
import type { ModelRef } from '../../core/view/content.ts'

type Kind = 'text' | 'thinking'

/** At most one stretch is open at a time; another kind closes it. */
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

/** An answer that stopped without its end is none. */
export function cutOff(model: ModelRef): PrecisError {
  return new PrecisError('unreachable', 'The connection ended before the answer did.', {
    where: model,
    hint: 'Check the network, then try again.',
    retryable: true,
  })
}

/** Only before the first frame: one that was given out rules out a second attempt. */
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
