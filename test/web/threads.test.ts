// The list of threads in the page: it keeps what was shown, says what is so, and follows what happens.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { CHROMIUM, useBrowser } from './setup.ts'

const SAMPLE = fileURLToPath(new URL('../../samples/session.jsonl', import.meta.url))

describe.skipIf(!CHROMIUM.available)(`the list of threads ${CHROMIUM.notice}`, () => {
  const setUp = useBrowser()

  it('keeps further pages when one of their threads is opened', async () => {
    const { open, home } = await setUp()
    for (let at = 0; at < 60; at += 1) await home.threads.create({ title: `Thread ${at}` })
    const page = await open()
    const links = page.getByRole('navigation', { name: 'Threads' }).getByRole('listitem')
    await page.getByRole('button', { name: 'More' }).click()
    await links.getByText('Thread 0', { exact: true }).click()
    await page.getByRole('heading', { name: 'Thread 0' }).waitFor()
    // Read anew since: another that was begun meanwhile stands at the top.
    await home.threads.create({ title: 'A later one' })
    await page.getByLabel('Message').fill('/strategy')
    await page.getByLabel('Message').press('Enter')
    await links.getByText('A later one').waitFor()
    expect(await links.count()).toBeGreaterThanOrEqual(60)
    await page.locator('[aria-current=page]').getByText('Thread 0', { exact: true }).waitFor()
  })

  it('has an import at the top by when it came, and the open thread in sight, whatever their dates', async () => {
    const { open, home, client } = await setUp()
    const old = await home.threads.create({ title: 'Long ago', timestamp: new Date(0) })
    for (let at = 0; at < 60; at += 1) await home.threads.create({ title: `Thread ${at}` })
    const { threadId } = await client.importThread(readFileSync(SAMPLE, 'utf8'))
    const page = await open(old)
    const links = page.getByRole('navigation', { name: 'Threads' }).getByRole('listitem')
    const current = page.locator('[aria-current=page]').getByText('Long ago')
    await current.waitFor()
    const first = links.filter({ hasText: 'imported' })
    expect(await first.getByRole('link').getAttribute('href')).toContain(threadId)
    expect(await first.getAttribute('data-new')).toBe('true')
    expect(await links.nth(1).innerText()).toBe(await first.innerText())
    const { y = 0 } = (await current.boundingBox()) ?? {}
    expect(y).toBeLessThan(800)
  })

  it('calls a new thread what is said in it, as soon as it is said', async () => {
    const { open } = await setUp()
    const page = await open()
    await page.getByRole('button', { name: 'New thread' }).click()
    await page.getByRole('heading', { name: 'Untitled' }).waitFor()
    const current = page.locator('[aria-current=page]')
    await current.getByText('Untitled').waitFor()
    await page.getByLabel('Message').fill('Which boat is it?')
    await page.getByLabel('Message').press('Enter')
    await current.getByText('Which boat is it?').waitFor()
  })

  it('leads to another thread and back, and what was being typed is still there', async () => {
    const { open, client, dev } = await setUp()
    const { threadId } = await client.createThread({ title: 'One' })
    await client.createThread({ title: 'Two' })
    const page = await open(threadId, { expected: /Failed to (?:load|fetch)/ })
    const message = page.getByLabel('Message')
    await message.fill('Half a thought')
    await page.getByRole('link', { name: /Two/ }).click()
    await page.getByRole('heading', { name: 'Two' }).waitFor()
    expect(await message.inputValue()).toBe('')
    await page.getByRole('link', { name: /One/ }).click()
    await page.getByRole('heading', { name: 'One' }).waitFor()
    expect(await message.inputValue()).toBe('Half a thought')
    // What could not be sent comes back, too, though one has gone on meanwhile.
    const failing = Promise.withResolvers<void>()
    await page.route(/messages$/, async (route) => {
      await failing.promise
      await route.fulfill({ status: 413, json: {} })
    })
    await message.press('Enter')
    await page.getByRole('link', { name: /Two/ }).click()
    await page.getByRole('heading', { name: 'Two' }).waitFor()
    const answered = page.waitForResponse(/messages$/)
    failing.resolve()
    await (await answered).finished()
    await page.getByRole('link', { name: /One/ }).click()
    await page.getByRole('heading', { name: 'One' }).waitFor()
    expect(await message.inputValue()).toBe('Half a thought')
    expect(dev.requests).toHaveLength(0)
  })

  it('shows what was begun in another tab when one comes back to it', async () => {
    const { open, client } = await setUp()
    const page = await open()
    await page.getByText('No threads yet.').waitFor()
    await client.createThread({ title: 'From elsewhere' })
    await page.evaluate("window.dispatchEvent(new Event('focus'))")
    await page.getByRole('link', { name: /From elsewhere/ }).waitFor()
  })

  it('looks further where a page has none of one’s own, and says so when it gives up', async () => {
    const { open, client } = await setUp()
    await client.createThread({ title: 'Far below' })
    const page = await open()
    let left = 3
    await page.route(/\/api\/threads\?/, async (route) => {
      left -= 1
      if (left < 0) await route.continue()
      else await route.fulfill({ json: { items: [], next: 'further' } })
    })
    await page.route(/after=further/, async (route) => {
      const url = route
        .request()
        .url()
        .replace(/&?after=further/, '')
      if (left > 0) await route.fallback()
      else await route.continue({ url })
    })
    await page.reload()
    await page.getByRole('link', { name: /Far below/ }).waitFor()
    left = 1_000
    await page.reload()
    await page.getByText('Nothing was found so far.').waitFor()
    expect(left).toBeGreaterThan(900)
    await page.getByRole('button', { name: 'More' }).waitFor()
  })
})
