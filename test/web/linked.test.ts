// The two sides of a thread: what is no longer in the context says so, and a click finds it on both sides.
import { describe, expect, it } from 'vitest'
import { HALVING, textOf } from '../agent/past.ts'
import { answer, result, user } from '../say.ts'
import { CHROMIUM, type PageSetup, useBrowser } from './setup.ts'

const ROUNDS = 20

/** Twenty questions with a round of tools each; the first half is compacted into one summary. */
async function halved({ client, home }: PageSetup): Promise<string> {
  const { threadId } = await client.createThread({ title: 'Twenty questions' })
  for (let at = 0; at < ROUNDS; at += 1)
    await home.threads.append(threadId, [
      user(`Question ${at}: where is boat ${at}?`),
      ...answer('I look.', `c${at}`),
      result(`c${at}`, at === 3 ? `The port number is 4711.\n${textOf(300)}` : textOf(300)),
      ...answer(`Boat ${at} is at berth ${at}.\n\n\`\`\`ts\nconst berth: number = ${at}\n\`\`\``),
    ])
  await home.threads.compact(threadId, HALVING)
  return threadId
}

describe.skipIf(!CHROMIUM.available)(`the two sides of a thread ${CHROMIUM.notice}`, () => {
  const setUp = useBrowser()

  it('are linked: an entry that went says what stands for it, and a click shows both', async () => {
    const setup = await setUp()
    const page = await setup.open(await halved(setup))
    const transcript = page.getByRole('region', { name: 'Transcript' })
    const view = page.getByRole('region', { name: 'As the model sees it' })
    await transcript.getByText('Boat 19 is at berth 19.').waitFor()
    const last = transcript.getByRole('article', { name: 'You' }).last()
    expect(await last.getAttribute('data-gone')).toBe('false')
    await last.getByText(/\d+ tokens/).waitFor()
    await transcript.focus()
    await page.keyboard.press('Home')
    const first = transcript.getByRole('article', { name: 'You' }).first()
    await first.getByText(/No longer in the context\. Summary c\d+\.0 stands for it/).waitFor()

    // From the summary to the first entry that it stands for.
    await view.getByText('Question 19').waitFor()
    await view.focus()
    await page.keyboard.press('Home')
    const summary = view.locator('[data-label="summary"]')
    await summary.getByRole('button', { name: 'Show in the transcript' }).click()
    await transcript.locator('[data-shown="true"]').getByText('Question 0').waitFor()

    // From an entry that is still there to its place in the model's view.
    await transcript.focus()
    await page.keyboard.press('End')
    const latest = transcript
      .getByRole('article', { name: 'You' })
      .filter({ hasText: 'Question 19' })
    await latest.getByRole('button', { name: 'Show in the model’s view' }).click()
    await view.locator('[data-shown="true"]').getByText('Question 19').waitFor()

    // Code has colours.
    await transcript.locator('.tone').first().waitFor()
  })

  it('find words in the whole log, and step to a compaction', async () => {
    const setup = await setUp()
    const page = await setup.open(await halved(setup))
    const find = page.getByLabel('Find in this thread')
    await find.fill('port number 4711')
    await find.press('Enter')
    const found = page.getByRole('region', { name: /^Found/ })
    await found.locator('mark').first().waitFor()
    await found.getByRole('listitem').first().getByRole('button').click()
    const shown = page.locator('.told .round[data-shown="true"]')
    await shown.getByText('The port number is 4711.').waitFor()
    await page.getByRole('button', { name: 'Close the search' }).click()
    await page.getByRole('button', { name: 'Jump to an earlier compaction' }).click()
    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByText(/Compacted by halving/).waitFor()
  })

  it('compare what strategies would keep, and undo from the first screen', async () => {
    const setup = await setUp()
    const threadId = await halved(setup)
    const page = await setup.open(threadId)
    await page.getByRole('button', { name: 'Compact…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Compare strategies').click()
    const row = dialog.getByRole('row', { name: /trim-tool-results/ })
    await row.getByText(/^−\d+ %$/).waitFor()
    await dialog.getByRole('row', { name: /keep-recent.*asks a model/ }).waitFor()
    // One that asks a model is asked when it is chosen, and then stands beside the others.
    const asked = dialog.getByRole('row', { name: /^keep-recent/ })
    await asked.getByRole('button', { name: 'Preview' }).click()
    await asked.getByText(/^[−+]?\d+ %$/).waitFor()
    await row.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('Preview by trim-tool-results').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    const strip = page.getByRole('region', { name: 'The window' })
    await strip.getByRole('button', { name: 'Undo it' }).click()
    await strip.getByText(/Undone compaction/).waitFor()
    const { items } = await setup.client.contextEntries(threadId, { limit: 1_000 })
    expect(items.every(({ ref }) => ref.startsWith('e'))).toBe(true)
  })

  it('are listed with what came from them under them, and told apart by more than their titles', async () => {
    const { client, home, open } = await setUp()
    const { threadId } = await client.createThread({ title: 'The harbour' })
    await home.threads.append(threadId, [user('Hello'), ...answer('Yes.')])
    await client.createThread({ title: 'Another' })
    const fork = await client.fork(threadId)
    const page = await open()
    const items = page.getByRole('navigation', { name: 'Threads' }).getByRole('listitem')
    await expect.poll(() => items.count()).toBe(3)
    const depths = (await page.evaluate(
      "[...document.querySelectorAll('.threads li')].map((each) => each.dataset.depth + ' ' + each.querySelector('a').hash.slice(-6))",
    )) as string[]
    const at = depths.indexOf(`0 ${threadId.slice(-6)}`)
    expect(depths[at + 1]).toBe(`1 ${fork.threadId.slice(-6)}`)
    const notes = await items.locator('.quiet').allInnerTexts()
    expect(new Set(notes).size).toBe(3)
  })
})
