// What is asked to be kept, what is looked for in what goes, and texts that were changed: in the sample as it is.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CHROMIUM, useBrowser } from './setup.ts'

describe.skipIf(!CHROMIUM.available)(`a preview of the sample ${CHROMIUM.notice}`, () => {
  const setUp = useBrowser()

  async function openSample() {
    const setup = await setUp()
    const sample = await readFile('samples/session.jsonl', 'utf8')
    const { threadId } = await setup.client.importThread(sample)
    const page = await setup.open(threadId)
    await page.getByRole('button', { name: 'Compact…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Compact this thread' })
    await dialog.getByText(/\d+ % smaller/).waitFor()
    return { ...setup, page, dialog, threadId }
  }

  it('keeps the line that was asked for with one click, and finds what goes by whole words', async () => {
    const { client, dialog, threadId } = await openSample()
    await dialog.getByLabel('Strategy').selectOption('cascade')
    const asked = { strategy: 'cascade', instructions: 'keep the port number' }
    const { after: without } = await client.preview(threadId, asked)
    await dialog.getByLabel('Instructions').fill('keep the port number')
    await dialog.getByRole('button', { name: 'Update the preview' }).click()
    const kept = dialog.getByRole('region', { name: 'What stays of what you asked for' })
    await kept.getByText(/This line would go: .*--port.*8090/).waitFor()
    expect(await kept.innerText()).not.toContain('“number”')

    await dialog.getByText('Before and after, word by word').click()
    const changes = dialog.getByRole('region', { name: 'Before and after' })
    await changes.getByLabel('Find in what was removed').fill('port')
    await changes.getByText(/^\d+ lines? in \d+ entr(?:y|ies)$/).waitFor()
    const marked = await changes.locator('mark').allInnerTexts()
    expect(new Set(marked)).toEqual(new Set(['port']))
    expect(await changes.locator('pre').allInnerTexts()).not.toContain('import')

    await kept.getByRole('button', { name: 'Keep this line' }).click()
    await kept.getByText(/“port”: in .*8090/).waitFor()
    expect(await kept.getByRole('button', { name: 'Keep this line' }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Compact', exact: true }).click()
    await dialog.waitFor({ state: 'hidden' })
    const { items } = await client.contextEntries(threadId, { limit: 1_000 })
    expect(items.some(({ text }) => /--port.*8090/.test(text))).toBe(true)
    const { context } = await client.thread(threadId)
    expect(context.tokens ?? 0).toBeLessThan((without.tokens ?? 0) + 120)
  })

  it('asks before a text that was changed is written anew', async () => {
    const { page, dialog } = await openSample()
    await dialog.getByLabel('Strategy').selectOption('extract')
    const brief = dialog.getByLabel(/^Brief, to be edited/)
    await brief.fill('My own words.')
    const asked = answerNext(page, false)
    await dialog.getByRole('button', { name: 'Update the preview' }).click()
    expect(await asked).toContain('Discard your changes?')
    expect(await brief.inputValue()).toBe('My own words.')
    const again = answerNext(page, true)
    await dialog.getByRole('button', { name: 'Update the preview' }).click()
    await again
    await expect.poll(() => brief.inputValue()).not.toBe('My own words.')
  })
})

/** What the page asks next, answered. */
function answerNext(page: Page, isYes: boolean): Promise<string> {
  return new Promise((resolve) => {
    page.once('dialog', (asked) => {
      resolve(asked.message())
      const answered = isYes ? asked.accept() : asked.dismiss()
      answered.catch(() => undefined) // the page may be closed
    })
  })
}
