// Serves the stand-in model until the process is told to stop.
import { once } from 'node:events'
import { startDevModel } from '../dev-model/index.ts'
import { writeStream } from './io.ts'
import { wholeNumber } from './numbers.ts'

const HIGHEST_PORT = 65_535

export interface DevModelFlags {
  readonly port: string
  readonly window?: string
  readonly json?: boolean
}

export async function serveDevModel(flags: DevModelFlags): Promise<void> {
  const port = wholeNumber(flags.port, '--port', 0, HIGHEST_PORT)
  const windowTokens =
    flags.window === undefined
      ? undefined
      : wholeNumber(flags.window, '--window', 1, Number.MAX_SAFE_INTEGER)
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const server = await startDevModel({ port, ...(windowTokens !== undefined && { windowTokens }) })
  await writeStream(
    process.stdout,
    flags.json
      ? `${JSON.stringify({ url: server.url })}\n`
      : `The stand-in model listens at ${server.url} (stop it with Ctrl-C). It is no language model.\n`,
  )
  await stopped
  await server.close()
}
