// The real page in a real browser, on the real app over HTTP: the agent on SQLite, the stand-in as its model.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import type { App } from '../../src/server/app.ts'
import { requirement } from '../require.ts'
import { type AppSetup, type AppSetupOptions, setUpApp } from '../server/setup.ts'
import { within } from '../wait.ts'
import { builtPage } from './built-page.ts'
import { startChromium } from './chromium.ts'

export const CHROMIUM = requirement('chromium')

export interface PageSetup extends AppSetup {
  readonly url: string
  /** Opens the page, at a thread where one is given. Whatever its console complains of fails the test. */
  open(threadId?: string, options?: OpenOptions): Promise<Page>
  /** Takes the server off the network, and puts it back at the same address. */
  stopServing(): Promise<void>
  serveAgain(): Promise<void>
}
export interface OpenOptions extends BrowserContextOptions {
  /** Complaints that belong to what the test does. */
  readonly expected?: RegExp
}

/** For `describe`: one browser for all tests of a file. */
export function useBrowser(): (options?: AppSetupOptions) => Promise<PageSetup> {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())
  return async (options) => {
    if (!browser) throw new Error('the browser has not been started')
    return setUpPage(browser, options)
  }
}

async function setUpPage(browser: Browser, options: AppSetupOptions = {}): Promise<PageSetup> {
  const setup = await setUpApp({ ...options, page: await builtPage() })
  let serving = await startServing(setup.app, 0)
  const { port } = serving
  const url = `http://127.0.0.1:${port}`
  onTestFinished(() => serving.stop())
  return {
    ...setup,
    url,
    async open(threadId, { expected, ...contextOptions } = {}) {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        ...contextOptions,
      })
      const page = await context.newPage()
      const complaints = complaintsOf(page)
      onTestFinished(async () => {
        await context.close()
        expect(complaints.filter((text) => !expected?.test(text))).toEqual([])
      })
      await page.goto(`${url}/${threadId === undefined ? '' : `#/threads/${threadId}`}`)
      return page
    },
    stopServing: () => serving.stop(),
    async serveAgain() {
      serving = await startServing(setup.app, port)
    },
  }
}

/** Errors, warnings and violations of the page's policy all end here. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`))
  page.on('console', (message) => {
    const type = message.type()
    if (type === 'error' || type === 'warning') complaints.push(`${type}: ${message.text()}`)
  })
  return complaints
}

/** What axe finds that would keep somebody out. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = (await page.evaluate('axe.run()')) as axe.AxeResults
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}

async function startServing(app: App, port: number) {
  const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' })
  await within('the server to listen', once(server, 'listening'))
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await within('the end of the server', closed)
    },
  }
}
