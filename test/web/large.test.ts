// A thread of 100,000 events: only what is in sight is drawn and asked for, however far one scrolls.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { fill } from './long-thread.ts'
import { CHROMIUM, useBrowser } from './setup.ts'

const ROUNDS = 20_000 // of five events each
const MOST_NODES = 4_000
/** For a machine that does much else at the time. */
const BUSY_MS = 300_000
const PATIENCE = { timeout: 120_000 }

async function nodesIn(page: Page): Promise<number> {
  return (await page.evaluate('document.querySelectorAll("*").length')) as number
}

describe.skipIf(!CHROMIUM.available)(`a long thread ${CHROMIUM.notice}`, () => {
  const setUp = useBrowser()

  it(
    'of 100,000 events is drawn and read in small parts, in both directions',
    async () => {
      const { open, client, home } = await setUp({ windowTokens: 50_000_000 })
      const { threadId, version: begun } = await client.createThread({ title: 'A long one' })
      await fill(home.store, threadId, begun, ROUNDS)
      const { version } = await client.thread(threadId)
      expect(version).toBeGreaterThan(100_000)

      const page = await open()
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      page.setDefaultTimeout(120_000)
      await page.getByRole('navigation').getByText('A long one').click()
      const transcript = page.getByRole('region', { name: 'Transcript' })
      await transcript
        .getByText(`Answer ${ROUNDS - 1}.`)
        .first()
        .waitFor()
      const view = page.getByRole('region', { name: 'As the model sees it' })
      await view
        .getByText(`Answer ${ROUNDS - 1}.`)
        .first()
        .waitFor()
      expect(await nodesIn(page)).toBeLessThan(MOST_NODES)
      expect(asked.length).toBeLessThan(24) // whatever the length of the thread; both sides read their end

      // Upwards: what one reads stays where it is while more comes in above it.
      asked.length = 0
      const firstQuestion = async () => {
        await page.evaluate('document.querySelector(".told .scroller").scrollTop = 300')
        return Number(/Question (\d+)/.exec(await transcript.innerText())?.[1])
      }
      for (const target of [ROUNDS - 100, ROUNDS - 500, ROUNDS - 1_000]) {
        await expect.poll(firstQuestion, PATIENCE).toBeLessThan(target)
        expect(await nodesIn(page)).toBeLessThan(MOST_NODES)
      }
      expect(asked.filter((path) => path.endsWith('/events')).length).toBeLessThan(20)

      // The model's view: any place of it, without what lies between.
      asked.length = 0
      for (const share of [0.5, 1, 0.25]) {
        const scrolled = async () => {
          await page.evaluate(
            `{ const view = document.querySelector('[role="tabpanel"] .scroller'); view.scrollTop = ${share} * view.scrollHeight }`,
          )
          return Number(/(?:Question|file|line|Answer) (\d+)/.exec(await view.innerText())?.[1])
        }
        await expect
          .poll(scrolled, PATIENCE)
          .toSatisfy((at: number) => Math.abs(at - share * ROUNDS) < ROUNDS / 8)
        expect(await nodesIn(page)).toBeLessThan(MOST_NODES)
      }
      expect(asked.filter((path) => path.endsWith('/entries')).length).toBeLessThan(12)

      await page.getByRole('tab', { name: 'Window' }).click()
      const chart = page.getByRole('img', { name: /Context size over \d+ points/ }).last()
      const label = await chart.getAttribute('aria-label')
      expect(Number(/\d+/.exec(label ?? '')?.[0])).toBeLessThanOrEqual(2_001)
    },
    BUSY_MS,
  )

  it('keeps what is read in its place while earlier events come in above it', async () => {
    const { open, client, home } = await setUp()
    const { threadId, version } = await client.createThread({ title: 'Anchored' })
    await fill(home.store, threadId, version, 600)
    const page = await open(threadId)
    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByText('Answer 599.').first().waitFor()
    await page.evaluate('document.querySelector(".told .scroller").scrollTop = 900')
    const row = transcript.getByText('Question 524 of many.')
    await row.waitFor()
    const before = await row.boundingBox()
    await page.getByRole('button', { name: 'Earlier' }).dispatchEvent('click')
    await expect
      .poll(() => page.evaluate('document.querySelector(".told .scroller").scrollTop'), PATIENCE)
      .toBeGreaterThan(5_000)
    await row.waitFor()
    const after = await row.boundingBox()
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(40)
  })
})
