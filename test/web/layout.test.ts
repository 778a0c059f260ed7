// The layout at four sizes: the composer at the bottom in every thread and tab, nothing off screen, nothing covered.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { textOf } from '../agent/past.ts'
import { answer, result, user } from '../say.ts'
import { CHROMIUM, type PageSetup, useBrowser } from './setup.ts'

const SIZES = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
  { width: 768, height: 1024 },
  { width: 390, height: 844 },
]
const PANELS = ['Model’s view', 'Compactions', 'Window', 'Cost', 'Pins', 'Recall', 'Settings']
const PHONE_PX = 960

/** Nothing said, one message, and more than fits the screen with a compaction. */
async function threadsOf({ client, home }: PageSetup): Promise<readonly string[]> {
  const titles = ['Nothing yet', 'One message', 'A long one']
  const [empty, short, long] = await Promise.all(
    titles.map(async (title) => (await client.createThread({ title })).threadId),
  )
  await home.threads.append(short ?? '', [user('Hello'), ...answer('Hello to you.')])
  for (let at = 0; at < 12; at += 1)
    await home.threads.append(long ?? '', [
      user(`Question ${at}: ${'what about the berths and the tide '.repeat(4)}`),
      ...answer('I look.', `c${at}`),
      result(`c${at}`, textOf(400)),
      ...answer(`Answer ${at}.`),
    ])
  await client.compact(long ?? '', { strategy: 'trim-tool-results' })
  return [empty ?? '', short ?? '', long ?? '']
}

/** Run in the page: the places of its parts, and controls that cannot be reached by pointing at them. */
const MEASURE = `(() => {
  const box = (selector) => {
    const element = document.querySelector(selector)
    const { top, bottom, left, right, height } = element.getBoundingClientRect()
    return { top, bottom, left, right, height }
  }
  const hidden = []
  const controls = document.querySelectorAll('.head button, .head a, .strip button, [role=tab], .transcript-tools button, .transcript-tools input, .composer button, .composer textarea')
  for (const control of controls) {
    const { top, bottom, left, right, width, height } = control.getBoundingClientRect()
    if (width === 0 || control.classList.contains('mark')) continue
    const name = control.getAttribute('aria-label') ?? control.textContent
    if (left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1)
      hidden.push('off screen: ' + name)
    else {
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
      if (!control.contains(hit)) hidden.push('covered: ' + name)
    }
  }
  return {
    composer: box('.composer'),
    strip: box('.strip'),
    head: box('.head'),
    width: document.documentElement.scrollWidth,
    height: document.documentElement.scrollHeight,
    hidden,
  }
})()`

interface Measured {
  readonly composer: { readonly top: number; readonly bottom: number; readonly height: number }
  readonly strip: { readonly top: number; readonly bottom: number }
  readonly head: { readonly bottom: number }
  readonly width: number
  readonly height: number
  readonly hidden: readonly string[]
}

async function check(page: Page, size: (typeof SIZES)[number], where: string): Promise<void> {
  const found = (await page.evaluate(MEASURE)) as Measured
  expect(found.composer.bottom, `${where}: the composer is at the bottom`).toBe(size.height)
  expect(found.composer.height, `${where}: the composer has its height`).toBeGreaterThan(40)
  expect(found.strip.top, `${where}: the window is below the title`).toBe(found.head.bottom)
  expect(found.strip.bottom, `${where}: there is room between`).toBeLessThan(found.composer.top)
  expect(found.width, `${where}: nothing is wider than the screen`).toBe(size.width)
  expect(found.height, `${where}: nothing is higher than the screen`).toBe(size.height)
  expect(found.hidden, where).toEqual([])
}

describe.skipIf(!CHROMIUM.available)(`the layout ${CHROMIUM.notice}`, () => {
  const setUp = useBrowser()

  it.each(SIZES)('holds at $width × $height, in every thread and tab', async (size) => {
    const setup = await setUp()
    const threads = await threadsOf(setup)
    for (const threadId of threads) {
      const page = await setup.open(threadId, { viewport: size })
      await page.getByRole('region', { name: 'The window' }).waitFor()
      await page.getByLabel('Message').waitFor()
      await check(page, size, `${threadId}, as opened`)
      for (const panel of PANELS) {
        await page.getByRole('tab', { name: panel, exact: true }).click()
        await page.getByRole('tabpanel', { name: panel, exact: true }).waitFor()
        await check(page, size, `${threadId}, ${panel}`)
      }
      if (size.width < PHONE_PX) {
        await page.getByRole('tab', { name: 'Chat' }).click()
        await check(page, size, `${threadId}, Conversation`)
      }
      await page.getByLabel('Message').fill('/')
      await page.getByRole('list', { name: 'Commands' }).waitFor()
      await check(page, size, `${threadId}, commands`)
      await page.context().close()
    }
  })

  it('keeps its composer in place while a first answer comes in', async () => {
    const setup = await setUp()
    const { threadId } = await setup.client.createThread({ title: 'New' })
    const size = { width: 1280, height: 800 }
    const page = await setup.open(threadId, { viewport: size })
    const composer = page.locator('.composer')
    await composer.waitFor()
    const before = await composer.boundingBox()
    await page.getByLabel('Message').fill('Hello')
    await page.getByLabel('Message').press('Enter')
    await page.locator('article[aria-label="Agent"]').waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    expect(await composer.boundingBox()).toEqual(before)
  })

  it('gives the two columns the widths that one drags or types', async () => {
    const setup = await setUp()
    const { threadId } = await setup.client.createThread({ title: 'Wide' })
    const page = await setup.open(threadId)
    const told = page.locator('.told')
    const before = (await told.boundingBox())?.width ?? 0
    const handle = page.getByRole('separator', { name: 'Width of the conversation' })
    await handle.focus()
    for (let press = 0; press < 5; press += 1) await page.keyboard.press('ArrowLeft')
    const after = (await told.boundingBox())?.width ?? 0
    expect(after).toBeLessThan(before - 50)
  })
})
