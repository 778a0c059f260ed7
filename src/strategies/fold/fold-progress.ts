// The progress of a fold, stored with the thread under a fingerprint, so that an interrupted run continues.
import type { Scratch } from '../../core/edit/strategy.ts'
import { isFields, type Json } from '../../core/text/json.ts'
import type { FoldState } from './fold-agent.ts'

/** Two 32-bit hashes and the length: unique within a thread. */
class Fingerprint {
  #one = 0x811c9dc5
  #other = 0x9747b28c
  #length = 0

  /** Independent of how the text is split. */
  add(text: string): this {
    for (let at = 0; at < text.length; at += 1) this.#mix(text.charCodeAt(at))
    this.#length += text.length
    return this
  }

  /** Includes the boundary between two texts. */
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

/** The summary after some chunks: the text up to a place. */
export interface FoldedPart {
  readonly end: number // in characters
  readonly chunks: number
  readonly isLast: boolean // the last chunk asks for a final summary
  /** The chunk limit, if a request was too long. */
  readonly longestChars?: number
  readonly state: FoldState
}

/** Identified by its place in the text, so halves of a chunk are found as well. */
interface KeptPart extends FoldedPart {
  readonly print: string // of all text up to its end
}

/** A thread that has grown or was cut shares its earlier parts. */
const KEPT_PARTS = 8

export class FoldProgress {
  readonly #text: string
  readonly #key: string
  readonly #scratch: Scratch | undefined
  #parts: readonly KeptPart[] = []
  /** Of the text up to the last stored part: it only grows. */
  #print = { of: new Fingerprint(), upTo: 0 }

  /** `key` identifies the model and its instructions. */
  constructor(text: string, key: string, scratch: Scratch | undefined) {
    this.#text = text
    this.#key = key
    this.#scratch = scratch
  }

  /** The furthest part an earlier run finished for the same text. */
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

  /** The next run starts with the first chunk. */
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

/** Other values are ignored. */
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
