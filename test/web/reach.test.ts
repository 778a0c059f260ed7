// Who can use the page: with keys alone, with a screen reader, on a phone, in the dark.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { textOf } from '../agent/past.ts'
import { answer, result, user } from '../say.ts'
import { barriers, CHROMIUM, type PageSetup, useBrowser } from './setup.ts'

const PANELS = ['Model’s view', 'Compactions', 'Window', 'Cost', 'Pins', 'Recall', 'Settings']
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }

/** A thread with one of everything, compacted once. */
async function toldThread({ client, home }: PageSetup): Promise<string> {
  const { threadId } = await client.createThread({ title: 'One of everything', preset: 'log' })
  await home.threads.append(threadId, [
    user('Please look at the parser, and mind the tests.'),
    ...answer('# I look\n\n- first\n- second\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`code`', 'c1'),
    result('c1', textOf(4_000)),
    ...answer('A long line: '.repeat(60)),
    user('Thank you'),
    ...answer('You are welcome.'),
  ])
  await client.pin(threadId, 'Mind the tests.')
  await client.compact(threadId, { strategy: 'trim-tool-results' })
  return threadId
}

async function panelsIn(page: Page, look: (panel: string) => Promise<void>): Promise<void> {
  for (const panel of PANELS) {
    await page.getByRole('tab', { name: panel, exact: true }).click()
    await page.getByRole('tabpanel', { name: panel }).waitFor()
    if (panel === 'Compactions')
      await page.getByRole('region', { name: 'Before and after' }).waitFor()
    if (panel === 'Window') await page.getByRole('table').last().waitFor()
    await look(panel)
  }
}

describe.skipIf(!CHROMIUM.available)(`the page is for everybody ${CHROMIUM.notice}`, () => {
  const setUp = useBrowser()

  it.each(['light', 'dark'] as const)(
    'has no barriers that axe finds, in the %s',
    async (theme) => {
      const setup = await setUp()
      await toldThread(setup)
      const page = await setup.open(undefined, { colorScheme: theme })
      await page.getByText('One of everything').waitFor()
      expect(await barriers(page)).toEqual([])
      await page.getByText('One of everything').click()
      await page.getByText(/Compacted by trim-tool-results/).waitFor()
      await panelsIn(page, async (panel) => expect(await barriers(page), panel).toEqual([]))
      await page.getByRole('button', { name: 'What was removed' }).first().click()
      await page.locator('.head-line').getByRole('button', { name: 'Undo', exact: true }).click()
      await page.getByText(/Undone: compacted/).waitFor()
      await page.getByRole('button', { name: 'More actions' }).click()
      expect(await barriers(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Compact…' }).click()
      await page.getByLabel('Strategy').selectOption('trim-tool-results')
      await page.getByText('Preview by trim-tool-results').waitFor()
      await page.getByText('Compare strategies').click()
      await page.getByRole('row', { name: /drop-turns/ }).waitFor()
      expect(await barriers(page)).toEqual([])
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor')
      expect(ground).toBe(theme === 'dark' ? 'rgb(18, 20, 25)' : 'rgb(246, 247, 249)')
    },
  )

  it('fits a phone: nothing is wider than the screen, and everything can be reached', async () => {
    const setup = await setUp()
    const threadId = await toldThread(setup)
    const page = await setup.open(threadId, PHONE)
    const fits = async (where: string) =>
      expect(await page.evaluate('document.documentElement.scrollWidth'), where).toBe(360)
    await page.getByText('You are welcome.').first().waitFor()
    await fits('the conversation')
    await panelsIn(page, fits)
    await page.getByRole('button', { name: 'More actions' }).tap()
    await fits('the actions')
    await page.getByRole('button', { name: 'More actions' }).tap()
    await page.getByRole('button', { name: 'Compact…' }).tap()
    await page.getByRole('dialog').waitFor()
    await fits('the dialog')
    await page.getByRole('button', { name: 'Cancel' }).tap()
    await page.getByRole('tab', { name: 'Chat' }).tap()
    await page.getByLabel('Message').fill('Hello from a phone')
    await page.getByRole('button', { name: 'Send' }).tap()
    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByText('Hello from a phone').first().waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('link', { name: 'All threads' }).tap()
    await page.getByText('Drop a session file anywhere').waitFor()
    await fits('the list')
  })

  it('can be used with keys alone', async () => {
    const setup = await setUp()
    await toldThread(setup)
    const page = await setup.open()
    const { keyboard } = page
    const focused = (selector: string) => page.locator(`${selector}:focus`)
    const tabTo = async (selector: string) => {
      for (let presses = 0; presses < 60; presses += 1) {
        if ((await focused(selector).count()) > 0) return
        await keyboard.press('Tab')
      }
      throw new Error(`${selector} is not reached by the Tab key`)
    }
    await page.getByText('One of everything').waitFor()
    await tabTo('.threads li a')
    await keyboard.press('Enter')
    await page.getByText(/Compacted by trim-tool-results/).waitFor()
    // Past the list, and through the tabs by arrow.
    await page.locator('body').press('Shift+Tab')
    await tabTo('[role="tab"]')
    for (const panel of [...PANELS.slice(1), PANELS[0]]) {
      await keyboard.press('ArrowRight')
      await page.getByRole('tabpanel', { name: panel ?? '' }).waitFor()
    }
    expect(await focused('[role="tab"][aria-selected="true"]').count()).toBe(1)
    // A preview is opened, dropped, and gives the focus back.
    await page.getByRole('button', { name: 'Undo', exact: true }).focus()
    await keyboard.press('Enter')
    await page.getByText(/Undone: compacted/).waitFor()
    await page.getByRole('button', { name: 'Compact…' }).focus()
    await keyboard.press('Space')
    await page.getByRole('dialog').waitFor()
    await keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await focused('button.main').waitFor()
    // Said with the keyboard; what scrolls can be scrolled.
    await tabTo('textarea')
    await keyboard.type('Typed')
    await keyboard.press('Enter')
    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByText('Typed').first().waitFor()
    await transcript.focus()
    await keyboard.press('Home')
    await transcript.getByText('Please look at the parser').waitFor()
  })
})
