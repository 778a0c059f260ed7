// Progress of long work on a terminal, and Ctrl-C, which says what is left behind and ends the program.
import type { Io } from '../process-io.ts'
import { writeStream } from './io.ts'
import { oneLine } from './terminal.ts'

const CODES = { SIGINT: 130, SIGTERM: 143 } as const
/** Removes the progress line. */
const CLEAR = '\r\u001b[K'

/** Writes in progress are completed first; a signal waits for them. */
export interface Stopping {
  hold(): void
  release(): void
}

/** `left` describes in a sentence what the work leaves behind if it ends now. */
export async function stoppable<Result>(
  { host, stderr }: Pick<Io, 'host' | 'stderr'>,
  left: () => string,
  work: (stopping: Stopping) => Promise<Result>,
): Promise<Result> {
  let [isHeld, isTold] = [false, false]
  let code: number | undefined
  const end = (exit: number) => {
    if (isTold) return
    isTold = true
    const line = `${stderr.isTTY ? CLEAR : ''}Stopped. ${left()}\n`
    const leave = () => host.exit(exit)
    writeStream(stderr, line).then(leave, leave)
  }
  const listeners = Object.entries(CODES).map(([signal, exit]) => {
    const hear = () => {
      if (code !== undefined) return host.exit(exit) // a second signal ends at once
      code = exit
      if (!isHeld) end(exit)
    }
    return [signal, hear] as const
  })
  for (const [signal, hear] of listeners) host.on(signal, hear)
  try {
    return await work({
      hold() {
        isHeld = true
      },
      release() {
        isHeld = false
        if (code !== undefined) end(code)
      },
    })
  } finally {
    for (const [signal, hear] of listeners) host.off(signal, hear)
  }
}

interface ProgressStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Shorter work shows nothing. */
const QUIET_MS = 1_000
const BETWEEN_MS = 100
const DEFAULT_COLUMNS = 80
/** Returns to the start of the line and clears it. */

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

  /** Shows the current work; a stage appears at once, steps only now and then. */
  say(text: string, of: 'stage' | 'step' = 'stage'): void {
    const now = this.#nowMs()
    if (!this.#stream.isTTY || now - this.#startMs < QUIET_MS) return
    if (of === 'step' && now - this.#shownMs < BETWEEN_MS) return
    this.#shownMs = now
    this.#isShown = true
    const columns = (this.#stream.columns ?? DEFAULT_COLUMNS) - 1
    this.#stream.write(`${CLEAR}${oneLine(text, columns)}`)
  }

  /** Shows a count, or a percentage if the total is known. */
  share(what: string, done: number, whole: number | undefined): void {
    const percent = whole ? ` ${Math.min(100, Math.floor((done / whole) * 100))} %` : ''
    this.say(`${what}${percent} …`, 'step')
  }

  /** Call it before writing anything else there. */
  end(): void {
    if (this.#isShown) this.#stream.write(CLEAR)
    this.#isShown = false
  }
}
