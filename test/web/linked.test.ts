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

/** Whether the tool call that is marked lies within the part of the transcript that is seen. */
const INSIDE = `(() => {
  const entry = document.querySelector('.told .round[data-shown="true"] .tool[data-shown="true"]')
  const { top, bottom } = entry.getBoundingClientRect()
  const seen = entry.closest('.scroller').getBoundingClientRect()
  return top >= seen.top - 1 && top < seen.bottom && bottom > seen.top
})()`

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
    // A tool whose result is still there does not say that it went.
    expect(await transcript.locator('.round').last().locator('.gone').count()).toBe(0)
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
    await found.getByRole('listitem').first().getByRole('button').first().click()
    const shown = page.locator('.told .round[data-shown="true"]')
    await shown.getByText('The port number is 4711.').waitFor()
    // It is open, in sight, marked and has the focus.
    const entry = shown.locator('.tool[data-shown="true"]')
    await expect.poll(() => entry.getAttribute('open')).not.toBe(null)
    await expect
      .poll(() => page.evaluate('document.activeElement.closest("[data-shown=true]") !== null'))
      .toBe(true)
    await expect.poll(() => page.evaluate(INSIDE)).toBe(true)
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
    await page.locator('.head-line').getByRole('button', { name: 'Undo', exact: true }).click()
    await strip.getByText(/No compaction is in effect/).waitFor()
    const { items } = await setup.client.contextEntries(threadId, { limit: 1_000 })
    expect(items.every(({ ref }) => ref.startsWith('e'))).toBe(true)
  })

  it('bring an entry back where it is shown, and take it out again', async () => {
    const setup = await setUp()
    const threadId = await halved(setup)
    const seen = async () =>
      (await setup.client.contextEntries(threadId, { limit: 1_000 })).items.map(({ ref }) => ref)
    const compacted = await seen()
    const page = await setup.open(threadId)
    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByText('Boat 19 is at berth 19.').waitFor()
    await transcript.focus()
    await page.keyboard.press('Home')
    const first = transcript.getByRole('article', { name: 'You' }).first()
    await first.getByText(/stands for it and \d+ others\./).waitFor()
    await first.getByRole('button', { name: 'Bring it back' }).click()
    await page.getByText(/is back in the context/).waitFor()
    await expect.poll(() => first.getAttribute('data-gone')).toBe('false')
    // It alone: the text that stands for the others stays.
    const entry = (await first.getAttribute('data-entry')) ?? ''
    const back = await seen()
    expect(back).toEqual([...compacted.slice(0, 2), entry, ...compacted.slice(2)])
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(seen).toEqual(compacted)
    await expect.poll(() => first.getAttribute('data-gone')).toBe('true')

    // From the list of what a compaction removed; that compaction can still be undone.
    const strip = page.getByRole('region', { name: 'The window' })
    await strip.getByRole('button', { name: 'What was removed' }).click()
    const changes = page.getByRole('region', { name: 'Before and after' })
    await changes.getByRole('button', { name: 'Bring it back' }).first().click()
    await page.getByText(/is back in the context/).waitFor()
    await changes.getByText('In the context').first().waitFor()
    const withOne = await seen()
    await changes.getByRole('button', { name: /^Bring all \d+ back$/ }).click()
    await page.getByText(/entries are back in the context in place of/).waitFor()
    expect((await seen()).every((ref) => ref.startsWith('e'))).toBe(true)
    // All of them, the one that was brought back first, then the compaction itself.
    const undo = page.locator('.head-line').getByRole('button', { name: 'Undo', exact: true })
    const place = await undo.boundingBox()
    await expect.poll(() => undo.getAttribute('title')).toMatch(/^Undo: bring back of \d+ entries$/)
    await undo.click()
    await expect.poll(seen).toEqual(withOne)
    await undo.click()
    await expect.poll(seen).toEqual(compacted)
    await expect.poll(() => undo.getAttribute('title')).toMatch(/^Undo: compaction by /)
    // Redo is there now, and Undo where it was.
    await page.getByRole('button', { name: 'Redo', exact: true }).waitFor()
    expect((await undo.boundingBox())?.x).toBe(place?.x)
    await undo.click()
    await strip.getByText(/No compaction is in effect/).waitFor()
    expect((await seen()).every((ref) => ref.startsWith('e'))).toBe(true)
  })

  it('find while typing, and keep what was looked for in Recall over a change of tab', async () => {
    const setup = await setUp()
    const page = await setup.open(await halved(setup))
    await page.getByLabel('Find in this thread').fill('boat')
    await page
      .getByRole('region', { name: 'Found: boat' })
      .getByText(/^\d+ places?$/)
      .waitFor()
    await page.getByRole('tab', { name: 'Recall' }).click()
    await page.getByLabel('Search query').fill('boat')
    await page.getByRole('button', { name: 'Recall', exact: true }).click()
    const found = page.getByRole('list', { name: 'Found', exact: true })
    await found.waitFor()
    await page.getByRole('tab', { name: 'Pins' }).click()
    await page.getByRole('tab', { name: 'Recall' }).click()
    await found.waitFor()
    expect(await page.getByLabel('Search query').inputValue()).toBe('boat')
  })

  it('withdraw the notice of what came back when it is undone in the head', async () => {
    const setup = await setUp()
    const threadId = await halved(setup)
    const page = await setup.open(threadId)
    const strip = page.getByRole('region', { name: 'The window' })
    await strip.getByRole('button', { name: 'What was removed' }).click()
    const changes = page.getByRole('region', { name: 'Before and after' })
    await changes.getByRole('button', { name: 'Bring it back' }).first().click()
    const notice = page.getByText(/is back in the context/)
    await notice.waitFor()
    await page.locator('.head-line').getByRole('button', { name: 'Undo', exact: true }).click()
    await expect.poll(() => notice.count()).toBe(0)
  })

  it('names the compaction in effect after others were undone', async () => {
    const setup = await setUp()
    const threadId = await halved(setup)
    await setup.home.threads.compact(threadId, HALVING)
    const page = await setup.open(threadId)
    const strip = page.getByRole('region', { name: 'The window' })
    const panel = page.getByRole('list', { name: 'Compactions' })
    await page.locator('.head-line').getByRole('button', { name: 'Undo', exact: true }).click()
    await strip.getByText(/Last compaction in effect: \d+ % smaller/).waitFor()
    await strip.getByRole('button', { name: 'What was removed' }).click()
    const named = panel.getByRole('button').and(page.locator('[aria-current="true"]'))
    expect(await named.innerText()).not.toContain('undone')
    await page.locator('.head-line').getByRole('button', { name: 'Undo', exact: true }).click()
    await strip.getByText(/No compaction is in effect/).waitFor()
  })

  it('go to the end when something is sent from further up', async () => {
    const setup = await setUp()
    const page = await setup.open(await halved(setup))
    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByText('Boat 19 is at berth 19.').waitFor()
    await transcript.focus()
    await page.keyboard.press('Home')
    await transcript.getByText('Question 0:').waitFor()
    await page.getByLabel('Message').fill('Where is the last boat?')
    await page.keyboard.press('Enter')
    await transcript.getByText('Where is the last boat?').first().waitFor()
    const leftPx =
      '(() => { const s = document.querySelector(".told .scroller"); return s.scrollHeight - s.scrollTop - s.clientHeight })()'
    await expect.poll(() => page.evaluate(leftPx)).toBeLessThan(80)
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
