// Takes the pictures of the page in docs/pictures/page: every view, in both themes, at two widths.
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startChromium } from '../test/web/chromium.ts'
import { SIZES, servePictured, THEMES, takePicture, VIEWS } from '../test/web/pictured.ts'

const FOLDER = fileURLToPath(new URL('../docs/pictures/page/', import.meta.url))
const only = process.argv.slice(2)

mkdirSync(FOLDER, { recursive: true })
const browser = await startChromium()
const pictured = await servePictured(browser)
try {
  for (const view of VIEWS)
    for (const theme of THEMES)
      for (const size of Object.keys(SIZES) as (keyof typeof SIZES)[]) {
        const name = `${view.name}-${theme}-${size}`
        if (only.length > 0 && !only.some((part) => name.includes(part))) continue
        const page = await pictured.open(view, theme, size)
        writeFileSync(`${FOLDER}${name}.png`, await takePicture(page))
        await page.context().close()
      }
} finally {
  await browser.close()
  await pictured.close()
}
