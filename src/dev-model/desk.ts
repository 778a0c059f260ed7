// Everything that a request to the stand-in can meet: formats, faults, records, and what lasts.
import type { WireId } from './asked.ts'
import type { Faults } from './faults.ts'
import type { Recorder } from './recorder.ts'
import type { World } from './turn.ts'
import type { WireFormat } from './wire-format.ts'

export interface Desk extends World {
  readonly formats: Readonly<Record<WireId, WireFormat>>
  readonly faults: Faults
  readonly recorder: Recorder
  /** Absent: any key will do. */
  readonly apiKey: string | undefined
  /** Absent: every name is a model. */
  readonly models: readonly string[] | undefined
  readonly maxBodyBytes: number
  readonly pieceDelayMs: number
}
