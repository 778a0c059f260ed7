// Talking in the chat: what is streamed, typed meanwhile, asked for, stopped, recalled and resumed.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answerBehind, Door } from '../agent/past.ts'
import type { HeadlessTerminal } from './headless-terminal.ts'
import { exchange, openChat } from './setup.ts'

const SLOW = { kind: 'stall', ms: 60_000 } as const
const MIDDLE = { kind: 'stall', at: 'middle', ms: 60_000 } as const

/** The lines that are dim in every letter. */
async function dimmed(terminal: HeadlessTerminal): Promise<string[]> {
  const rows = (await terminal.cells()).map((cells) => cells.filter(({ text }) => text !== ' '))
  const lines = await terminal.lines()
  return lines.filter((_, row) => rows[row]?.every(({ isDim }) => isDim) && rows[row].length > 0)
}

describe('a conversation', () => {
  it('draws Markdown, and shows thinking dimmed and tools folded', async () => {
    const chat = await openChat({
      rows: 40,
      dev: {
        script: [
          {
            thinking: 'Where would that be?',
            text: 'Let me **look**.',
            calls: [{ name: 'read', arguments: { path: 'long.txt' } }],
          },
          { text: '# Found\n\n- `one`\n- two' },
        ],
      },
    })
    const rows = Array.from({ length: 40 }, (_, index) => `row ${index + 1}`).join('\n')
    writeFileSync(join(chat.folder, 'long.txt'), rows)
    const screen = await exchange(chat, 'look at it', 'Found')
    expect(screen).toContain('› look at it')
    expect(screen).toContain('Let me look.')
    expect(screen).toMatch(/✓ read long\.txt\n.*row 1\n/)
    expect(screen).toMatch(/… \d+ more lines \(Ctrl\+O\)/)
    expect(screen).not.toContain('row 30')
    expect(screen).toMatch(/- one\n- two/)
    expect(await dimmed(chat.terminal)).toContain('∴ Where would that be?')
    expect(await dimmed(chat.terminal)).not.toContain('Let me look.')
    chat.terminal.press('ctrl-o')
    await chat.terminal.sees('row 38')
    chat.terminal.press('ctrl-o')
    await chat.terminal.sees('row 38', false)
  })

  it('opens one block by keys, and by the mouse', async () => {
    const script = [
      { calls: [{ name: 'read', arguments: { path: 'long.txt' } }] },
      { text: 'Read it.' },
    ]
    const chat = await openChat({ rows: 40, dev: { script } })
    const rows = Array.from({ length: 20 }, (_, index) => `row ${index + 1}.`).join('\n')
    writeFileSync(join(chat.folder, 'long.txt'), rows)
    await exchange(chat, 'read', 'Read it.')
    chat.terminal.press('alt-up', 'enter')
    const open = await chat.terminal.sees('row 20.')
    const line = open.split('\n').findIndex((text) => text.includes('✓ read'))
    chat.terminal.press('escape')
    chat.terminal.click(3, line)
    await chat.terminal.sees('row 20.', false)
  })

  it('takes messages while it works, in order, each once [NEED-12]', async () => {
    const door = new Door()
    const chat = await openChat({
      dev: { script: [answerBehind(door, { text: 'First.' }), { text: 'Then both.' }] },
    })
    chat.terminal.enter('one')
    await chat.terminal.sees('Esc stops it')
    chat.terminal.enter('two')
    await chat.terminal.sees('queued: two')
    chat.terminal.enter('three')
    await chat.terminal.sees('queue 2')
    chat.terminal.type('half a thought')
    door.open()
    const screen = await chat.terminal.sees('Then both.')
    expect(screen).toContain('half a thought')
    await chat.terminal.sees('queue 0')
    const said = (await chat.client.events(chat.threadId)).filter(
      ({ type }) => type === 'USER_MESSAGE',
    )
    expect(said.map(({ data }) => data)).toEqual(['one', 'two', 'three'])
  })

  it.each([
    ['by the terminal before it was the chat’s', '\n'],
    ['by the chat before its thread was open', '\r'],
  ])('takes lines that were typed %s as one message each', async (_, enter) => {
    const chat = await openChat()
    const { threadId } = await chat.client.createThread({ preset: 'chat' })
    const terminal = chat.reopen(threadId)
    terminal.type(`one${enter}two${enter}/context${enter}half`)
    await terminal.sees('You said “two”')
    await terminal.sees(/tokens.*(?:estimated|measured)/)
    await terminal.sees(/─\nhalf *\n─/)
    const said = (await chat.client.events(threadId)).filter(({ type }) => type === 'USER_MESSAGE')
    expect(said.map(({ data }) => data)).toEqual(['one', 'two'])
    terminal.type('\nline')
    await terminal.sees(/─\nhalf *\nline *\n─/)
  })

  it('stops at Esc, keeps what was said, and gives back what waited [NEED-12]', async () => {
    const chat = await openChat({
      dev: { script: [{ text: 'A long answer that stops here somewhere.', fault: MIDDLE }] },
    })
    chat.terminal.enter('one')
    await chat.terminal.sees('A long')
    chat.terminal.enter('two')
    await chat.terminal.sees('queue 1')
    chat.terminal.press('escape')
    await chat.terminal.sees('[stopped here]')
    const screen = await chat.terminal.sees('Stopped.')
    expect(screen).toContain('queue 0')
    expect(screen).toMatch(/─\ntwo *\n─/)
  })

  it('gives back what waited in the order in which it was typed, also behind @compact', async () => {
    const chat = await openChat({ preset: 'fold', rows: 30 })
    await exchange(chat, 'hello', 'noted it')
    chat.dev.script(() => ({ text: 'late', fault: { kind: 'stall', ms: 60_000 } }))
    chat.terminal.enter('@compact one')
    await chat.terminal.sees(/compacting/i)
    chat.terminal.enter('two')
    await chat.terminal.sees('queue 1')
    chat.terminal.enter('three')
    await chat.terminal.sees('queue 2')
    chat.terminal.type('four')
    chat.terminal.press('escape')
    await chat.terminal.sees(/─\none *\n *\ntwo *\n *\nthree *\n *\nfour *\n─/)
  })

  it('shows which attempt comes next where the model fails in passing, and why', async () => {
    const overloaded = { fault: { kind: 'overloaded' } } as const
    const chat = await openChat({ dev: { script: [overloaded, { text: 'Here again.' }] } })
    await exchange(chat, 'one', /Asking again, attempt 2 of 5: /)
    await chat.terminal.sees('Here again.')
  })

  it('calls a compaction that was stopped stopped', async () => {
    const chat = await openChat({ preset: 'fold', rows: 30 })
    await exchange(chat, 'hello', 'noted it')
    chat.dev.script(() => ({ text: 'late', fault: { kind: 'stall', ms: 60_000 } }))
    chat.terminal.enter('/compact')
    await chat.terminal.sees(/compacting/i)
    chat.terminal.press('escape')
    expect(await chat.terminal.sees(/compaction stopped/i)).not.toMatch(/failed/i)
  })

  it('says what went wrong with a turn, and goes on', async () => {
    const chat = await openChat({ dev: { script: [{ fault: { kind: 'refusal' } }] } })
    await exchange(chat, 'one', /refus/i)
    await exchange(chat, 'two', 'You said “two”')
  })
})

