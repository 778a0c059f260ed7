// Runs `precis` in this process: its streams as texts, its exit code, and nothing of the process itself.
import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { main } from '../../src/cli/main.ts'
import type { Io } from '../../src/cli/process-io.ts'

export const PRECIS = fileURLToPath(new URL('../../bin/precis.js', import.meta.url))

export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunIn {
  readonly cwd: string
  readonly environment: Io['environment']
  readonly input?: string | Buffer
  /** Standard output and error are a terminal that is so wide; without it, pipes. */
  readonly columns?: number
  readonly host?: Io['host']
  /** Called with each piece of standard output. */
  readonly onOutput?: (piece: string) => void
  /** Called with each piece of standard error. */
  readonly onError?: (piece: string) => void
}

export async function runPrecis(
  args: readonly string[],
  { cwd, environment, input = '', columns, host = quietHost(), onOutput, onError }: RunIn,
): Promise<Ran> {
  const [stdout, stderr] = [new Collected(columns, onOutput), new Collected(columns, onError)]
  const status = await main([process.execPath, PRECIS, ...args], {
    stdin: Readable.from([Buffer.from(input)]),
    stdout,
    stderr,
    environment,
    cwd,
    script: PRECIS,
    host,
  })
  return { status, stdout: stdout.text(), stderr: stderr.text() }
}

/** What was written, as one text. */
class Collected extends Writable {
  readonly isTTY: boolean
  readonly columns: number
  readonly #pieces: Buffer[] = []
  readonly #onPiece: ((piece: string) => void) | undefined

  constructor(columns?: number, onPiece?: (piece: string) => void) {
    super()
    this.isTTY = columns !== undefined
    this.columns = columns ?? 0
    this.#onPiece = onPiece
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#pieces.push(piece)
    this.#onPiece?.(piece.toString('utf8'))
    done()
  }

  text(): string {
    return Buffer.concat(this.#pieces).toString('utf8')
  }
}

/** Sends no signal by itself. */
export function quietHost(): Io['host'] {
  return Object.assign(new EventEmitter(), { exit: refuseExit })
}

function refuseExit(): never {
  throw new Error('a command that runs in this process must not end it')
}
