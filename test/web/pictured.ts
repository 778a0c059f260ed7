// The views of the page that are pictured: for its documentation, and to see that none changes unnoticed.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import type { Browser, Page } from 'playwright-core'
import { compose } from '../../src/compose.ts'
import { composeApp } from '../../src/compose-app.ts'
import { resolveSettings } from '../../src/core/settings/settings.ts'
import { type Client, createClient } from '../../src/protocol/index.ts'
import type { MachineSessions } from '../../src/server/ports.ts'
import { openStore } from '../../src/stores/index.ts'
import { systemClock } from '../../src/system.ts'
import { until, within } from '../wait.ts'
import { builtPage } from './built-page.ts'

const SAMPLE = fileURLToPath(new URL('../../samples/session.jsonl', import.meta.url))
const MESSAGES = [
  'Which of the two bookings was the wrong one, and what do we tell the boat?',
  'Now write the release note for the harbour office, in three sentences.',
]

export const SIZES = {
  desk: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const
export const THEMES = ['light', 'dark'] as const

export interface View {
  readonly name: string
  readonly hasThread: boolean
  show(page: Page): Promise<void>
}

const tab = (name: string) => async (page: Page) => {
  await page.getByRole('tab', { name, exact: true }).click()
}

export const VIEWS: readonly View[] = [
  {
    name: 'start',
    hasThread: false,
    async show(page) {
      await page.getByRole('link', { name: /double booking/ }).waitFor()
      await page.getByText('Draw the tides').waitFor()
    },
  },
  {
    name: 'sessions',
    hasThread: false,
    async show(page) {
      await page.getByRole('link', { name: 'Sessions on this machine' }).click()
      await page.getByText('Draw the tides').waitFor()
    },
  },
  {
    name: 'thread',
    hasThread: true,
    async show(page) {
      await page.getByText('release note').last().waitFor()
      await page.getByText(/Last compaction: \d+ % smaller.*; removed/).waitFor()
    },
  },
  {
    name: 'model',
    hasThread: true,
    async show(page) {
      await tab('Model’s view')(page)
      const view = page.getByRole('region', { name: 'As the model sees it' })
      await view.getByRole('article').last().waitFor()
      await view.focus()
      await page.keyboard.press('Home')
      await view.getByRole('button', { name: 'Replaced entries' }).first().waitFor()
    },
  },
  {
    name: 'compactions',
    hasThread: true,
    async show(page) {
      await tab('Compactions')(page)
      await page.getByRole('region', { name: 'Before and after' }).waitFor()
    },
  },
  {
    name: 'aligned',
    hasThread: true,
    async show(page) {
      await tab('Compactions')(page)
      await page.getByRole('button', { name: 'Before and after side by side' }).click()
      const dialog = page.getByRole('dialog', { name: /extract at event/ })
      await dialog.locator('.pairs').first().scrollIntoViewIfNeeded()
      await dialog.locator('del', { hasText: /\w/ }).first().waitFor()
      await dialog
        .locator('.dialog-body')
        .evaluate('(body) => { body.scrollTop = body.querySelector(".pairs").offsetTop - 60 }')
    },
  },
  {
    name: 'window',
    hasThread: true,
    async show(page) {
      await tab('Window')(page)
      await page.getByRole('heading', { name: 'Largest entries' }).waitFor()
    },
  },
  {
    name: 'cost',
    hasThread: true,
    async show(page) {
      await tab('Cost')(page)
      await page.getByRole('cell', { name: 'dev/dev' }).waitFor()
    },
  },
  {
    name: 'compact',
    hasThread: true,
    async show(page) {
      await page.getByRole('button', { name: 'Compact…' }).click()
      await page.getByLabel('Strategy').selectOption('extract')
      await page.getByRole('region', { name: 'Removed' }).waitFor()
    },
  },
]

const FOUND = [
  [
    'claude-code',
    '/srv/harbour',
    'Two boats have the same berth on Friday. Find out why.',
    184_000,
  ],
  [
    'codex',
    '/srv/harbour',
    'Write the migration for the berth numbers, with a way back.',
    2_400_000,
  ],
  ['opencode', '/srv/ferry-times', 'The timetable is one hour off since Sunday', 61_200],
  ['pi', '/srv/tide-table', 'Which port gives the wrong tide, and since when?', 7_400],
  ['gemini-cli', '/srv/tide-table', 'Draw the tides of the week as one chart', 930],
] as const

/** Sessions that an agent might have left on the machine. */
const MACHINE: MachineSessions = {
  list: async () => ({
    items: FOUND.map(([agent, project, title, bytes], at) => ({
      id: String(at),
      agent,
      project,
      title,
      bytes,
      updatedAt: new Date(Date.now() - at * 86_400_000),
    })),
    total: FOUND.length,
  }),
  open: async () => '',
  follow: () => () => undefined,
  stateOf: async () => undefined,
}

export interface PicturedPage {
  readonly threadId: string
  /** The page with this view, ready to be pictured. */
  open(view: View, theme: (typeof THEMES)[number], size: keyof typeof SIZES): Promise<Page>
  close(): Promise<void>
}

/** The sample session, imported, compacted and continued, in the real page. */
export async function servePictured(browser: Browser): Promise<PicturedPage> {
  const settings = resolveSettings([
    {
      origin: 'flag',
      where: 'the pictures',
      values: {
        models: { default: 'dev' },
        catalogue: { 'dev/dev': { windowTokens: 96_000, price: { input: 3, output: 15 } } },
      },
    },
  ])
  const store = await openStore('memory:')
  const home = compose({ store, settings: settings.settings, environment: {} })
  const page = await builtPage()
  const { app, close } = composeApp(home, {
    settings,
    environment: {},
    version: '0.1.0',
    page,
    machine: MACHINE,
    access: {
      tokens: {
        isRequired: true,
        holderOf: () => ({ name: 'the picture', isOwnerOfMachine: true }),
      },
    },
  })
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  await within('the server to listen', once(server, 'listening'))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createClient({
    fetch: app.fetch,
    baseUrl: origin,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  })
  const threadId = await tellSample(client)
  return {
    threadId,
    async open(view, theme, size) {
      const context = await browser.newContext({
        viewport: SIZES[size],
        colorScheme: theme,
        locale: 'en-GB',
        timezoneId: 'UTC',
        reducedMotion: 'reduce',
        hasTouch: size === 'phone',
        isMobile: size === 'phone',
      })
      const opened = await context.newPage()
      await opened.goto(`${origin}/${view.hasThread ? `#/threads/${threadId}` : ''}`)
      if (view.hasThread) await opened.getByRole('region', { name: 'The window' }).waitFor()
      await view.show(opened)
      return opened
    },
    async close() {
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await close()
      await home.close()
    },
  }
}

async function tellSample(client: Client): Promise<string> {
  const { threadId } = await client.importThread(readFileSync(SAMPLE, 'utf8'))
  await client.compact(threadId, { strategy: 'extract' })
  for (const message of MESSAGES) {
    await client.send(threadId, message)
    await until('the end of the turn', async () => !(await client.thread(threadId)).isWorking)
  }
  return threadId
}

/** What changes from one run to the next is made the same: times. */
export async function takePicture(page: Page): Promise<Buffer> {
  await page.waitForFunction('!document.querySelector(".entry.waiting")')
  await page.evaluate(
    `for (const time of document.querySelectorAll('time')) time.textContent = '12:00'
     for (const day of document.querySelectorAll('.day')) day.textContent = 'Thursday'
     for (const note of document.querySelectorAll('.threads li .quiet')) note.textContent = '12:00 · imported'`,
  )
  return page.screenshot({ animations: 'disabled', caret: 'hide' })
}