describe('approval', () => {
  const script = [
    { calls: [{ name: 'run', arguments: { command: 'echo one' } }] },
    { text: 'The end.' },
  ]

  it('is asked for before a command runs, and given', async () => {
    const chat = await openChat({ dev: { script } })
    chat.terminal.enter('go')
    const screen = await chat.terminal.sees('Allow')
    expect(screen).toContain('run: echo one')
    chat.terminal.press('enter')
    expect(await chat.terminal.sees('The end.')).toMatch(/✓ run echo one/)
  })

  it('can be denied, and the agent goes on', async () => {
    const chat = await openChat({ dev: { script } })
    chat.terminal.enter('go')
    await chat.terminal.sees('Allow')
    chat.terminal.press('down', 'enter')
    expect(await chat.terminal.sees('The end.')).toContain('(denied)')
  })

  it('shows the whole call to whoever wants to see it before deciding', async () => {
    const command = `echo one; ${'true; '.repeat(150)}echo the-very-end`
    const calls = [{ name: 'run', arguments: { command } }]
    const chat = await openChat({ dev: { script: [{ calls }, { text: 'The end.' }] } })
    chat.terminal.enter('go')
    expect(await chat.terminal.sees('Allow')).not.toContain('the-very-end')
    chat.terminal.type('Show')
    chat.terminal.press('enter')
    await chat.terminal.sees('the-very-end')
    chat.terminal.press('escape')
    await chat.terminal.sees('Allow')
    chat.terminal.press('escape')
    expect(await chat.terminal.sees('The end.')).toContain('(denied)')
  })

  it('waits while somebody types: the Enter of a message allows nothing', async () => {
    const door = new Door()
    const [asks, ...rest] = script
    const chat = await openChat({ dev: { script: [answerBehind(door, asks ?? {}), ...rest] } })
    chat.terminal.enter('go')
    await chat.terminal.sees('Esc stops it')
    chat.terminal.type('by the way')
    await chat.terminal.sees('by the way')
    door.open()
    expect(await chat.terminal.sees('then decide: run echo one')).not.toContain('Allow')
    chat.terminal.press('enter')
    await chat.terminal.sees('Allow')
    expect((await chat.client.thread(chat.threadId)).approvals).toHaveLength(1)
    chat.terminal.press('enter')
    expect(await chat.terminal.sees('The end.')).toMatch(/✓ run echo one/)
    const said = (await chat.client.events(chat.threadId)).map(({ data }) => data)
    expect(said).toContain('by the way')
  })

  it('is taken back where somebody else has answered', async () => {
    const chat = await openChat({ dev: { script } })
    chat.terminal.enter('go')
    await chat.terminal.sees('Allow')
    const [approval] = (await chat.client.thread(chat.threadId)).approvals
    await chat.client.decide(chat.threadId, approval?.callId ?? '', 'allow')
    await chat.terminal.sees('The end.')
    await chat.terminal.sees('Enter chooses', false)
  })
})

