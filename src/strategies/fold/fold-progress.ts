// The progress of a fold, stored with the thread under a fingerprint, so that an interrupted run continues
import type { Scratch } from '../../core/edit/strategy.ts'
import { isFields, type Json } from '../../core/text/json.ts'
import type { FoldState } from './fold-agent.ts'

/** Two hashes of 32 bits and the length: two texts of one thread do not meet by chance. */
class Fingerprint {
  #one = 0x811c9dc5
  #other = 0x9747b28c
  #length = 0

  /** In whatever pieces a text is added, its value is the same. */
  add(text: string): this {
    for (let at = 0; at < text.length; at += 1) this.#mix(text.charCodeAt(at))
    this.#length += text.length
    return this
  }

  /** Where one text ends and the next begins is a part of it. */
  end(): this {
    this.#mix(this.#length)
    return this
  }

  get value(): string {
    return [this.#one, this.#other, this.#length].map((part) => (part >>> 0).toString(36)).join('-')
  }

  #mix(unit: number): void {
    this.#one = Math.imul(this.#one ^ unit, 0x01000193)
    this.#other = Math.imul((this.#other << 7) ^ (this.#other >>> 25) ^ unit, 0x5bd1e995)
  }
}

export function fingerprint(...texts: readonly string[]): string {
  const print = new Fingerprint()
  for (const text of texts) print.add(text).end()
  return print.value
}

/** The summary after so many chunks, which are the text up to some place. */
export interface FoldedPart {
  readonly end: number // in characters of the text
  readonly chunks: number
  readonly isLast: boolean // the last chunk is asked for a final summary
  /** What a chunk may have, where a request was found to be too long. */
  readonly longestChars?: number
  readonly state: FoldState
}

/** By its place in the text, not by how it was cut: halves of a chunk are found again as well. */
interface KeptPart extends FoldedPart {
  readonly print: string // of all text up to its end
}

/** A thread that has grown, or that was cut shorter since, shares what came before. */
const KEPT_PARTS = 8

export class FoldProgress {
  readonly #text: string
  readonly #key: string
  readonly #scratch: Scratch | undefined
  #parts: readonly KeptPart[] = []
  /** Of the text up to the part that was kept last: it only grows from there. */
  #print = { of: new Fingerprint(), upTo: 0 }

  /** `key` stands for who folds, and what they are told besides the text. */
  constructor(text: string, key: string, scratch: Scratch | undefined) {
    this.#text = text
    this.#key = key
    this.#scratch = scratch
  }

  /** The furthest part that an earlier run has finished of the same text. */
  async earlier(): Promise<FoldedPart | undefined> {
    const stored = await this.#scratch?.get(this.#key)
    this.#parts = (Array.isArray(stored) ? stored : []).flatMap((json: Json) => readPart(json))
    const prints = this.#printsAt(this.#parts.map(({ end }) => end))
    return this.#parts
      .filter(({ end, print, isLast }) => {
        const isFinal = isLast || end < this.#text.length
        return isFinal && prints.get(end) === print
      })
      .toSorted((a, b) => a.end - b.end)
      .at(-1)
  }

  async keep(part: FoldedPart): Promise<void> {
    const print = this.#printUpTo(part.end)
    const others = this.#parts.filter(({ end }) => end !== part.end)
    this.#parts = [...others, { ...part, print }].slice(-KEPT_PARTS)
    await this.#scratch?.set(this.#key, this.#parts.map(asJson))
  }

  /** The next run begins with the first chunk. */
  async forget(): Promise<void> {
    this.#parts = []
    await this.#scratch?.set(this.#key, [])
  }

  #printUpTo(end: number): string {
    const { of, upTo } = this.#print
    of.add(this.#text.slice(upTo, end))
    this.#print = { of, upTo: end }
    return of.value
  }

  #printsAt(ends: readonly number[]): ReadonlyMap<number, string> {
    const print = new Fingerprint()
    const prints = new Map<number, string>()
    let at = 0
    for (const end of ends.toSorted((a, b) => a - b)) {
      if (end > this.#text.length) break
      print.add(this.#text.slice(at, end))
      prints.set(end, print.value)
      at = end
    }
    return prints
  }
}

function asJson({ state, end, chunks, isLast, longestChars, print }: KeptPart): Json {
  const { summary, registers, nextSavedId } = state
  return {
    end,
    chunks,
    isLast,
    ...(longestChars !== undefined && { longestChars }),
    print,
    summary,
    registers: registers.map(([name, text]) => [name, text]),
    nextSavedId,
  }
}

/** Whatever is no such part is as good as nothing. */
function readPart(json: Json): KeptPart[] {
  if (!isFields(json)) return []
  const { end, chunks, isLast, longestChars, print, summary, registers, nextSavedId } = json
  if (!isCount(end) || !isCount(chunks) || !isCount(nextSavedId)) return []
  if (typeof print !== 'string' || typeof summary !== 'string' || summary === '') return []
  const pairs = (Array.isArray(registers) ? registers : []).flatMap((pair: Json) => {
    const [name, text] = Array.isArray(pair) ? pair : []
    return typeof name === 'string' && typeof text === 'string' ? [[name, text] as const] : []
  })
  return [
    {
      end,
      chunks,
      isLast: isLast === true,
      ...(isCount(longestChars) && { longestChars }),
      print,
      state: { summary, registers: pairs, nextSavedId },
    },
  ]
}

function isCount(json: Json | undefined): json is number {
  return typeof json === 'number' && Number.isInteger(json) && json > 0
}
