// A line of the conversation; lines share data, since a million tokens have a hundred thousand
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import type { Author } from './vocabulary.ts'

export type LineKind = 'said' | 'head' | 'argument' | 'result'

/** A text of the conversation, for all lines that were cut from it. */
export interface LineSource {
  readonly seq: number // of its event
  readonly group: number
  readonly kind: LineKind
  readonly author: Author
  readonly text: string
}

export class Line {
  readonly of: LineSource
  readonly text: string
  readonly from: number // where it begins in its source
  readonly firstTerm: number
  readonly termCount: number
  readonly tokens: number
  isRepeated: boolean // a later line says the same

  constructor(of: LineSource, text: string, from: number, firstTerm: number, termCount: number) {
    this.of = of
    this.text = text
    this.from = from
    this.firstTerm = firstTerm // in `Digest.terms`: what it names
    this.termCount = termCount
    this.tokens = estimateTokens(text)
    this.isRepeated = false
  }

  get seq(): number {
    return this.of.seq
  }

  get group(): number {
    return this.of.group
  }

  get kind(): LineKind {
    return this.of.kind
  }
}
