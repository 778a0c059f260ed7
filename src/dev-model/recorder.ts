// Records the requests to the stand-in: bodies, never keys.
import type { IncomingHttpHeaders } from 'node:http'
import type { Json } from '../core/text/json.ts'
import type { Violation } from '../validate/rule.ts'
import type { Asked, WireId } from './asked.ts'
import type { FaultKind } from './faults.ts'
import type { TurnUsage } from './wire-format.ts'

/** `open`: running. `aborted`: the client disconnected. `dropped`: a fault ended it. */
export type Outcome = 'open' | 'answered' | 'refused' | 'aborted' | 'dropped'

export interface RecordedRequest {
  readonly wire: WireId
  readonly path: string
  readonly at: Date
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
  /** The request as the model sees it; absent if it was rejected before. */
  readonly asked?: Asked
  /** All broken rules, even if a fault came first. */
  readonly violations: readonly Violation[]
  readonly outcome: Outcome
  readonly status?: number
  readonly usage?: TurnUsage
  readonly fault?: FaultKind
  /** Why the stand-in itself failed, for example a script that threw. */
  readonly failure?: string
}

/** The same while the request is running. */
export type Recording = { -readonly [Key in keyof RecordedRequest]: RecordedRequest[Key] }

/** The only headers kept: none can contain a key. */
const KEPT_HEADERS = ['anthropic-beta', 'anthropic-version', 'content-type', 'user-agent']

const MAX_REQUESTS = 1_000

const MAX_CHARS = 100_000_000

export class Recorder {
  readonly #kept: { recording: Recording; chars: number }[] = []
  #chars = 0

  get requests(): readonly RecordedRequest[] {
    return this.#kept.map(({ recording }) => recording)
  }

  start(
    wire: WireId,
    path: string,
    at: Date,
    headers: IncomingHttpHeaders,
    body: { value: Json; chars: number },
  ): Recording {
    const recording: Recording = {
      wire,
      path,
      at,
      headers: keptHeaders(headers),
      body: body.value,
      violations: [],
      outcome: 'open',
    }
    this.#kept.push({ recording, chars: body.chars })
    this.#chars += body.chars
    while (this.#kept.length > MAX_REQUESTS || (this.#chars > MAX_CHARS && this.#kept.length > 1)) {
      this.#chars -= this.#kept.shift()?.chars ?? 0
    }
    return recording
  }
}

function keptHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}
