// The sessions of this machine in the page: found, filtered, opened with one click, and live while the agent writes.
import { appendFileSync, cpSync, mkdirSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../server/folder.ts'
import { startServe, writeHome } from '../server/serve-child.ts'
import { putBuiltPage } from './built-page.ts'
import { startChromium } from './chromium.ts'
import { barriers, CHROMIUM, complaintsOf } from './setup.ts'

const SAMPLES = fileURLToPath(new URL('../../samples/sessions/', import.meta.url))
const CLAUDE = '.claude/projects/-kettle/5a3c9e10-0000-4000-8000-000000000001.jsonl'
const SESSIONS = [
  [CLAUDE, 'claude-code', '2026-03-03T10:00:00Z'],
  [
    '.codex/sessions/rollout-c0de0000-0000-4000-8000-000000000001.jsonl',
    'codex',
    '2026-03-02T10:00:00Z',
  ],
  [
    '.pi/agent/sessions/--kettle--/2026_99999999-2222-4333-8444-555555555555.jsonl',
    'pi',
    '2026-03-01T10:00:00Z',
  ],
] as const

describe.skipIf(!CHROMIUM.available)(`sessions of this machine ${CHROMIUM.notice}`, () => {
  let browser: Browser | undefined
  beforeAll(async () => {
    await putBuiltPage()
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  async function setUp(...args: string[]) {
    const folder = temporaryFolder()
    writeHome(folder, 'http://127.0.0.1:9')
    for (const [name, from, at] of SESSIONS) {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      cpSync(`${SAMPLES}${from}.jsonl`, path)
      utimesSync(path, new Date(at), new Date(at))
    }
    const child = await startServe(folder, args)
    onTestFinished(async () => {
      await child.end('SIGKILL')
    })
    const open = async (width: number, height: number): Promise<Page> => {
      if (!browser) throw new Error('the browser has not been started')
      const context = await browser.newContext({ viewport: { width, height } })
      const page = await context.newPage()
      const complaints = complaintsOf(page)
      onTestFinished(async () => {
        await context.close()
        expect(complaints).toEqual([])
      })
      await page.goto(child.pageUrl)
      return page
    }
    const write = (uuid: string, text: string, parentUuid: string) => {
      const message = { role: 'user', content: text }
      const record = { parentUuid, isSidechain: false, cwd: '/kettle', type: 'user', uuid, message }
      const more = { sessionId: '5a3c9e10-0000-4000-8000-000000000001', userType: 'external' }
      const timestamp = '2026-03-01T10:00:00.000Z'
      appendFileSync(join(folder, CLAUDE), `${JSON.stringify({ ...record, ...more, timestamp })}\n`)
    }
    return { ...child, open, write }
  }

  it('lists them newest first, filters, opens one, and shows what its agent writes', async () => {
    const { open, client, write } = await setUp()
    await client.createThread({ title: 'Begun before' })
    const page = await open(1280, 800)
    const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
    await rows.nth(2).waitFor()
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/heat\.ts and its test[\s\S]*Claude Code[\s\S]*kettle[\s\S]*12 kB/),
      expect.stringMatching(/overshoot[\s\S]*Codex[\s\S]*7\.2 kB[\s\S]*d ago/),
      expect.stringMatching(/pi\s/),
    ])
    await page.getByRole('link', { name: 'Sessions on this machine' }).click()
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Filter the sessions').fill('claude kettle')
    await rows.nth(1).waitFor({ state: 'detached' })
    expect(await rows.count()).toBe(1)
    await rows.getByRole('button').click()

    await page.getByRole('heading', { name: /kettle controller/ }).waitFor()
    await page.getByText('follows Claude Code').waitFor()
    const transcript = page.getByRole('region', { name: 'Transcript' })
    await transcript.getByText('npm is not').first().waitFor()
    // What came in stands first in the list, marked, though its last event is old.
    write('u9', 'And what of the lid?', 'a8')
    await transcript.getByText('And what of the lid?').waitFor()
    write('u10', 'And the base?', 'u9')
    await transcript.getByText('And the base?').waitFor()
    const first = page.getByRole('navigation', { name: 'Threads' }).getByRole('listitem').first()
    await first.locator('[aria-current=page]').waitFor()
    expect(await first.getAttribute('data-new')).toBe('true')
    await page.reload()
    await transcript.getByText('And the base?').waitFor()
    await first
      .locator('[aria-current=page]')
      .getByText(/imported/)
      .waitFor()

    // Opened again it is the same thread, and the list says so.
    const { threadId } = (await client.sessions({ search: 'claude' })).items[0] ?? {}
    await page.getByRole('link', { name: 'Sessions on this machine' }).click()
    await rows.filter({ hasText: 'opened before' }).getByRole('button').click()
    await page.waitForURL(new RegExp(`${threadId}$`))
  })

  it('fits on a phone, and is not offered where nobody is the owner of the machine', async () => {
    const { open } = await setUp()
    const page = await open(390, 844)
    await page.getByRole('link', { name: 'Sessions on this machine' }).click()
    const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('button')
    await rows.nth(2).waitFor()
    for (const row of await rows.all()) {
      const box = await row.boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
    }
    const wide = await page.evaluate('document.documentElement.scrollWidth')
    expect(wide).toBeLessThanOrEqual(390)

    const other = await setUp('--no-token')
    const plain = await other.open(1280, 800)
    await plain.getByRole('heading', { name: 'Start a thread' }).waitFor()
    expect(await plain.getByText('Sessions on this machine').count()).toBe(0)
  })
})
