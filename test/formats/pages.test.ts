// Pages for people: everything of a context is on them, and nothing of it acts.
import { expect, it } from 'vitest'
import { buildTranscript, PAGE_FORMATS } from '../../src/formats/pages.ts'
import { answer, reminder, result, system, user } from '../say.ts'
import { threadOf } from './session.ts'

const HOSTILE = '<script>alert(1)</script> "quoted" & \'more\' ```\n# not a heading\n```'

async function pages(): Promise<Record<string, string>> {
  const { view } = await threadOf([
    system('be brief'),
    user(HOSTILE),
    ...answer('I look', 'a'),
    result('a', `found\n${HOSTILE}`, 'failed'),
    reminder('be kind'),
    ...answer('done'),
  ])
  return Object.fromEntries(
    PAGE_FORMATS.map(({ id, write }) => [id, write(view, 'A <b> title').text]),
  )
}

it('hold every part of a context, in order', async () => {
  for (const text of Object.values(await pages())) {
    const places = [
      'be brief',
      'alert(1)',
      'I look',
      'read',
      'failed',
      'found',
      'be kind',
      'done',
    ].map((words) => text.indexOf(words))
    expect(places.every((place) => place >= 0)).toBe(true)
    expect(places).toEqual([...places].sort((one, other) => one - other))
  }
})

it('an HTML page runs nothing and loads nothing', async () => {
  const { html = '' } = await pages()
  expect(html).not.toMatch(/<script|<b>|src=|href=|javascript:/)
  expect(html).toContain("default-src 'none'")
})

it('a fence in Markdown is longer than any in what it holds', async () => {
  const { markdown = '' } = await pages()
  expect(markdown).toContain('````\nfound')
})

it('the table of contents marks a line that it cuts, and cuts no character', async () => {
  const long = `${'x'.repeat(98)}👩‍🚒 and more`
  const { threads, threadId } = await threadOf([user('short'), ...answer('yes'), user(long)])
  const lines = buildTranscript(await threads.getAllEvents(threadId)).flatMap(
    ({ contents }) => contents ?? [],
  )
  expect(lines).toEqual(['short', `${'x'.repeat(98)}…`])
})
