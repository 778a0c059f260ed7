// `precis dev-model`: serves the stand-in until it is stopped
import { startDevModel } from '../../dev-model/index.ts'
import type { Io } from '../process-io.ts'
import { wholeNumber } from '../terminal/arguments.ts'
import { writeStream } from '../terminal/io.ts'
import { signals } from './serve.ts'

const HIGHEST_PORT = 65_535

export interface DevModelFlags {
  readonly port: string
  readonly window?: string
  readonly json?: boolean
}

export async function serveDevModel(flags: DevModelFlags, io: Io): Promise<void> {
  const port = wholeNumber(flags.port, '--port', 0, HIGHEST_PORT)
  const windowTokens =
    flags.window === undefined
      ? undefined
      : wholeNumber(flags.window, '--window', 1, Number.MAX_SAFE_INTEGER)
  const stopping = signals(io.host)
  const server = await startDevModel({ port, ...(windowTokens !== undefined && { windowTokens }) })
  await writeStream(
    io.stdout,
    flags.json
      ? `${JSON.stringify({ url: server.url })}\n`
      : `The stand-in model listens at ${server.url} (stop it with Ctrl-C). It is not a language model.\n`,
  )
  await stopping.first
  stopping.end()
  await server.close()
}
