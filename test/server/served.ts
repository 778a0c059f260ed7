// An app over real HTTP, on a port of the loopback.
import { onTestFinished } from 'vitest'
import type { App } from '../../src/server/app.ts'
import { listen } from '../../src/server/http/listen.ts'

/** Its address, for as long as the test lasts. */
export async function served(app: App): Promise<string> {
  const listening = await listen(app, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => listening.close())
  return listening.url
}
