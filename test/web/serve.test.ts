// The page that `precis serve` hands out, as people start it: a process, its port, its built files.
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type DevModelOptions, startDevModel } from '../../src/dev-model/index.ts'
import { temporaryFolder } from '../server/folder.ts'
import { type ServeChild, startServe, writeHome } from '../server/serve-child.ts'
import { putBuiltPage } from './built-page.ts'
import { startChromium } from './chromium.ts'
import { CHROMIUM, complaintsOf } from './setup.ts'

const SAMPLE = fileURLToPath(new URL('../../samples/session.jsonl', import.meta.url))
/** What a browser says while the server is away. */
const UNREACHED = /Failed to load resource|net::ERR_/

describe.skipIf(!CHROMIUM.available)(`precis serve in a browser ${CHROMIUM.notice}`, () => {
  let browser: Browser | undefined
  beforeAll(async () => {
    await putBuiltPage()
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  async function setUp(options: DevModelOptions = {}) {
    const dev = await startDevModel(options)
    const folder = temporaryFolder()
    writeHome(folder, dev.url, 96_000)
    const children: ServeChild[] = []
    onTestFinished(async () => {
      for (const child of children) if (child.process.exitCode === null) await child.end('SIGKILL')
      await dev.close()
    })
    return {
      async serve(...args: string[]) {
        const child = await startServe(folder, args)
        children.push(child)
        return child
      },
      async open(url: string): Promise<Page> {
        if (!browser) throw new Error('the browser has not been started')
        const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
        const page = await context.newPage()
        const complaints = complaintsOf(page)
        onTestFinished(async () => {
          await context.close()
          expect(complaints.filter((text) => !UNREACHED.test(text))).toEqual([])
        })
        await page.goto(url)
        return page
      },
    }
  }

  it('imports, compacts with a changed summary, takes back, chats; and the next process goes on', async () => {
    const { serve, open } = await setUp({ pieceDelayMs: 10 })
    const child = await serve()
    const page = await open(child.pageUrl)
    await page.getByText('No threads yet').waitFor()
    await page.getByLabel(/Choose a file/).setInputFiles(SAMPLE)
    await page.getByRole('heading', { name: /double booking/ }).waitFor()
    await page.getByRole('img', { name: /Context size over \d+ points/ }).waitFor()

    // Previewed, edited, applied, compared, undone, found again.
    await page.getByRole('button', { name: 'Compact…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Compact this thread' })
    await dialog.getByLabel('Strategy').selectOption('extract')
    await dialog.getByText('Preview by extract').waitFor()
    const summary = dialog.locator('textarea').first()
    await summary.fill(`Put in by hand: heron.\n${await summary.inputValue()}`)
    await dialog.getByRole('button', { name: 'Compact', exact: true }).click()
    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByText(/Compacted by extract/).waitFor()
    await transcript.getByRole('button', { name: 'What was removed' }).click()
    await page.getByRole('region', { name: 'After' }).getByText('by hand: heron').first().waitFor()
    await page.locator('.head-line').getByRole('button', { name: 'Undo', exact: true }).click()
    await transcript.getByText(/Undone: compacted by extract/).waitFor()
    await page.getByRole('tab', { name: 'Recall' }).click()
    await page.getByLabel('Search query').fill('fuel pontoon')
    await page.getByLabel('Search query').press('Enter')
    await page.getByRole('list', { name: 'Found' }).locator('mark').first().waitFor()

    const message = page.getByLabel('Message')
    await message.fill('Say something')
    await message.press('Enter')
    await transcript.getByText('Say something').first().waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })

    // The token is in no place that a script, the history or the address bar could show.
    expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\/threads\//)
    const kept = 'JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie])'
    expect(await page.evaluate(kept)).toBe('[{},{},""]')

    // Stopped and started again at the same place: another process, so the page asks for the token.
    const { port } = new URL(child.url)
    expect(await child.end('SIGTERM')).toBe(0)
    const lost = page.getByRole('status').getByText('The connection is lost')
    await lost.waitFor()
    const next = await serve('--port', port)
    await page.getByLabel('Token', { exact: true }).waitFor()
    await page.goto(next.pageUrl)
    await page
      .getByRole('link', { name: /double booking/ })
      .first()
      .click()
    await message.fill('And after that')
    await message.press('Enter')
    await transcript.getByText('And after that').first().waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    expect(await next.end('SIGTERM')).toBe(0)
  })
})
