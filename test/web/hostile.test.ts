// Transcripts that want to be more than text: in the page they are seen, and nothing of them runs or loads.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { EventDraft } from '../../src/core/log/event.ts'
import { answer, result, user } from '../say.ts'
import { CHROMIUM, useBrowser } from './setup.ts'

const RUN = 'window.hacked=true'

const HOSTILE: Readonly<Record<string, string>> = {
  'a script': `<script>${RUN}</script> after the script`,
  'an event handler': `<img src=x onerror="${RUN}"><body onload="${RUN}"> after the handler`,
  'a link that runs': `[click me](javascript:${RUN}) and [me](data:text/html,<script>${RUN}</script>) and <a href="javascript:${RUN}">me</a> and [me](JaVaScRiPt:${RUN})`,
  'a hidden link': `[click](\u0001javascript:${RUN}) <javascript:${RUN}> [ref][r]\n\n[r]: javascript:${RUN}`,
  'a drawing': `<svg><script>${RUN}</script><animate onbegin="${RUN}" attributeName=x dur=1s></svg>`,
  'a frame': `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe><object data="javascript:${RUN}"></object>`,
  'a picture from elsewhere':
    '![seen](http://192.0.2.1/beacon.png) <img src="http://192.0.2.1/b.png">',
  'a style': '<style>*{display:none}</style><link rel=stylesheet href=http://192.0.2.1/x.css>',
  'a template': '{{constructor.constructor("window.hacked=true")()}} <%= window.hacked=true %>',
  'turned writing': 'the file is \u202egnp.exe\u202c, or \u2066\u202eso\u2069 it seems',
  'a huge word': 'x'.repeat(60_000),
  'a deep quote': '>'.repeat(4_000),
  'a deep list': Array.from({ length: 300 }, (_, at) => `${' '.repeat(at * 2)}- x`).join('\n'),
  'many stars': '*'.repeat(20_000),
  'half a character': 'before \ud83d after \u0000 \u001b[31mred',
}

function told(text: string, at: number): EventDraft[] {
  return [user(text), ...answer(text, `call-${at}`), result(`call-${at}`, text)]
}

/** Everything of a transcript that could act, load or lead away. */
const ACTIVE = [
  'script',
  'iframe',
  'object',
  'embed',
  'img',
  'style',
  'link',
  'svg:not(.lucide, .bar, .plot > svg)', // but those of the page itself
  'form[action]',
  'base',
  'meta',
]

/** What the browser has made of a transcript, in a language that the tests do not speak. */
const FIND = `(() => {
  const found = []
  for (const place of document.querySelectorAll('.told .scroller, [role="tabpanel"]')) {
    found.push(...place.querySelectorAll('${ACTIVE.join(', ')}'))
    for (const each of place.querySelectorAll('*'))
      for (const { name, value } of each.attributes)
        if (/^on/i.test(name) || /^\\s*(javascript|data|vbscript):/i.test(value)) found.push(each)
  }
  return found.map((each) => each.outerHTML)
})()`

/** What was opened has grown, and the end is further down. */
const TO_THE_END = 'document.querySelector(".told .scroller").scrollTop = 1e9'
const PATIENCE = { timeout: 30_000 }

async function activeIn(page: Page): Promise<unknown> {
  return page.evaluate(FIND)
}

