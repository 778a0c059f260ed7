// What stands over the screen: it owns its rows, Escape goes one step back, and no list acts on what was deleted.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answer, result, user } from '../say.ts'
import { type ChatSetup, exchange, openChat } from './setup.ts'

async function compactedTwice(chat: ChatSetup): Promise<void> {
  for (const round of [1, 2]) {
    const id = `c${round}`
    await chat.home.threads.append(chat.threadId, [
      user(`question ${round} ${'wide '.repeat(30)}`),
      ...answer(`I look at ${round}.`, id),
      result(id, `content of file ${round}\n`.repeat(400)),
      ...answer(`Answer ${round}.`),
    ])
    await chat.client.compact(chat.threadId, { strategy: 'trim-tool-results' })
  }
  await chat.terminal.sees('Answer 2.')
}

/** The lines of a box from its top to its bottom, as they are on the screen. */
function rowsOfBox(screen: string): string[] {
  const lines = screen.split('\n')
  const top = lines.findIndex((line) => line.includes('┌'))
  const bottom = lines.findIndex((line) => line.includes('└'))
  return lines.slice(top, bottom + 1)
}

describe('an overlay', () => {
  it.each([
    [80, 24],
    [40, 12],
    [130, 40],
    [20, 6],
  ])('owns its rows at %i × %i', async (columns, rows) => {
    const chat = await openChat({ columns, rows })
    await compactedTwice(chat)
    chat.terminal.press('ctrl-g')
    const screen = await chat.terminal.sees('Compactions')
    expect(screen).toMatch(/→ \d{4}-\d\d-\d\d/) // when it was, at any width
    const box = rowsOfBox(screen)
    expect(box.length).toBeGreaterThan(3)
    for (const line of box) expect(line).toMatch(/^[┌│└].*[┐│┘]\s*$/)
    chat.terminal.press('escape')
    await chat.terminal.sees('┌', false)
    chat.terminal.enter('/help')
    const help = await chat.terminal.sees('Commands')
    for (const line of rowsOfBox(help)) expect(line.trimEnd().length).toBeLessThanOrEqual(columns)
  })

  it('goes one step back with Escape: from a text to its compaction, to the list, to the chat', async () => {
    const chat = await openChat({ columns: 100, rows: 30 })
    await compactedTwice(chat)
    chat.terminal.press('ctrl-g')
    // When each was, and how much: they are by the same strategy.
    const list = await chat.terminal.sees('Compactions')
    expect(
      list.match(
        /\d{4}-\d\d-\d\d \d\d:\d\d +trim-tool-results, [\d.]+k → [\d.]+k? tokens, event \d+/g,
      ),
    ).toHaveLength(2)
    chat.terminal.press('enter')
    await chat.terminal.sees('Compaction by trim-tool-results')
    chat.terminal.type('Report')
    chat.terminal.press('enter')
    await chat.terminal.sees('Largest')
    chat.terminal.press('escape')
    await chat.terminal.sees('Compaction by trim-tool-results')
    chat.terminal.press('escape')
    await chat.terminal.sees('Compactions')
    chat.terminal.press('escape')
    await chat.terminal.sees('Enter chooses', false)
  })

  it('forgets what was typed with the first Escape, and closes with the next', async () => {
    const chat = await openChat({ columns: 40, rows: 12 })
    await compactedTwice(chat)
    chat.terminal.press('ctrl-g')
    await chat.terminal.sees('Enter chooses, Esc leaves it ') // whole, where there is little room
    chat.terminal.press('enter')
    await chat.terminal.sees('Compaction by trim')
    chat.terminal.type('Rep')
    await chat.terminal.sees('/Rep')
    chat.terminal.press('escape')
    await chat.terminal.sees('/Rep', false)
    await chat.terminal.sees('Compaction by trim')
    chat.terminal.press('escape')
    await chat.terminal.sees('Compactions')
  })

  it('puts the words of /help under their commands where there is no room beside them', async () => {
    const chat = await openChat({ columns: 60, rows: 30 })
    chat.terminal.enter('/help')
    const screen = await chat.terminal.sees('/compact')
    const lines = rowsOfBox(screen).map((line) => line.replace(/[│┌┐└┘]/g, '').trim())
    const words = lines.filter((line) => /^[A-Z][a-z]+ /.test(line) && !line.startsWith('Up, Down'))
    expect(words.length).toBeGreaterThan(3)
    for (const line of words) expect(line.split(/\s+/).length).toBeGreaterThan(2)
  })
})

