// Faults on request: for the next requests, for one by a header, or by a line in the prompt.
import { PrecisError } from '../core/errors.ts'
import { nearestWord } from '../core/text/nearest-word.ts'

const FAULT_KINDS = [
  'overflow', // the provider's own «too long», whatever the size
  'stall', // silence before the answer or in the middle of a stream
  'cut-off', // the answer ends early, as with a low limit
  'empty', // an answer without content
  'refusal',
  'rate-limit',
  'overloaded',
  'server-error',
  'drop', // the connection is closed
  'truncate', // the oldest messages are silently dropped
] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

export interface Fault {
  readonly kind: FaultKind
  /**
   * Before the answer or in the middle of the stream. Default: depends on the kind; `drop` is in the middle.
   */
  readonly at?: 'start' | 'middle'
  /** Duration of a `stall`. */
  readonly ms?: number
  /** Wait requested by a `rate-limit`. */
  readonly retryAfterS?: number
  /** Tokens left by a `truncate`. */
  readonly windowTokens?: number
}

export interface FaultOrder extends Fault {
  /** Number of requests; default 1. */
  readonly times?: number
}

/** Must be a line of its own, so that texts about faults cause none. */
const IN_PROMPT = new RegExp(`^fault: *((?:${FAULT_KINDS.join('|')})(?: .*)?)$`, 'm')
const MAX_STALL_MS = 10 * 60_000

/** Orders are used in the order they were given. */
export class Faults {
  readonly #waiting: { fault: Fault; left: number }[] = []
  #asked: { text: string; left: number } | undefined

  order({ times = 1, ...fault }: FaultOrder): void {
    this.#waiting.push({ fault: checkedFault(fault), left: times })
  }

  /**
   * The fault for one request. A header applies to its own request. A line in the prompt applies until it has
   * occurred as often as it says; resending the same prompt does not repeat it.
   */
  take(header: string | undefined, prompt: string): Fault | undefined {
    if (header !== undefined) return parseFault(header)
    return this.#fromPrompt(prompt) ?? this.#fromOrders()
  }

  #fromOrders(): Fault | undefined {
    const first = this.#waiting[0]
    if (first === undefined) return undefined
    first.left -= 1
    if (first.left <= 0) this.#waiting.shift()
    return first.fault
  }

  #fromPrompt(prompt: string): Fault | undefined {
    const line = IN_PROMPT.exec(prompt)?.[1]
    if (line === undefined) {
      this.#asked = undefined
      return undefined
    }
    if (this.#asked?.text !== line) this.#asked = { text: line, left: timesIn(line) }
    if (this.#asked.left === 0) return undefined
    this.#asked.left -= 1
    return parseFault(line)
  }
}

/** `stall ms=500 at=middle`, `rate-limit retry-after=2`, `truncate tokens=100`. */
export function parseFault(text: string): Fault {
  const [kind = '', ...settings] = text.trim().split(/[\s;,]+/)
  const values = new Map(settings.map((each) => [each.split('=')[0], each.split('=')[1]]))
  const number = (name: string) => {
    const value = Number(values.get(name) ?? Number.NaN)
    return Number.isFinite(value) && value >= 0 ? value : undefined
  }
  const [ms, retryAfterS, windowTokens] = ['ms', 'retry-after', 'tokens'].map(number)
  const at = values.get('at')
  return checkedFault({
    kind: kind as FaultKind,
    ...((at === 'start' || at === 'middle') && { at }),
    ...(ms !== undefined && { ms }),
    ...(retryAfterS !== undefined && { retryAfterS }),
    ...(windowTokens !== undefined && { windowTokens }),
  })
}

function timesIn(line: string): number {
  return Number(/\btimes=(\d{1,4})\b/.exec(line)?.[1] ?? 1)
}

function checkedFault(fault: Fault): Fault {
  if (!FAULT_KINDS.includes(fault.kind)) {
    const near = nearestWord(fault.kind, FAULT_KINDS)
    throw new PrecisError('usage', `There is no fault called ${JSON.stringify(fault.kind)}.`, {
      hint: near === undefined ? `Known are: ${FAULT_KINDS.join(', ')}.` : `Did you mean ${near}?`,
    })
  }
  return fault.ms === undefined ? fault : { ...fault, ms: Math.min(fault.ms, MAX_STALL_MS) }
}
