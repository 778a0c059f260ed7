// The page as it is pictured in its documentation: none of its views changes unnoticed.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startChromium } from './chromium.ts'
import { type PicturedPage, SIZES, servePictured, THEMES, takePicture, VIEWS } from './pictured.ts'
import { CHROMIUM } from './setup.ts'

const FOLDER = fileURLToPath(new URL('../../docs/pictures/page/', import.meta.url))
/** Fonts and edges differ from machine to machine; a part that moved or changed its colour does not pass. */
const MOST_DIFFERENT = 0.04

const CASES = VIEWS.flatMap((view) =>
  THEMES.flatMap((theme) =>
    (Object.keys(SIZES) as (keyof typeof SIZES)[]).map((size) => ({
      name: `${view.name}-${theme}-${size}`,
      view,
      theme,
      size,
    })),
  ),
)

/** Run in a page: the share of pixels, in cells of four by four, that are clearly of another colour. */
const COMPARE = `async ([one, other]) => {
  const pixels = async (base64) => {
    const image = new Image()
    image.src = 'data:image/png;base64,' + base64
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = Math.ceil(image.width / 4)
    canvas.height = Math.ceil(image.height / 4)
    const context = canvas.getContext('2d')
    context.imageSmoothingQuality = 'high'
    context.drawImage(image, 0, 0, canvas.width, canvas.height)
    return context.getImageData(0, 0, canvas.width, canvas.height)
  }
  const [a, b] = [await pixels(one), await pixels(other)]
  if (a.width !== b.width || a.height !== b.height) return 1
  let different = 0
  for (let at = 0; at < a.data.length; at += 4) {
    const distance = [0, 1, 2].reduce((sum, c) => sum + Math.abs(a.data[at + c] - b.data[at + c]), 0)
    if (distance > 90) different += 1
  }
  return different / (a.data.length / 4)
}`

describe.skipIf(!CHROMIUM.available)(`the pictures of the page ${CHROMIUM.notice}`, () => {
  let browser: Browser
  let pictured: PicturedPage
  let judge: Page
  beforeAll(async () => {
    browser = await startChromium()
    pictured = await servePictured(browser)
    judge = await browser.newPage()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await pictured.close()
  })

  const compare = async (one: Buffer, other: Buffer): Promise<number> => {
    const texts = JSON.stringify([one.toString('base64'), other.toString('base64')])
    return (await judge.evaluate(`(${COMPARE})(${texts})`)) as number
  }

  it.each(CASES)('are like $name', async ({ name, view, theme, size }) => {
    const page = await pictured.open(view, theme, size)
    const taken = await takePicture(page)
    await page.context().close()
    const known = readFileSync(`${FOLDER}${name}.png`)
    expect(
      await compare(taken, known),
      `${name}: node scripts/screenshots.ts ${name}`,
    ).toBeLessThan(MOST_DIFFERENT)
  })

  it('tell two themes, and two views, apart', async () => {
    const read = (name: string) => readFileSync(`${FOLDER}${name}.png`)
    const light = read('thread-light-desk')
    expect(await compare(light, read('thread-dark-desk'))).toBeGreaterThan(0.5)
    expect(await compare(light, read('window-light-desk'))).toBeGreaterThan(MOST_DIFFERENT)
    expect(await compare(light, light)).toBe(0)
  })
})
