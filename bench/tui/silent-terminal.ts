// A terminal that only counts what it is sent.
import { Writable } from 'node:stream'
import type { Terminal } from '@earendil-works/pi-tui'

export class SilentTerminal implements Terminal {
  readonly kittyProtocolActive = false
  readonly columns: number
  readonly rows: number
  bytes = 0

  constructor(columns: number, rows: number) {
    this.columns = columns
    this.rows = rows
  }

  write(data: string): void {
    this.bytes += Buffer.byteLength(data)
  }
  hideCursor(): void {
    this.write('\u001b[?25l')
  }
  showCursor(): void {
    this.write('\u001b[?25h')
  }
  readonly start = ignore
  readonly stop = ignore
  readonly moveBy = ignore
  readonly clearLine = ignore
  readonly clearFromCursor = ignore
  readonly clearScreen = ignore
  readonly setTitle = ignore
  readonly setProgress = ignore
  readonly drainInput = async () => ignore()
}

/** The same for libraries that write to a stream. */
export class SilentStream extends Writable {
  readonly columns: number
  readonly rows: number
  readonly isTTY = true
  bytes = 0

  constructor(columns: number, rows: number) {
    super()
    this.columns = columns
    this.rows = rows
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.bytes += chunk.length
    done()
  }
}

function ignore(): void {
  // Nobody looks at it.
}