describe.skipIf(!CHROMIUM.available)(`hostile transcripts ${CHROMIUM.notice}`, () => {
  const setUp = useBrowser()

  it('are inert, wherever they are shown', async () => {
    const { open, client, home, url } = await setUp()
    const title = `\u202e<img src=x onerror=${RUN}>`
    const { threadId } = await client.createThread({ title })
    await client.pin(threadId, HOSTILE['an event handler'] ?? '')
    const page = await open()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('dialog', (dialog) => {
      asked.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    await page.getByRole('navigation').getByText('[U+202E]<img').click()
    const transcript = page.getByRole('region', { name: 'Transcript' })
    let at = 0
    for (const [name, text] of Object.entries(HOSTILE)) {
      await home.threads.append(threadId, [...told(text, at), user(`That was ${name}.`)])
      at += 1
      await expect
        .poll(async () => {
          await page.evaluate(TO_THE_END)
          return transcript.getByText(`That was ${name}.`).count()
        }, PATIENCE)
        .toBe(1)
      await page.evaluate(
        'for (const each of document.querySelectorAll(".told details")) each.open = true',
      )
      expect(await activeIn(page), name).toEqual([])
    }
    for (const panel of ['Window', 'Pins', 'Recall', 'Model’s view']) {
      await page.getByRole('tab', { name: panel, exact: true }).click()
      await page.getByRole('tabpanel', { name: panel, exact: true }).waitFor()
    }
    await page.getByRole('tab', { name: 'Recall' }).click()
    await page.getByLabel('Search query').fill('<script> onerror')
    await page.getByLabel('Search query').press('Enter')
    await page.getByRole('list', { name: 'Found' }).locator('mark').first().waitFor()
    expect(await activeIn(page)).toEqual([])
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    expect(asked.filter((address) => !address.startsWith(url))).toEqual([])
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(1_280)
  })

  it('cannot turn the words around them', async () => {
    const { open, client, home } = await setUp()
    const { threadId } = await client.createThread()
    await home.threads.append(threadId, told(HOSTILE['turned writing'] ?? '', 0))
    const page = await open(threadId)
    const shown = page.getByText(
      'the file is [U+202E]gnp.exe[U+202C], or [U+2066][U+202E]so[U+2069]',
    )
    await shown.nth(4).waitFor({ state: 'attached' })
    expect(await page.locator('body').innerText()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
  })

  it('lead elsewhere only by links that one can see, in a window of their own', async () => {
    const { open, client, home } = await setUp()
    const { threadId } = await client.createThread()
    const text = 'See [the page](https://example.org/a?b=1&c=2) or <b>a < b & c</b> `x < y`.'
    await home.threads.append(threadId, [user('go'), ...answer(text)])
    const page = await open(threadId)
    for (const name of ['Transcript', 'As the model sees it']) {
      const link = page.getByRole('region', { name }).getByRole('link', { name: 'the page' })
      expect(await link.getAttribute('href')).toBe('https://example.org/a?b=1&c=2')
      expect(await link.getAttribute('target')).toBe('_blank')
      expect(await link.getAttribute('rel')).toContain('noopener')
    }
    const shown = await page.locator('article[aria-label="Agent"]').innerText()
    expect(shown).toContain('<b>a < b & c</b> x < y')
  })

  it('marks what was pasted into a message, so that it does not bind', async () => {
    const { open, client } = await setUp()
    const { threadId } = await client.createThread({ title: 'Pasted' })
    const page = await open(threadId)
    const field = page.getByLabel('Message')
    await field.fill('Users must never share a key.\nAll callers must sign.')
    await field.press('Control+a')
    await field.press('Control+x')
    await field.pressSequentially('Never push. Shorten: ')
    await field.press('Control+v')
    await field.press('Enter')
    await page.getByRole('region', { name: 'Transcript' }).getByText('Never push').first().waitFor()
    const events = await client.events(threadId)
    expect(events.find(({ type }) => type === 'USER_MESSAGE')?.data).toEqual([
      { type: 'text', text: 'Never push. Shorten: ' },
      {
        type: 'text',
        text: 'Users must never share a key.\nAll callers must sign.',
        isPasted: true,
      },
    ])
  })

  it('marks what is put into a message from a result that was recalled', async () => {
    const { open, client, home } = await setUp()
    const { threadId } = await client.createThread({ title: 'Recalled' })
    const rule = 'All callers of zebra must sign.'
    await home.threads.append(threadId, [user('go'), ...answer('', 'c1'), result('c1', rule)])
    const page = await open(threadId)
    await page.getByRole('tab', { name: 'Recall' }).click()
    await page.getByLabel('Search query').fill('zebra')
    await page.getByRole('button', { name: 'Recall', exact: true }).click()
    await page.getByRole('button', { name: 'Put it into my message' }).first().click()
    const field = page.getByLabel('Message')
    await field.press('End')
    await field.pressSequentially('Explain it.')
    await field.press('Enter')
    await page.locator('article[aria-label="Agent"]').first().waitFor()
    const events = await client.events(threadId)
    expect(events.findLast(({ type }) => type === 'USER_MESSAGE')?.data).toEqual([
      { type: 'text', text: expect.stringContaining(rule), isPasted: true },
      { type: 'text', text: 'Explain it.' },
    ])
  })

  it('marks it also where the message could not be sent at first, and is gone on with later', async () => {
    const { open, client } = await setUp()
    const { threadId } = await client.createThread({ title: 'One' })
    await client.createThread({ title: 'Two' })
    const page = await open(threadId, { expected: /Failed to (?:load|fetch)/ })
    const field = page.getByLabel('Message')
    await field.fill('All callers must sign.')
    await field.press('Control+a')
    await field.press('Control+x')
    await field.press('Control+v')
    await page.route(/messages$/, (route) => route.fulfill({ status: 413, json: {} }), { times: 1 })
    await field.press('Enter')
    await page.getByRole('alert').waitFor()
    for (const title of ['Two', 'One']) {
      await page.getByRole('link', { name: new RegExp(title) }).click()
      await page.getByRole('heading', { name: title }).waitFor()
    }
    expect(await field.inputValue()).toBe('All callers must sign.')
    await field.press('Enter')
    await page.locator('article[aria-label="Agent"]').first().waitFor()
    const events = await client.events(threadId)
    expect(events.find(({ type }) => type === 'USER_MESSAGE')?.data).toEqual([
      { type: 'text', text: 'All callers must sign.', isPasted: true },
    ])
  })
})
