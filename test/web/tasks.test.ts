// Five tasks of somebody who has never seen the page, done by visible words and roles alone.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { answer, result, user } from '../say.ts'
import { CHROMIUM, type PageSetup, useBrowser } from './setup.ts'

const ROUNDS = 16
const RELEASE = 'The release is on Thursday 19 November at 14:00.'
const SETTINGS = [
  '[server]',
  'name = "staging"',
  'workers = 4',
  '[database]',
  'host = "db.staging"',
  'port = 6543',
  ...Array.from({ length: 40 }, (_, at) => `# feature_${at} = off`),
].join('\n')

/** A session that was compacted once, without a model: long results of tools are cut, the port among them. */
async function compactedOnce({ home, client }: PageSetup): Promise<string> {
  const { threadId } = await client.createThread({ title: 'The slow order page' })
  const source = (round: number) =>
    Array.from({ length: 60 }, (_, at) => `${at} value_${at * round} = load(${at})`).join('\n')
  await home.threads.append(threadId, [
    user('The order page is slow on staging. Find out why.'),
    ...answer('I look at how staging is set up.', 'settings'),
    result('settings', SETTINGS),
    ...Array.from({ length: ROUNDS }, (_, at) => at + 1).flatMap((round) => [
      ...answer(
        `Next is file ${round}. ${'It loads each item by itself. '.repeat(60)}`,
        `c${round}`,
      ),
      result(`c${round}`, source(round)),
    ]),
    ...answer('The page sends one query for each item.'),
    user(RELEASE),
    ...answer('Noted.'),
  ])
  await client.compact(threadId, { strategy: 'trim-tool-results' })
  return threadId
}

const strip = (page: Page) => page.getByRole('region', { name: 'The window' })

async function percentFull(page: Page): Promise<number> {
  const words = await strip(page)
    .getByText(/% full$/)
    .innerText()
  return Number(/([\d.]+)\s*%/.exec(words)?.[1])
}

/** Whether the model sees these words. */
async function isSeen({ client }: PageSetup, threadId: string, words: string): Promise<boolean> {
  const { items } = await client.contextEntries(threadId, { limit: 1_000 })
  return items.some(({ text }) => text.includes(words))
}

describe.skipIf(!CHROMIUM.available)(`a first look at the page ${CHROMIUM.notice}`, () => {
  const setUp = useBrowser()

  it.each([
    ['desk', { viewport: { width: 1280, height: 800 } }],
    ['phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ])('answers five questions: %s', async (_, options) => {
    const setup = await setUp({ windowTokens: 48_000 })
    const threadId = await compactedOnce(setup)
    const page = await setup.open(undefined, options)
    await page.getByRole('link', { name: /The slow order page/ }).click()

    // How full is it?
    const inWindow = async () =>
      Math.round((await setup.client.thread(threadId)).context.percent ?? -1)
    expect(await percentFull(page)).toBe(await inWindow())

    // What was removed last?
    await strip(page)
      .getByText(/Last compaction: \d+ % smaller, [\d.]+K → [\d.]+K tokens; removed tool results/)
      .waitFor()
    await strip(page).getByRole('button', { name: 'What was removed' }).click()
    await page
      .getByRole('region', { name: 'Removed' })
      .getByText(`${ROUNDS + 1} entries`)
      .waitFor()

    // Bring back the port number.
    expect(await isSeen(setup, threadId, '6543')).toBe(false)
    await page.getByRole('tab', { name: 'Recall' }).click()
    await page.getByLabel('Search query').fill('port')
    await page.getByRole('button', { name: 'Recall', exact: true }).click()
    const found = page.getByRole('list', { name: 'Found' })
    const hit = found.getByRole('listitem').filter({ hasText: '6543' }).first()
    await hit.getByRole('button', { name: 'Bring it back' }).click()
    await page.getByText(/e\d+ is back in the context/).waitFor()
    await hit.getByText('In the context').waitFor()
    expect(await isSeen(setup, threadId, '6543')).toBe(true)

    // Make it smaller, but keep the day of the release.
    const before = await inWindow()
    await expect.poll(() => percentFull(page)).toBe(before)
    await page.getByRole('button', { name: 'Compact…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Compact this thread' })
    await dialog.getByText(/\d+ % smaller/).waitFor()
    await dialog.getByLabel('Instructions').fill('Keep the day of the release')
    // A preview that does not follow what was typed is not what a person means to apply.
    await dialog.getByText('Update the preview first').waitFor()
    const apply = dialog.getByRole('button', { name: 'Compact', exact: true })
    expect(await apply.getAttribute('aria-disabled')).toBe('true')
    await dialog.getByRole('button', { name: 'Update the preview' }).click()
    await dialog.getByText(/\d+ % smaller/).waitFor()
    const kept = dialog.getByRole('region', { name: 'What stays of what you asked for' })
    await kept.getByText(RELEASE).first().waitFor()
    await apply.click()
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => percentFull(page)).toBeLessThan(before)
    expect(await isSeen(setup, threadId, RELEASE)).toBe(true)

    // Undo that.
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => percentFull(page)).toBe(before)
    expect(await isSeen(setup, threadId, '6543')).toBe(true)
  })
})
