// Ids and tool names a wire accepts: legal, unique in a request, deterministic.
import type { Note } from './rounds.ts'

export interface IdRule {
  readonly maxChars: number
  /** Ids must have exactly this many letters and digits. */
  readonly exactChars?: number
  /** Must not start with a digit or dash. */
  readonly letterFirst?: boolean
}

/** Call ids on the wire, unique in a request. Rounds in a log may repeat theirs. */
export class WireIds {
  readonly #used = new Set<string>()
  #round = new Map<string, string>()
  readonly #rule: IdRule
  readonly #note: Note

  constructor(rule: IdRule, note: Note) {
    this.#rule = rule
    this.#note = note
  }

  nextAnswer(): void {
    this.#round = new Map()
  }

  of(id: string): string {
    const known = this.#round.get(id)
    if (known !== undefined) return known
    let wire = legalId(id, this.#rule)
    for (let count = 2; this.#used.has(wire); count += 1) wire = numbered(id, count, this.#rule)
    if (wire !== id) this.#note(`the call id ${JSON.stringify(id)} was written as ${wire}`)
    this.#used.add(wire)
    this.#round.set(id, wire)
    return wire
  }
}

const MAX_NAME_CHARS = 64

/** Tool names on the wire, and back for the calls of the answer. */
export class WireNames {
  readonly #wire = new Map<string, string>()
  readonly #original = new Map<string, string>()
  readonly #rule: IdRule
  readonly #note: Note

  constructor(note: Note, rule: Pick<IdRule, 'letterFirst'> = {}) {
    this.#rule = { ...rule, maxChars: MAX_NAME_CHARS }
    this.#note = note
  }

  of(name: string): string {
    const known = this.#wire.get(name)
    if (known !== undefined) return known
    let wire = legalId(name, this.#rule)
    for (let count = 2; this.#original.has(wire); count += 1)
      wire = numbered(name, count, this.#rule)
    if (wire !== name) this.#note(`the tool name ${JSON.stringify(name)} was written as ${wire}`)
    this.#wire.set(name, wire)
    this.#original.set(wire, name)
    return wire
  }

  originalOf(wire: string): string {
    return this.#original.get(wire) ?? wire
  }
}

function legalId(id: string, rule: IdRule): string {
  if (rule.exactChars !== undefined) return exactId(id, rule.exactChars)
  const plain = id.replace(/[^a-zA-Z0-9_-]/g, '_')
  const legal = rule.letterFirst && /^[0-9-]/.test(plain) ? `_${plain}` : plain
  if (legal === '') return 'unnamed'
  return legal.length <= rule.maxChars ? legal : shortened(legal, id, rule.maxChars)
}

function numbered(id: string, count: number, rule: IdRule): string {
  if (rule.exactChars !== undefined) return exactId(`${id} ${count}`, rule.exactChars)
  const suffix = `_${count}`
  return `${legalId(id, { ...rule, maxChars: rule.maxChars - suffix.length })}${suffix}`
}

/** The start of the id, to recognise it, and a digest of the whole, to distinguish it. */
function shortened(legal: string, id: string, maxChars: number): string {
  const digest = computeDigest(id)
  return `${legal.slice(0, maxChars - digest.length - 1)}_${digest}`
}

/** Keeps an id that fits; replaces any other by its digest. */
function exactId(id: string, chars: number): string {
  if (id.length === chars && /^[a-zA-Z0-9]+$/.test(id)) return id
  return computeDigest(id).padStart(chars, '0').slice(-chars)
}

const OFFSET = 0xcbf29ce484222325n

const PRIME = 0x100000001b3n

/** 64 bits of FNV-1a in base 36: short, and equal in every process. */
function computeDigest(text: string): string {
  let hash = OFFSET
  for (let index = 0; index < text.length; index += 1)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(index))) * PRIME)
  return hash.toString(36)
}
