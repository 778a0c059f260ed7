// Scrolling a transcript in Chromium: the time of the page's own work for each frame, long thread and short
import type { Browser, CDPSession, Page } from 'playwright-core'
import { compose } from '../../src/compose.ts'
import { composeApp } from '../../src/compose-app.ts'
import { resolveSettings } from '../../src/core/settings/settings.ts'
import { listen } from '../../src/server/http/listen.ts'
import { openStore } from '../../src/stores/index.ts'
import { builtPage } from '../../test/web/built-page.ts'
import { startChromium } from '../../test/web/chromium.ts'
import { fill } from '../../test/web/long-thread.ts'
import { type Answered, compare, type Goal } from '../figure.ts'
import { interleave } from '../measure.ts'
import type { Settings } from './settings.ts'

/** A thread a hundred times as long scrolls like a short one. */
const GOAL: Goal = { is: 'at most', ratio: 1.5 }
const EVENTS_PER_ROUND = 5
const PATIENCE_MS = 300_000

/** Run in the page: up and down again, a step for each frame that is drawn. */
const SCROLL = `async (frames) => {
  const place = document.querySelector('.told .scroller')
  for (let at = 0; at < frames; at += 1) {
    place.scrollTop += at < frames / 2 ? -240 : 240
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))
  }
}`

export async function scrollCost(settings: Settings): Promise<Answered[]> {
  const { longRounds, shortRounds, rounds, framesPerRound: frames } = settings
  const served = await serve()
  const browser = await startChromium()
  try {
    const long = await openThread(browser, served, longRounds)
    const short = await openThread(browser, served, shortRounds)
    const series = await interleave(
      { long: () => frameMs(long, frames), short: () => frameMs(short, frames) },
      { rounds, warmUps: 1 },
    )
    const events = (count: number) =>
      `${(count * EVENTS_PER_ROUND).toLocaleString('en-US')} events, all of them loaded`
    return [
      compare(
        {
          id: 'scroll-frame',
          unit: 'ms',
          subject: events(longRounds),
          reference: events(shortRounds),
          goal: GOAL,
        },
        series.long,
        series.short,
      ),
    ]
  } finally {
    await browser.close()
    await served.close()
  }
}

type Served = Awaited<ReturnType<typeof serve>>

async function serve() {
  const settings = resolveSettings([
    { origin: 'flag', where: 'the benchmark', values: { models: { default: 'dev' } } },
  ])
  const store = await openStore('memory:')
  const home = compose({ store, settings: settings.settings, environment: {} })
  const page = await builtPage()
  const { app, close } = composeApp(home, { settings, environment: {}, version: '0', page })
  const listening = await listen(app, { host: '127.0.0.1', port: 0 })
  return {
    home,
    url: listening.url,
    async close() {
      await close()
      await listening.close()
      await home.close()
    },
  }
}

interface OpenThread {
  readonly page: Page
  readonly devTools: CDPSession
}

/** With everything loaded from its first event on, at a place in the middle. */
async function openThread(browser: Browser, served: Served, rounds: number): Promise<OpenThread> {
  const { home, url } = served
  const threadId = await home.threads.create({ title: `${rounds} rounds` })
  await fill(home.store, threadId, 1, rounds)
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  page.setDefaultTimeout(PATIENCE_MS)
  await page.goto(`${url}/#/threads/${threadId}`)
  const view = page.getByRole('region', { name: 'As the model sees it' })
  await view
    .getByText(`Answer ${rounds - 1}.`)
    .first()
    .waitFor()
  await view.focus()
  await page.keyboard.press('Home')
  await view.getByText('Question 0 of many.').waitFor()
  await view.getByRole('button', { name: 'Show in the transcript' }).first().click()
  const transcript = page.getByRole('region', { name: 'Transcript' })
  await transcript.getByText('Question 0 of many.').waitFor()
  await page.evaluate(
    "{ const place = document.querySelector('.told .scroller'); place.scrollTop = place.scrollHeight / 2 }",
  )
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Performance.enable')
  return { page, devTools }
}

/** Milliseconds of the page's own work for each frame. */
async function frameMs({ page, devTools }: OpenThread, frames: number): Promise<number> {
  await page.bringToFront()
  const before = await taskSeconds(devTools)
  await page.evaluate(`(${SCROLL})(${frames})`)
  return ((await taskSeconds(devTools)) - before) * (1_000 / frames)
}

async function taskSeconds(devTools: CDPSession): Promise<number> {
  const { metrics } = await devTools.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
}
