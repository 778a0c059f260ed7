// A progress line on the terminal, for work that takes long; erased at the end
import { oneLine } from './terminal.ts'

export interface ProgressStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** What takes less time needs no word. */
const QUIET_MS = 1_000
const BETWEEN_MS = 100
const DEFAULT_COLUMNS = 80
/** Back to the start of the line, and the line is empty. */
const CLEAR = '\r\u001b[K'

export class ProgressLine {
  readonly #stream: ProgressStream
  readonly #nowMs: () => number
  readonly #startMs: number
  #shownMs = 0
  #isShown = false

  constructor(stream: ProgressStream, nowMs: () => number = () => performance.now()) {
    this.#stream = stream
    this.#nowMs = nowMs
    this.#startMs = nowMs()
  }

  /** Says what is done now; a stage of its own is shown at once, a step of one now and then. */
  say(text: string, of: 'stage' | 'step' = 'stage'): void {
    const now = this.#nowMs()
    if (!this.#stream.isTTY || now - this.#startMs < QUIET_MS) return
    if (of === 'step' && now - this.#shownMs < BETWEEN_MS) return
    this.#shownMs = now
    this.#isShown = true
    const columns = (this.#stream.columns ?? DEFAULT_COLUMNS) - 1
    this.#stream.write(`${CLEAR}${oneLine(text, columns)}`)
  }

  /** So many of so many, as a share where the whole is known. */
  share(what: string, done: number, whole: number | undefined): void {
    const percent = whole ? ` ${Math.min(100, Math.floor((done / whole) * 100))} %` : ''
    this.say(`${what}${percent} …`, 'step')
  }

  /** Call it before anything else is written there. */
  end(): void {
    if (this.#isShown) this.#stream.write(CLEAR)
    this.#isShown = false
  }
}
