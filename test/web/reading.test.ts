// What is read on the page is as it was written, and says the same everywhere.
import { describe, expect, it } from 'vitest'
import { textOf } from '../agent/past.ts'
import { answer, result, user } from '../say.ts'
import { CHROMIUM, useBrowser } from './setup.ts'

const TABLE = [
  'Berths of today',
  'in one table:',
  '',
  '| boat | berth |',
  '|---|---|',
  '| Umi | C2 |',
]

describe.skipIf(!CHROMIUM.available)(`what is read ${CHROMIUM.notice}`, () => {
  const setUp = useBrowser()

  it('is drawn with its tables, and a line stays a line', async () => {
    const { client, home, open } = await setUp()
    const { threadId } = await client.createThread({ title: 'Berths' })
    await home.threads.append(threadId, [user('Which berths?'), ...answer(TABLE.join('\n'))])
    const page = await open(threadId)
    const said = page.getByRole('article', { name: 'Agent' })
    await said.getByRole('cell', { name: 'C2' }).waitFor()
    expect(await said.getByText('Berths of today').innerText()).toBe(
      'Berths of today\nin one table:',
    )
  })

  it('is found in what a compaction removed, whose sum is what it saved', async () => {
    const { client, home, open } = await setUp({ windowTokens: 48_000 })
    const { threadId } = await client.createThread({ title: 'Ports' })
    for (let at = 0; at < 12; at += 1)
      await home.threads.append(threadId, [
        user(`Question ${at}`),
        ...answer('I look.', `c${at}`),
        result(`c${at}`, `${textOf(300)}\n${at === 7 ? 'port = 6543' : ''}\n${textOf(300)}`),
        ...answer(`Answer ${at}.`),
      ])
    await client.compact(threadId, { strategy: 'extract' })
    const page = await open(threadId)
    const strip = page.getByRole('region', { name: 'The window' })
    await strip.getByRole('button', { name: 'What was removed' }).click()
    const [before, after] = /([\d.]+K?) → ([\d.]+K?)/.exec(await strip.innerText())?.slice(1) ?? []
    const removed = page.getByRole('region', { name: 'Removed' })
    const difference = await removed
      .getByRole('listitem')
      .filter({ hasText: 'Difference' })
      .innerText()
    const tokens = (text = '') => Number.parseFloat(text) * (text.endsWith('K') ? 1_000 : 1)
    const saved = tokens(/[\d.]+K?$/.exec(difference)?.[0])
    expect(Math.abs(saved - (tokens(before) - tokens(after)))).toBeLessThan(150) // of rounding
    const changes = page.getByRole('region', { name: 'Before and after' })
    await changes.getByLabel('Find in what was removed').fill('port 6543')
    const entries = changes.getByRole('button', { name: 'Bring it back' })
    await expect.poll(() => entries.count()).toBe(1)
    await entries.click()
    await page.getByText(/is back in the context/).waitFor()
    const { items } = await client.contextEntries(threadId, { limit: 1_000 })
    expect(items.some(({ role, text }) => role === 'result' && text.includes('6543'))).toBe(true)
  })

  it('says of a fresh session where it came from, and that its summary is one', async () => {
    const { client, home, open } = await setUp()
    const { threadId } = await client.createThread({ title: 'The first part' })
    for (let at = 0; at < 6; at += 1)
      await home.threads.append(threadId, [
        user(`Question ${at}: ${textOf(300)}`),
        ...answer('Yes.'),
      ])
    const fresh = await client.compact(threadId, { strategy: 'fresh-session' })
    const page = await open(fresh.threadId)
    await page.getByText('This thread began with a summary of an earlier one').waitFor()
    const view = page.getByRole('region', { name: 'As the model sees it' })
    await view.getByText('Summary', { exact: true }).first().waitFor()
    await page.getByRole('link', { name: 'an earlier one' }).click()
    await page.getByRole('heading', { name: 'The first part' }).waitFor()
  })

  it('leads from a large entry that a compaction wrote to where the model sees it', async () => {
    const { client, home, open } = await setUp()
    const { threadId } = await client.createThread({ title: 'Large' })
    for (let at = 0; at < 12; at += 1)
      await home.threads.append(threadId, [
        user(`Question ${at}`),
        ...answer('I look.', `c${at}`),
        result(`c${at}`, textOf(500)),
        ...answer(`Answer ${at}.`),
      ])
    await client.compact(threadId, { strategy: 'extract' })
    const page = await open(threadId)
    await page.getByRole('tab', { name: 'Window' }).click()
    const largest = page.getByRole('listitem').filter({ hasText: 'Written by a compaction' })
    await largest.first().getByRole('button').click()
    const view = page.getByRole('region', { name: 'As the model sees it' })
    await view
      .locator('[data-shown="true"]')
      .getByText(/Stands for/)
      .waitFor()
  })
})
