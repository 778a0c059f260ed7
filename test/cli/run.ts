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
}

/** As a shell runs it in a pipe: no stream is a terminal. */
export async function runPrecis(
  args: readonly string[],
  { cwd, environment, input = '' }: RunIn,
): Promise<Ran> {
  const [stdout, stderr] = [new Collected(), new Collected()]
  const status = await main([process.execPath, PRECIS, ...args], {
    stdin: Readable.from([Buffer.from(input)]),
    stdout,
    stderr,
    environment,
    cwd,
    script: PRECIS,
    host: Object.assign(new EventEmitter(), { exit: refuseExit }),
  })
  return { status, stdout: stdout.text(), stderr: stderr.text() }
}

/** What was written, as one text. */
class Collected extends Writable {
  readonly #pieces: Buffer[] = []

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#pieces.push(piece)
    done()
  }

  text(): string {
    return Buffer.concat(this.#pieces).toString('utf8')
  }
}

function refuseExit(): never {
  throw new Error('a command that runs in this process must not end it')
}
