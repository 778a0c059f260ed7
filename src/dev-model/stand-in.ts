// Everything that a request to the stand-in can meet: formats, faults, records, and what lasts.
import type { WireId } from './asked.ts'
import type { Faults } from './faults.ts'
import type { Recorder } from './recorder.ts'
import type { World } from './turn.ts'
import type { WireFormat } from './wire-format.ts'

type Formats = Readonly<Record<WireId, WireFormat>>

export interface Desk extends World {
  readonly formats: Formats
  /** How a server on the user's own machine takes requests. */
  readonly localFormats: Formats
  readonly faults: Faults
  readonly recorder: Recorder
  /** Absent: any key will do. */
  readonly apiKey: string | undefined
  readonly keyless: boolean
  /** Absent: every name is a model. */
  readonly models: readonly string[] | undefined
  readonly maxBodyBytes: number
  readonly pieceDelayMs: number
}
