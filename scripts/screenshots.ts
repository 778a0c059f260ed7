// Makes the pictures of the page in docs/pictures: the sample session, imported and compacted, in a real browser.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import type { Page } from 'playwright-core'
import { compose } from '../src/compose.ts'
import { composeApp } from '../src/compose-app.ts'
import { resolveSettings } from '../src/core/settings/settings.ts'
import { createClient } from '../src/protocol/index.ts'
import { openStore } from '../src/stores/index.ts'
import { systemClock } from '../src/system.ts'
import { builtPage } from '../test/web/built-page.ts'
import { startChromium } from '../test/web/chromium.ts'

const PICTURES = fileURLToPath(new URL('../docs/pictures/', import.meta.url))
const SAMPLE = fileURLToPath(new URL('../samples/session.jsonl', import.meta.url))
const SIZE = { width: 1280, height: 760 }
const MESSAGES = [
  'Which of the two bookings was the wrong one, and what do we tell the boat?',
  'Now write the release note for the harbour office, in three sentences.',
]

const settings = resolveSettings([
  {
    origin: 'flag',
    where: 'the pictures',
    values: {
      models: { default: 'dev' },
      catalogue: { 'dev/dev': { windowTokens: 96_000, price: { input: 3, output: 15 } } },
    },
  },
])
const home = compose({
  store: await openStore('memory:'),
  settings: settings.settings,
  environment: {},
})
const { app, close } = composeApp(home, {
  settings,
  environment: {},
  version: '0.1.0',
  page: await builtPage(),
})
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
await once(server, 'listening')
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const browser = await startChromium()
try {
  const threadId = await importSample()
  await picture('light', threadId, async (page) => {
    await page.getByRole('button', { name: 'What it replaced' }).first().waitFor()
  })
  await picture('dark', threadId, async (page) => {
    await page.getByRole('tab', { name: 'Timeline' }).click()
    await page.getByRole('img', { name: /Context size/ }).waitFor()
  })
} finally {
  await browser.close()
  server.close()
  await close()
  await home.close()
}

async function importSample(): Promise<string> {
  const client = createClient({
    fetch: app.fetch,
    baseUrl: origin,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  })
  const { threadId } = await client.importThread(readFileSync(SAMPLE, 'utf8'))
  await client.compact(threadId, { strategy: 'extract' })
  for (const message of MESSAGES) {
    await client.send(threadId, message)
    while ((await client.thread(threadId)).isWorking) await systemClock.sleep(100)
  }
  return threadId
}

async function picture(
  colorScheme: 'light' | 'dark',
  threadId: string,
  show: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: SIZE, colorScheme, locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(`${origin}/#/threads/${threadId}`)
  await page.getByText('release note').last().waitFor()
  await show(page)
  await page.screenshot({ path: `${PICTURES}page-${colorScheme}.png` })
  await context.close()
}
