// The page as a person uses it: a session is brought in, looked at, compacted, undone, and gone on with.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { Door, longPast, summaryBehind } from '../agent/past.ts'
import { answer, user } from '../say.ts'
import { barriers, CHROMIUM, useBrowser } from './setup.ts'

const SAMPLE = fileURLToPath(new URL('../../samples/session.jsonl', import.meta.url))

/** A file dropped on the page, as a browser hands it over. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const file = `new File([${JSON.stringify(text)}], ${JSON.stringify(name)})`
  const files = await page.evaluateHandle(
    `{ const files = new DataTransfer(); files.items.add(${file}); files }`,
  )
  await page.getByRole('main').dispatchEvent('drop', { dataTransfer: files })
}

/** What was taken out is found again, and marked. */
async function findAgain(page: Page, words: string, marked: string): Promise<void> {
  await tab(page, 'Recall')
  await page.getByLabel('Search query').fill(words)
  await page.getByRole('button', { name: 'Recall', exact: true }).click()
  const hits = page.getByRole('list', { name: 'Found' })
  await hits.locator('mark', { hasText: marked }).first().waitFor()
  await hits.getByRole('button', { name: 'Show all' }).first().click()
  await page
    .getByRole('article', { name: /All of/ })
    .getByText(marked)
    .first()
    .waitFor()
}

/** What a preview saves, what goes, and before and after word by word. */
async function previewed(dialog: Locator): Promise<void> {
  await dialog.getByText(/\d+ % smaller: [\d.]+K → [\d.]+K tokens/).waitFor()
  await dialog
    .getByRole('region', { name: 'Removed' })
    .getByText(/\d+ entries/)
    .first()
    .waitFor()
  await dialog.getByText('Before and after, word by word').click()
  await dialog.locator('.pairs del', { hasText: /\w/ }).first().waitFor()
  await dialog.getByRole('columnheader', { name: 'Before' }).first().waitFor()
}

/** Where there is room: two columns, row by row at the same height, each entry with the reason for its drop. */
async function compareWide(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Before and after side by side' }).click()
  const wide = page.getByRole('dialog', { name: /extract at event/ })
  await wide.getByRole('columnheader', { name: 'After' }).first().waitFor()
  await wide.locator('.pair-head .why').first().getByText('Replaced by the brief').waitFor()
  const row = wide.locator('tr[data-same]').first()
  const [was, is] = await Promise.all([0, 1].map((at) => row.locator('td').nth(at).boundingBox()))
  expect(was?.y).toBe(is?.y)
  expect(is?.x).toBeGreaterThan((was?.x ?? 0) + 300)
  await page.keyboard.press('Escape')
  await wide.waitFor({ state: 'hidden' })
}