describe('the list of completions', () => {
  it('runs nothing that was deleted', async () => {
    const chat = await openChat()
    chat.terminal.type('/c')
    await chat.terminal.sees('/compactions')
    chat.terminal.press('ctrl-u')
    await chat.terminal.sees('/compactions', false)
    chat.terminal.press('enter')
    chat.terminal.enter('Hello')
    await chat.terminal.sees('Hello')
    const types = (await chat.client.events(chat.threadId)).map(({ type }) => type)
    expect(types.filter((type) => type.startsWith('COMPACTION'))).toEqual([])
  })

  it('closes when the word is deleted, and a slash alone is not said', async () => {
    const chat = await openChat()
    chat.terminal.type('/comp')
    await chat.terminal.sees('/compactions')
    chat.terminal.press('ctrl-w')
    await chat.terminal.sees('/compactions', false)
    chat.terminal.press('enter')
    await chat.terminal.sees('Type a command behind the slash.')
    const types = (await chat.client.events(chat.threadId)).map(({ type }) => type)
    expect(types).not.toContain('USER_MESSAGE')
  })

  it('completes nothing in front of what is typed', async () => {
    const chat = await openChat()
    chat.terminal.type('/com')
    await chat.terminal.sees('/compactions')
    chat.terminal.press('ctrl-u')
    chat.terminal.type('/context')
    chat.terminal.press('enter')
    await chat.terminal.sees(/tokens.*(?:estimated|measured)|How full the context is/)
    const said = (await chat.client.events(chat.threadId)).filter(
      ({ type }) => type === 'USER_MESSAGE',
    )
    expect(said).toEqual([])
  })
})