describe('the editor', () => {
  it('takes several lines, long pastes as one word, and remembers what was sent', async () => {
    const chat = await openChat({ rows: 40 })
    chat.terminal.type('first line')
    chat.terminal.press('shift-enter')
    chat.terminal.type('second line')
    chat.terminal.press('enter')
    await chat.terminal.sees('You said “first line second line”')
    const pasted = Array.from({ length: 30 }, (_, index) => `pasted ${index}`).join('\n')
    chat.terminal.paste(pasted)
    await chat.terminal.sees(/\[paste #1 \+30 lines\]/)
    chat.terminal.press('enter')
    await chat.terminal.sees('You said “pasted 0')
    const said = (await chat.client.events(chat.threadId)).findLast(
      ({ type }) => type === 'USER_MESSAGE',
    )
    expect(said?.data).toEqual([{ type: 'text', text: pasted, isPasted: true }])
    chat.terminal.press('up', 'up')
    await chat.terminal.sees(/─\nfirst line *\nsecond line/)
  })

  it('marks whole lines that were pasted, so that only what was typed binds', async () => {
    const chat = await openChat({ rows: 40 })
    chat.terminal.type('Never delete ')
    chat.terminal.paste('src/fixtures')
    chat.terminal.type('.')
    chat.terminal.press('shift-enter')
    chat.terminal.type('Shorten: ')
    chat.terminal.paste('Users must never share a key.\r\n\tAll callers must sign.\r\n')
    chat.terminal.type('Keep it friendly.')
    chat.terminal.press('enter')
    await chat.terminal.sees('You said “Never delete src/fixtures')
    const said = (await chat.client.events(chat.threadId)).findLast(
      ({ type }) => type === 'USER_MESSAGE',
    )
    expect(said?.data).toEqual([
      { type: 'text', text: 'Never delete src/fixtures.\nShorten: ' },
      {
        type: 'text',
        text: 'Users must never share a key.\n    All callers must sign.\n',
        isPasted: true,
      },
      { type: 'text', text: 'Keep it friendly.' },
    ])
    chat.terminal.type('Typed again: users must never share a key.')
    chat.terminal.press('enter')
    await chat.terminal.sees('You said “Typed again')
    const again = (await chat.client.events(chat.threadId)).findLast(
      ({ type }) => type === 'USER_MESSAGE',
    )
    expect(again?.data).toBe('Typed again: users must never share a key.')
  })

  it('marks it also in what it gives back', async () => {
    const chat = await openChat({
      dev: { script: [{ text: 'A long answer that stops here somewhere.', fault: MIDDLE }] },
    })
    chat.terminal.enter('one')
    await chat.terminal.sees('A long')
    chat.terminal.paste('All callers must sign.')
    chat.terminal.press('enter')
    await chat.terminal.sees('queue 1')
    chat.terminal.press('escape')
    await chat.terminal.sees(/─\nAll callers must sign\. *\n─/)
    chat.dev.script([{ text: 'So be it.' }])
    chat.terminal.press('enter')
    await chat.terminal.sees('So be it.')
    const said = (await chat.client.events(chat.threadId)).findLast(
      ({ type }) => type === 'USER_MESSAGE',
    )
    expect(said?.data).toEqual([{ type: 'text', text: 'All callers must sign.', isPasted: true }])
  })

  it('completes files behind an @', async () => {
    const chat = await openChat()
    writeFileSync(join(chat.folder, 'parser-notes.md'), 'x')
    chat.terminal.type('see @pars')
    await chat.terminal.sees('parser-notes.md')
    chat.terminal.press('tab')
    await chat.terminal.sees('see @parser-notes.md')
  })

  it('shows controls in what is said, and obeys none', async () => {
    const chat = await openChat({
      dev: { script: [{ text: 'evil \u001b[2J\u001b]0;title\u0007 \u0007 end' }] },
    })
    await exchange(chat, 'go', 'evil')
    expect(await chat.terminal.screen()).toContain('evil [U+001B]]0;title[U+0007] [U+0007] end')
    const written = chat.terminal.written.join('')
    expect(written).not.toContain('\u001b]0;title')
  })
})

describe('commands', () => {
  it('of the agent are carried out and answered', async () => {
    const chat = await openChat()
    chat.terminal.enter('/thinking high')
    await chat.terminal.sees('thinking high')
    chat.terminal.enter('/pin never push to main')
    await chat.terminal.sees('Pinned as')
    chat.terminal.enter('/pins')
    await chat.terminal.sees('never push to main')
    chat.terminal.enter('/strategy summarize')
    await chat.terminal.sees('by summarize from now on')
    chat.terminal.enter('/undo')
    await chat.terminal.sees('There is no compaction to undo')
    chat.terminal.enter('/recall port')
    await chat.terminal.sees('/recall port')
  })

  it('go to another thread and back: /new, /fork, /sessions, /resume', async () => {
    const chat = await openChat()
    await exchange(chat, 'hello', 'You said “hello”')
    chat.terminal.enter('/new side')
    await chat.terminal.sees('A new thread')
    expect(await chat.terminal.sees('side')).not.toContain('You said “hello”')
    chat.terminal.enter('/sessions')
    await chat.terminal.sees('Sessions')
    chat.terminal.type('hello')
    chat.terminal.press('enter')
    await chat.terminal.sees('You said “hello”')
    chat.terminal.enter('/fork')
    await chat.terminal.sees('Forked as')
    chat.terminal.enter(`/resume ${chat.threadId}`)
    await chat.terminal.sees('Forked as', false)
    await chat.terminal.sees('You said “hello”')
    chat.terminal.enter('/resume thr_nothing')
    await chat.terminal.sees('Thread thr_nothing not found.')
  })

  it('of the interface: /help, /settings, /export, /clear, /exit', async () => {
    const chat = await openChat({ rows: 60, columns: 100 })
    await exchange(chat, 'hello', 'You said “hello”')
    chat.terminal.enter('/help')
    const help = await chat.terminal.sees('Ctrl+G')
    expect(help).toContain('/compact --preview [instructions]')
    chat.terminal.press('escape')
    await chat.terminal.sees('Ctrl+G', false)
    chat.terminal.enter('/settings')
    await chat.terminal.sees('Settings of this thread')
    chat.terminal.type('preset')
    chat.terminal.press('enter')
    await chat.terminal.sees('range')
    chat.terminal.type('range')
    chat.terminal.press('enter')
    await chat.terminal.sees('The preset of this thread is range')
    await chat.terminal.sees('· range ·')
    chat.terminal.enter('/export markdown')
    await chat.terminal.sees('Written to /folder/')
    expect([...chat.saved.values()].join('')).toContain('hello')
    chat.terminal.enter('/clear')
    await chat.terminal.sees('You said', false)
    chat.terminal.enter('/exit')
    expect(await chat.ui.left).toBe(chat.threadId)
  })

  it('draw the context by category', async () => {
    const chat = await openChat()
    await exchange(chat, 'hello', 'You said “hello”')
    chat.terminal.enter('/context')
    const screen = await chat.terminal.sees('The largest:')
    expect(screen).toMatch(/of 200k tokens \(\d+ %\), measured/)
    expect(screen).toMatch(/system +[▏▎▍▌▋▊▉█]/)
    expect(screen).toMatch(/free +\d+k +\d+ %/)
  })

  it('choose a model from a list', async () => {
    const chat = await openChat()
    chat.terminal.enter('/model')
    await chat.terminal.sees('Enter chooses')
    chat.terminal.type('dev')
    chat.terminal.press('enter')
    await chat.terminal.sees('The model is dev')
    await chat.terminal.sees('a stand-in')
  })

  it('of several lines are answered under their first words', async () => {
    const chat = await openChat()
    chat.terminal.type('/pin first')
    chat.terminal.press('shift-enter')
    chat.terminal.type('second')
    chat.terminal.press('enter')
    expect(await chat.terminal.sees('Pinned as')).toContain('/pin first second')
  })

  it('write over no file unasked', async () => {
    const chat = await openChat()
    await exchange(chat, 'hello', 'You said “hello”')
    chat.saved.set('notes.md', 'mine')
    chat.terminal.enter('/export markdown notes.md')
    await chat.terminal.sees('notes.md already exists')
    chat.terminal.press('escape')
    await chat.terminal.sees('Nothing was written')
    expect(chat.saved.get('notes.md')).toBe('mine')
    chat.terminal.enter('/export markdown notes.md')
    await chat.terminal.sees('notes.md already exists')
    chat.terminal.press('down', 'enter')
    await chat.terminal.sees('Written to /folder/notes.md')
    expect(chat.saved.get('notes.md')).toContain('hello')
  })
})

describe('the first run', () => {
  it('offers the stand-in, and says what it is', async () => {
    const chat = await openChat({ values: { models: {} } })
    await chat.terminal.sees('No model is configured. Which one?')
    chat.terminal.press('enter')
    const screen = await chat.terminal.sees('The model is dev, a stand-in')
    expect(screen).toContain('dev/dev')
  })

  it('says how to set a key', async () => {
    const chat = await openChat({ values: { models: {} } })
    await chat.terminal.sees('Which one?')
    chat.terminal.press('down', 'enter')
    await chat.terminal.sees('ANTHROPIC_API_KEY')
    chat.terminal.press('escape')
    await chat.terminal.sees('Which one?')
    chat.terminal.press('escape')
    await chat.terminal.sees('No model is set. Choose one with /model.')
  })
})

describe('leaving', () => {
  it('gives the terminal back at Ctrl+D, and at Ctrl+C twice', async () => {
    const first = await openChat()
    expect(first.terminal.isAlternate).toBe(true)
    first.terminal.press('ctrl-d')
    await first.ui.left
    await first.terminal.lines()
    expect([first.terminal.isAlternate, first.terminal.isStarted]).toEqual([false, false])
    const second = await openChat()
    second.terminal.type('something')
    second.terminal.press('ctrl-c')
    await second.terminal.sees('Ctrl+C again leaves.')
    expect(await second.terminal.screen()).not.toContain('something')
    second.terminal.press('ctrl-c')
    expect(await second.ui.left).toBe(second.threadId)
  })

  it('is not needed to stop what goes on: Esc does, also for one who reads further up', async () => {
    const chat = await openChat({
      dev: { script: [{ text: 'line\n\n'.repeat(60) }, { fault: SLOW }] },
    })
    await exchange(chat, 'one', 'line')
    chat.terminal.enter('two')
    await chat.terminal.sees('Esc stops it')
    chat.terminal.press('page-up')
    await chat.terminal.sees('more below')
    chat.terminal.press('escape')
    await chat.terminal.sees('Stopped.')
  })

  it('stops what goes on at the first Ctrl+C', async () => {
    const chat = await openChat({ dev: { script: [{ fault: SLOW }] } })
    chat.terminal.enter('go')
    await chat.terminal.sees('Esc stops it')
    chat.terminal.press('ctrl-c')
    await chat.terminal.sees('Stopped.')
  })
})