/** A pin, which a compaction has to keep. */
async function pinText(page: Page, text: string): Promise<void> {
  await tab(page, 'Pins')
  await page.getByLabel('Text to pin').fill(text)
  const pins = page.getByRole('tabpanel', { name: 'Pins' })
  await pins.getByRole('button', { name: 'Pin', exact: true }).click()
  await page.getByRole('button', { name: `Unpin ${text}` }).waitFor()
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click()

function isIdle(page: Page, name: string): Promise<string | null> {
  return page.getByRole('button', { name, exact: true }).getAttribute('aria-disabled')
}

describe.skipIf(!CHROMIUM.available)(`the page ${CHROMIUM.notice}`, () => {
  const setUp = useBrowser()

  it('imports a session, previews, edits and applies a compaction, shows it, takes it back', async () => {
    const { open, client } = await setUp({ windowTokens: 96_000 })
    const page = await open()
    await page.getByText('No threads yet').waitFor()
    await drop(page, 'session.jsonl', readFileSync(SAMPLE, 'utf8'))
    await page.getByRole('heading', { name: /double booking/ }).waitFor()
    const threadId = decodeURIComponent(new URL(page.url()).hash.split('/').at(-1) ?? '')

    expect(await isIdle(page, 'Undo')).toBe('true')
    await page.getByText('Nothing was compacted here').first().waitFor()

    // How full it is and with what, as it was and as the model sees it: all of it at once.
    const strip = page.getByRole('region', { name: 'The window' })
    await strip.getByText(/% full/).waitFor()
    await strip.getByRole('img', { name: /The window by category: .*Tool results/ }).waitFor()
    await strip.getByRole('img', { name: /Context size over \d+ points, 0 compactions/ }).waitFor()
    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByText('That goes on the wall next to the tide table').waitFor()
    const view = page.getByRole('region', { name: 'As the model sees it' })
    // Both are open at their end.
    await view.getByText('That goes on the wall next to the tide table').waitFor()
    await tab(page, 'Window')
    await page.getByRole('cell', { name: 'Tool results' }).waitFor()

    await pinText(page, 'The office applies migrations by hand.')

    // Previewed with what it saves and what goes; edited; applied.
    await page.getByRole('button', { name: 'Compact…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Compact this thread' })
    await dialog.getByLabel('Strategy').selectOption('extract')
    await dialog.getByText('Preview by extract').waitFor()
    await previewed(dialog)
    const summary = dialog.locator('textarea').first()
    const proposed = await summary.inputValue()
    expect(proposed).not.toContain('Context note') // what introduces it is not for people
    await summary.fill(`The word that was put in by hand is heron.\n${proposed}`)
    await dialog.getByRole('button', { name: 'Compact', exact: true }).click()
    await dialog.waitFor({ state: 'hidden' })
    await transcript.getByText(/Compacted by extract/).waitFor()
    await strip.getByText(/Last compaction: \d+ % smaller/).waitFor()
    await tab(page, 'Model’s view')
    await view.focus()
    await page.keyboard.press('Home')
    await view
      .getByText(/Stands for [\d,]+ entries/)
      .first()
      .waitFor()

    // The newest compaction is open where compactions are: its figures, and the difference.
    await tab(page, 'Compactions')
    const aligned = page.getByRole('region', { name: 'Before and after' })
    await aligned.getByText('put in by hand is heron').first().waitFor()
    await aligned.locator('.pairs del', { hasText: /\w/ }).first().waitFor()
    await page
      .getByRole('region', { name: 'Report' })
      .getByText(/\d+ % smaller/)
      .waitFor()

    await compareWide(page)
    await findAgain(page, 'alongside the fuel pontoon', 'pontoon')

    // Taken back: the context is what it was.
    await page.locator('.head-line').getByRole('button', { name: 'Undo', exact: true }).click()
    await transcript.getByText(/Undone: compacted by extract/).waitFor()
    const { items } = await client.contextEntries(threadId, { limit: 1_000 })
    expect(items.every(({ ref }) => ref.startsWith('e'))).toBe(true)
    await page.getByRole('button', { name: 'Redo', exact: true }).click()
    await transcript.getByText(/^Compacted by extract/).waitFor()
  })

  it('asks before a file is replaced, with what changes in it as it is now', async () => {
    const lines = (port: number) =>
      Array.from({ length: 40 }, (_, at) => (at === 20 ? `port ${port}` : `line ${at}`)).join('\n')
    const call = { name: 'write', arguments: { path: 'a.txt', content: lines(4711) } }
    const { open, client, folder } = await setUp({
      agent: { approval: { mode: 'ask', allow: [], deny: [], readOnly: false } },
      dev: { script: [{ calls: [call] }, { text: 'The end.' }] },
    })
    writeFileSync(join(folder, 'a.txt'), lines(8080))
    const { threadId } = await client.createThread({ title: 'A port' })
    const page = await open(threadId)
    await page.getByLabel('Message').fill('go')
    await page.getByLabel('Message').press('Enter')
    const question = page.getByRole('region', { name: 'May the agent use write?' })
    await question.locator('del', { hasText: /^- port 8080\s$/ }).waitFor()
    await question.locator('ins', { hasText: /^\+ port 4711\s$/ }).waitFor()
    expect(await question.getByText('line 30').isVisible()).toBe(false)
    await page.reload() // who comes later is asked the same
    await question.locator('del', { hasText: 'port 8080' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await question.getByText('Arguments of the call').click()
    expect(await question.getByText('line 30').isVisible()).toBe(true)
    await question.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.locator('article[aria-label="Agent"]', { hasText: 'The end.' }).waitFor()
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe(lines(4711))
  })

  it('sends no command that does not exist, and forgets what went wrong with the next message', async () => {
    const { open, client, dev } = await setUp()
    const { threadId } = await client.createThread({ title: 'A slip', preset: 'fresh' })
    const page = await open(threadId, { expected: /4\d\d/ })
    const message = page.getByLabel('Message')
    await message.fill('/compct the ports')
    await message.press('Enter')
    const told = page.getByRole('alert').getByText('There is no command /compct.')
    await told.waitFor()
    expect(await told.innerText()).toContain('Did you mean /compact?')
    expect(await message.inputValue()).toBe('/compct the ports')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Compact without a preview' }).click() // of nothing
    const failed = page.locator('.head [role="alert"]')
    await failed.waitFor()
    expect(dev.requests).toEqual([])
    await message.fill('Hello')
    await message.press('Enter')
    await page.locator('article[aria-label="Agent"]').waitFor()
    expect([await told.count(), await failed.count()]).toEqual([0, 0])
  })

  it('chats while the answer streams, goes on after a reload in the middle of it', async () => {
    const door = new Door()
    const { open, client, dev } = await setUp({ dev: { pieceDelayMs: 20 } })
    const { threadId } = await client.createThread({ title: 'A talk' })
    const words = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ')
    dev.script([
      { text: words },
      async () => {
        await door.pass()
        return { text: 'The second answer.' }
      },
    ])
    const page = await open(threadId)
    const message = page.getByLabel('Message')
    await message.fill('Say many words')
    await message.press('Enter')
    const answers = page.locator('article[aria-label="Agent"]')
    await page.locator('article[aria-busy="true"]').getByText('word3').waitFor()
    await answers.getByText('word39').waitFor()
    await page.locator('article[aria-busy="true"]').waitFor({ state: 'detached' })

    await message.fill('And once more')
    await message.press('Enter')
    await door.reached
    await page.reload()
    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByText('And once more').waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    door.open()
    await transcript.getByText('The second answer.').waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    await tab(page, 'Cost')
    await page.getByRole('definition').getByText(/^\$/).waitFor()
  })

  it('shows the figures of a thread, a bar, a warning near the limit, a running compaction [LOG-88]', async () => {
    const door = new Door()
    const { open, client, home, dev } = await setUp({ windowTokens: 30_000 })
    dev.script(summaryBehind(door))
    const { threadId } = await client.createThread({ title: 'Figures', preset: 'log' })
    const page = await open(threadId)
    const strip = page.getByRole('region', { name: 'The window' })
    await strip.getByRole('img', { name: /The window by category/ }).waitFor()
    expect(await page.locator('.warning').count()).toBe(0)
    await home.threads.append(threadId, longPast(11_000))
    const message = page.getByLabel('Message')
    const answers = page.getByRole('region', { name: 'Transcript' }).getByText('Yes.')
    for (const count of [1, 2, 3]) {
      await message.fill(`Question ${count}`)
      await message.press('Enter')
      await answers.nth(count - 1).waitFor()
    }
    const { tokenUsage, context } = await client.thread(threadId)
    expect(tokenUsage?.nearLimit).toBe(true)
    expect(await page.locator('.warning').count()).toBe(0) // the context is not near it
    await strip.getByText(`${Math.round(context.percent ?? 0)} %`).waitFor()
    // What was billed stands under cost, and says so.
    await tab(page, 'Cost')
    const figures = page.locator('.token-usage')
    await figures
      .getByText(/The billed sum is (near the limit of|larger than) one window/)
      .waitFor()
    const ofWindow = `${Math.round(tokenUsage?.percentUsed ?? 0)} % of one window`
    const total = ((tokenUsage?.totalTokens ?? 0) / 1_000).toFixed(1)
    for (const part of ['Billed', total, 'in ·', 'out,', ofWindow])
      await expect.poll(() => figures.innerText()).toContain(part)

    await page.getByRole('button', { name: 'Compact…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Strategy').selectOption('trim-tool-results')
    await dialog.getByText('Preview by trim-tool-results').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    const compacting = client.compact(threadId, { strategy: 'summarize' })
    await door.reached
    await page
      .getByRole('status')
      .getByText(/Compacting by summarize/)
      .waitFor()
    expect(await page.getByText(/Compacting by summarize/).count()).toBe(2) // the card and its activity
    await page.reload() // it is still going on
    await page
      .getByRole('status')
      .getByText(/Compacting/)
      .first()
      .waitFor()
    door.open()
    await compacting
    await page.getByText(/Compacted by summarize/).waitFor()
    await page
      .getByRole('status')
      .getByText(/Compacting/)
      .waitFor({ state: 'detached' })
  })

  it('changes the model, the preset and the strategy of a thread, with keys alone', async () => {
    const { open, client } = await setUp()
    const { threadId } = await client.createThread({ title: 'Choices' })
    const page = await open(threadId)
    // From what stands above the thread to where it is changed.
    await page.getByRole('button', { name: / · precis/ }).focus()
    await page.keyboard.press('Enter')
    const form = page.getByRole('form', { name: 'Settings of this thread' })
    await form.getByLabel('Preset').focus()
    await page.keyboard.type('chat')
    await form.getByLabel('Strategy').selectOption('extract')
    await form.getByLabel('Thinking').selectOption('low')
    await form.getByLabel('Model').selectOption('dev')
    await form.getByRole('button', { name: 'Save' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'dev/dev · chat · extract' }).waitFor()
    expect(await client.thread(threadId)).toMatchObject({
      model: 'dev/dev',
      preset: 'chat',
      strategy: 'extract',
      thinking: 'low',
    })
    // What holds for the server stands there, too.
    await page.getByRole('row', { name: /auto\.threshold/ }).waitFor()
    await form.getByLabel('Preset').selectOption('log')
    await form.getByLabel('Strategy').selectOption('Default for this preset')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'dev/dev · log', exact: true }).waitFor()
    expect((await client.thread(threadId)).strategy).toBeUndefined()
  })

  it('pins what was said, forks from there, and completes files after an @', async () => {
    const { open, client, home, folder } = await setUp()
    writeFileSync(join(folder, 'harbour-plan.md'), 'x')
    const { threadId } = await client.createThread({ title: 'Hands on' })
    await home.threads.append(threadId, [user('Keep this rule.'), ...answer('I will.')])
    await home.threads.append(threadId, [user('And now another thing.'), ...answer('Yes.')])
    const page = await open(threadId)
    const first = page.getByRole('article', { name: 'You' }).first()
    await first.getByRole('button', { name: 'Pin', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Unpin Keep this rule.' }).waitFor()
    await page.getByLabel('Message').fill('Look at @harb')
    await page.getByRole('list', { name: 'Files' }).getByText('harbour-plan.md').waitFor()
    await page.getByLabel('Message').press('Tab')
    expect(await page.getByLabel('Message').inputValue()).toBe('Look at @harbour-plan.md')
    await first.getByRole('button', { name: 'Fork here' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText(/came from an earlier one/).waitFor()
    const forked = page.getByRole('region', { name: 'Transcript' })
    await forked.getByText('Keep this rule.').waitFor()
    expect(await forked.getByText('And now another thing.').count()).toBe(0)
  })

  it('lists threads and finds them, begins one, forks and deletes it, answers commands', async () => {
    const { open, client } = await setUp()
    await client.createThread({ title: 'The parser' })
    await client.createThread({ title: 'The lexer' })
    const page = await open()
    const list = page.getByRole('navigation', { name: 'Threads' })
    await list.getByText('The parser').waitFor()
    await page.getByLabel('Search in all threads').fill('lexer')
    await list.getByText('The parser').waitFor({ state: 'detached' })
    await list.getByText('The lexer').click()
    await page.getByRole('heading', { name: 'The lexer' }).waitFor()
    await page.getByLabel('Message').fill('/stra')
    await page.getByRole('list', { name: 'Commands' }).getByText('/strategy').first().waitFor()
    await page.getByLabel('Message').fill('/strategy')
    await page.getByLabel('Message').press('Enter')
    await page.getByRole('note').getByText('/strategy').waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Fork', exact: true }).click()
    await page.getByText(/came from an earlier one/).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    page.once('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Drop a session file anywhere').waitFor()
    await page.getByRole('button', { name: 'New thread' }).click()
    await page.getByText('Nothing was said yet.').waitFor()
  })
})