describe('an approval', () => {
  it('allows the same command always, and no other', async () => {
    const call = (command: string) => ({ calls: [{ name: 'run', arguments: { command } }] })
    const script = [call('echo one'), call('echo one'), call('echo two'), { text: 'The end.' }]
    const chat = await openChat({ dev: { script } })
    chat.terminal.enter('go')
    await chat.terminal.sees('run: echo one')
    chat.terminal.type('always')
    chat.terminal.press('enter')
    const next = await chat.terminal.sees('run: echo two')
    expect(next).not.toContain('run: echo one')
    chat.terminal.press('escape')
    const screen = await chat.terminal.sees('The end.')
    expect(screen.match(/✓ run echo one/g)).toHaveLength(2)
    expect(screen).toContain('(denied)')
  })

  it('shows what an edit changes', async () => {
    const edit = { path: 'a.txt', oldText: 'port 8080', newText: 'port 4711' }
    const script = [{ calls: [{ name: 'edit', arguments: edit }] }, { text: 'The end.' }]
    const chat = await openChat({ dev: { script } })
    chat.terminal.enter('go')
    const question = await chat.terminal.sees('Allow')
    expect(question).toContain('- port 8080')
    expect(question).toContain('+ port 4711')
    chat.terminal.press('escape')
    await chat.terminal.sees('The end.')
  })

  it('shows what a new file holds', async () => {
    const file = { path: 'a.txt', content: 'port 4711\nhost quay\n' }
    const script = [{ calls: [{ name: 'write', arguments: file }] }, { text: 'The end.' }]
    const chat = await openChat({ dev: { script } })
    chat.terminal.enter('go')
    const question = await chat.terminal.sees('Allow')
    expect(question).toMatch(/│ \+ port 4711 *│\n│ {3}│ \+ host quay/)
    chat.terminal.press('escape')
    await chat.terminal.sees('The end.')
  })

  it('shows what replacing a file changes in it as it is now, and all of it on demand', async () => {
    const lines = (port: number) =>
      Array.from({ length: 40 }, (_, at) => (at === 20 ? `port ${port}` : `line ${at}`)).join('\n')
    const file = { path: 'a.txt', content: lines(4711) }
    const script = [{ calls: [{ name: 'write', arguments: file }] }, { text: 'The end.' }]
    const chat = await openChat({ dev: { script } })
    writeFileSync(join(chat.folder, 'a.txt'), lines(8080))
    chat.terminal.enter('go')
    const question = await chat.terminal.sees('Allow')
    expect(question).toMatch(
      /│ @@ line 19 @@ *│\n.*│ {3}line 18 *│\n.*│ {3}line 19 *│\n.*│ - port 8080 *│\n.*│ \+ port 4711 *│\n/,
    )
    expect(question).not.toContain('line 30')
    chat.terminal.type('s')
    chat.terminal.press('enter')
    await chat.terminal.sees('path: a.txt')
    for (let page = 0; page < 8; page += 1) chat.terminal.press('page-down')
    await chat.terminal.sees('+ line 39')
    chat.terminal.press('escape')
    await chat.terminal.sees('port 8080')
    writeFileSync(join(chat.folder, 'a.txt'), 'somebody was here')
    chat.terminal.type('y')
    chat.terminal.press('enter')
    await chat.terminal.sees('The end.')
    expect(readFileSync(join(chat.folder, 'a.txt'), 'utf8')).toBe('somebody was here')
  })

  it('of a file with few long lines is not answered by the first Enter', async () => {
    const file = { path: 'a.txt', content: `${'fill '.repeat(800)}the-very-end` }
    const script = [{ calls: [{ name: 'write', arguments: file }] }, { text: 'The end.' }]
    const chat = await openChat({ dev: { script } })
    chat.terminal.enter('go')
    expect(await chat.terminal.sees('→ Show')).not.toContain('the-very-end')
    chat.terminal.press('escape')
    await chat.terminal.sees('The end.')
  })

  it('is answered at 20 × 6, and not by the Enter that shows all of it', async () => {
    const command = 'echo one two three four five six'
    const script = [{ calls: [{ name: 'run', arguments: { command } }] }, { text: 'The end.' }]
    const chat = await openChat({ columns: 20, rows: 6, dev: { script } })
    chat.terminal.enter('go')
    await chat.terminal.sees('→ Show')
    chat.terminal.press('enter')
    await chat.terminal.sees('four five')
    chat.terminal.press('escape')
    await chat.terminal.sees('→ Show')
    chat.terminal.type('y')
    await chat.terminal.sees('→ Allow')
    chat.terminal.press('enter')
    await chat.terminal.sees('The end.')
    const results = (await chat.client.events(chat.threadId)).filter(
      ({ type }) => type === 'TOOL_RESULT',
    )
    expect(JSON.stringify(results)).toContain('one two three four five six')
  })
})

describe('at 40 × 12', () => {
  it('a reply that is longer than the screen is read from its beginning', async () => {
    const chat = await openChat({ columns: 40, rows: 12 })
    await exchange(chat, 'hello', 'You said “hello”')
    chat.terminal.enter('/context')
    const screen = await chat.terminal.sees('more below')
    expect(screen).toMatch(
      /^ {2}\/context *\n.*of 200k tokens \(1 %\), measured *\n {2}system +[▏▎▍▌▋▊▉█]/,
    )
    chat.terminal.press('page-down', 'page-down')
    await chat.terminal.sees('user: hello')
    await exchange(chat, 'and on', 'You said “and on”')
  })

  it('says once what a compaction fell back from', async () => {
    const chat = await openChat({ columns: 40, rows: 40, preset: 'precis' })
    await chat.home.threads.append(chat.threadId, [
      user('Look at the settings.'),
      ...answer('I look.', 'c1'),
      result('c1', 'a line of the settings\n'.repeat(4_000)),
      ...answer('Looked.'),
    ])
    chat.terminal.enter('/compact keep the port')
    await chat.terminal.sees('Conversation compacted.')
    await chat.terminal.sees(/billed [1-9]/)
    const screen = await chat.terminal.sees('compacted by brief')
    expect(screen.match(/Fell back/g)).toHaveLength(1)
    expect(screen).toMatch(/sections?.*\n[\s\S]*\n {2}Conversation compacted\. *\n/)
  })
})
