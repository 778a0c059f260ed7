// One event as the store in memory holds it: as JSON text, or as the very values that were appended.
import type { NewEvent } from '../../core/log/event.ts'
import type { Row } from '../../core/ports.ts'
import { isoTime } from '../rows/iso-time.ts'
import { type Cells, cellsOf, decodeRow } from '../rows/stored-event.ts'

export interface MemoryRow {
  readonly seq: number
  readonly id: string
  readonly timestamp: string // ISO 8601
  readonly isText: boolean
  /** As a database would keep it. */
  readonly cells: Cells
  /** As it is read in this thread: a fork shares the rows of its parent. */
  inThread(threadId: string): Row
}

export class TextRow implements MemoryRow {
  readonly isText = true
  readonly cells: Cells

  constructor(cells: Cells) {
    this.cells = cells
  }

  get seq(): number {
    return this.cells[0]
  }

  get id(): string {
    return this.cells[1]
  }

  get timestamp(): string {
    return this.cells[4]
  }

  inThread(threadId: string): Row {
    return decodeRow(threadId, this.cells)
  }
}

/** Nothing is written as JSON until somebody compares it or searches. */
export class ValueRow implements MemoryRow {
  readonly isText = false
  readonly seq: number
  readonly #event: NewEvent
  #cells: Cells | undefined

  constructor(seq: number, event: NewEvent) {
    this.seq = seq
    this.#event = event
  }

  get id(): string {
    return this.#event.id
  }

  get timestamp(): string {
    return isoTime(this.#event.timestamp)
  }

  get cells(): Cells {
    this.#cells ??= cellsOf(this.#event, this.seq)
    return this.#cells
  }

  inThread(threadId: string): Row {
    const { v, id, type, data, origin, source } = this.#event
    const { seq, timestamp } = this
    return {
      v,
      id,
      threadId,
      seq,
      timestamp,
      type,
      data,
      ...(origin !== undefined && { origin }),
      ...(source !== undefined && { source }),
    }
  }
}
