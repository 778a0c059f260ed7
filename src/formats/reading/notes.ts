// Collected while reading a file: problems, progress, and the destination of each record.

export interface Progress {
  readonly bytes: number
  readonly records: number
}

/** Where every record of a file went. The three sums add up to `records`. */
export interface Account {
  readonly records: number
  /** Became an event, or part of one. */
  readonly modelled: number
  /** Kept in the log but outside the context: reason → number. */
  readonly kept: ReadonlyMap<string, number>
  /** Dropped: reason → number. */
  readonly ignored: ReadonlyMap<string, number>
}

/** A million broken lines must not produce a million messages. */
const MAX_PROBLEMS = 100
const RECORDS_BETWEEN_PROGRESS = 1_000

export class ReadNotes {
  readonly #onProgress: ((progress: Progress) => void) | undefined
  readonly #problems = new Map<string, number>()
  readonly #kept = new Map<string, number>()
  readonly #ignored = new Map<string, number>()
  #unlisted = 0
  #bytes = 0
  #records = 0
  #modelled = 0

  constructor(onProgress?: (progress: Progress) => void) {
    this.#onProgress = onProgress
  }

  problem(sentence: string): void {
    const count = this.#problems.get(sentence)
    if (count === undefined && this.#problems.size >= MAX_PROBLEMS) this.#unlisted += 1
    else this.#problems.set(sentence, (count ?? 0) + 1)
  }

  /** Bytes may be read twice; progress counts the pass that creates events. */
  read(bytes: number): void {
    this.#bytes += bytes
    this.#onProgress?.({ bytes: this.#bytes, records: this.#records })
  }

  modelled(): void {
    this.#modelled += 1
    this.#counted()
  }

  kept(reason: string): void {
    this.#kept.set(reason, (this.#kept.get(reason) ?? 0) + 1)
    this.#counted()
  }

  ignored(reason: string): void {
    this.#ignored.set(reason, (this.#ignored.get(reason) ?? 0) + 1)
    this.#counted()
  }

  #counted(): void {
    this.#records += 1
    if (this.#records % RECORDS_BETWEEN_PROGRESS === 0)
      this.#onProgress?.({ bytes: this.#bytes, records: this.#records })
  }

  get problems(): string[] {
    const listed = [...this.#problems].map(([sentence, count]) =>
      count === 1 ? sentence : `${sentence} (${count} times)`,
    )
    return this.#unlisted === 0 ? listed : [...listed, `${this.#unlisted} more problems`]
  }

  get account(): Account {
    return {
      records: this.#records,
      modelled: this.#modelled,
      kept: this.#kept,
      ignored: this.#ignored,
    }
  }
}
