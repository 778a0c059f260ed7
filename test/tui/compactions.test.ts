// Compactions in place: pending and done, their divider, what it opens to, and a preview before one.
import { describe, expect, it } from 'vitest'
import { answerBehind, Door } from '../agent/past.ts'
import { rangeCall } from '../agent/transcript.ts'
import { answer, result, user } from '../say.ts'
import { type ChatSetup, exchange, openChat } from './setup.ts'

/** Rounds with long results: something to compact. */
async function longThread(chat: ChatSetup, rounds = 12): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    const id = `c${round}`
    await chat.home.threads.append(chat.threadId, [
      user(`question ${round}`),
      ...answer(`I look at ${round}.`, id),
      result(id, `content of file ${round} `.repeat(200)),
      ...answer(`Answer ${round}.`),
    ])
  }
}

describe('in place', () => {
  it('is pending, then a divider with what it saved [RANGE-67, NEED-16]', async () => {
    const chat = await openChat({ preset: 'log', values: { gate: { minTokens: 1_000 } } })
    await longThread(chat)
    await chat.terminal.sees('Answer 12.')
    const door = new Door()
    chat.dev.script([answerBehind(door, { text: 'In short: c1.ts to c12.ts were read.' })])
    chat.terminal.enter('/compact')
    await chat.terminal.sees(/compacting: /i)
    door.open()
    await chat.terminal.sees('Conversation compacted successfully')
    const screen = await chat.terminal.sees('Esc stops it', false)
    expect(screen).toMatch(/✓ compacted by ai-summarize: [\d,]+ → [\d,]+ tokens/)
    expect(screen.match(/Conversation compacted successfully/g)).toHaveLength(1)
  })

  it('is pending, then done or failed, where the agent replaces ranges itself [RANGE-67]', async () => {
    const chat = await openChat({ preset: 'range', rows: 40, allowAll: true })
    await longThread(chat, 3)
    await chat.terminal.sees('Answer 3.')
    chat.dev.script([rangeCall({ from: 'nowhere', summary: 'Lost.' }), { text: 'It failed.' }])
    const failed = await exchange(chat, 'go', 'It failed.')
    expect(failed).toMatch(/✗ Compaction failed: There is no checkpoint nowhere/)
    expect(failed).not.toContain('✓ compacted')
    const door = new Door()
    chat.dev.script([
      answerBehind(door, rangeCall({ summary: 'SUMMARY-OF-ALL' })),
      { text: 'Good.' },
    ])
    chat.terminal.enter('/compact')
    expect(await chat.terminal.sees(/compacting/i)).not.toContain('✓ compacted')
    door.open()
    await chat.terminal.sees(/✓ compacted by [\w-]+: [\d,]+ → [\d,]+ tokens/)
    expect(await chat.terminal.sees('Esc stops it', false)).not.toMatch(/compacting/i)
    chat.terminal.press('ctrl-g')
    await chat.terminal.sees('Compaction by checkpoint-range')
    chat.terminal.type('Summary')
    chat.terminal.press('enter')
    await chat.terminal.sees('SUMMARY-OF-ALL')
  })

  it('says why it failed [RANGE-67]', async () => {
    const chat = await openChat({ preset: 'fold', values: { gate: { minTokens: 1_000 } } })
    await longThread(chat)
    await chat.terminal.sees('Answer 12.')
    chat.dev.script(() => ({ fault: { kind: 'refusal' } }))
    chat.terminal.enter('/compact')
    await chat.terminal.sees(/✗ Compaction failed: ./)
  })

  it('says which strategy failed where another one took its place, also after a restart', async () => {
    const chat = await openChat({ preset: 'log', rows: 40, values: { gate: { minTokens: 1_000 } } })
    await longThread(chat)
    await chat.terminal.sees('Answer 12.')
    // More patience than a provider is given: no second try.
    chat.dev.script(() => ({ fault: { kind: 'rate-limit', retryAfterS: 600 } }))
    chat.terminal.enter('/compact')
    await chat.terminal.sees(/compacted by trim-tool-results: [\d,]+ → [\d,]+ tokens/)
    const screen = await chat.terminal.sees('Esc stops it', false)
    expect(screen).toMatch(/ai-summarize failed: /)
    expect(screen).not.toContain('successfully')
    const again = chat.reopen(chat.threadId)
    expect(await again.sees(/compacted by trim-tool-results/)).toMatch(/ai-summarize failed: /)
  })

  it('says what to do about a failure', async () => {
    const chat = await openChat({ preset: 'whole', rows: 40 })
    await exchange(chat, 'hello', 'noted it')
    chat.dev.script(() => ({ text: 'No.' }))
    chat.terminal.enter('/compact')
    const screen = await chat.terminal.sees(/type \/strategy summarize/)
    expect(screen).toMatch(/✗ Compaction failed: The agent did not compact the thread: it/)
  })

  it('says in which chunk it is, and for how long [FOLD-68]', async () => {
    const chat = await openChat({
      preset: 'fold',
      values: { gate: { minTokens: 1_000 } },
      dev: { pieceDelayMs: 5 },
    })
    await longThread(chat, 60)
    await chat.terminal.sees('Answer 60.')
    chat.terminal.enter('/compact')
    const screen = await chat.terminal.sees(/chunk \d+ \/ \d+ · \d+ s/)
    expect(screen).toMatch(/compacting: .*\(chunk \d+ \/ \d+\)/)
    chat.terminal.press('escape')
    await chat.terminal.sees('Esc stops it', false)
  })
})

describe('a divider', () => {
  it('opens to summary, report, diff, undo and recall [NEED-16]', async () => {
    const chat = await openChat({ preset: 'log', rows: 40, values: { gate: { minTokens: 1_000 } } })
    await longThread(chat)
    await chat.terminal.sees('Answer 12.')
    chat.dev.script([{ text: '## Intent\n\nThey read c1.ts and c12.ts. The summary itself.' }])
    chat.terminal.enter('/compact')
    await chat.terminal.sees('✓ compacted by')
    // Escape leads from each text back to the compaction.
    const choose = async (word: string, seen: string | RegExp, isText = true) => {
      await chat.terminal.sees('Compaction by ai-summarize')
      chat.terminal.type(word)
      chat.terminal.press('enter')
      const screen = await chat.terminal.sees(seen)
      if (isText) chat.terminal.press('escape')
      return screen
    }
    chat.terminal.press('ctrl-g')
    await choose('Summary', 'The summary itself.')
    await choose('Report', 'Largest')
    expect(await choose('Diff', /^.*│ [-+]/m)).toMatch(/question|Answer/)
    await chat.terminal.sees('Compaction by ai-summarize')
    chat.terminal.type('Recall')
    chat.terminal.press('enter')
    await chat.terminal.sees('search for')
    chat.terminal.type('file 3')
    chat.terminal.press('enter')
    await chat.terminal.sees('content of file 3')
    chat.terminal.press('escape')
    await choose('Undo', 'The compaction was undone.', false)
    await chat.terminal.sees('undone')
    chat.terminal.press('ctrl-g')
    await choose('Redo', 'The compaction is applied again.', false)
    await chat.terminal.sees('✓ compacted by')
  })

  it('opens in place as well, with its summary', async () => {
    const chat = await openChat({ preset: 'log', rows: 40, values: { gate: { minTokens: 1_000 } } })
    await longThread(chat)
    chat.dev.script([{ text: 'They read c1.ts and c12.ts. The summary itself.' }])
    chat.terminal.enter('/compact')
    await chat.terminal.sees('✓ compacted by')
    chat.terminal.press('ctrl-o')
    await chat.terminal.sees('The summary itself.')
  })

  it('is missing where nothing was compacted', async () => {
    const chat = await openChat()
    chat.terminal.press('ctrl-g')
    await chat.terminal.sees('Nothing has been compacted here.')
  })
})

describe('a preview', () => {
  async function preview(chat: ChatSetup): Promise<void> {
    await longThread(chat)
    await chat.terminal.sees('Answer 12.')
    chat.dev.script([{ text: 'A first draft: c1.ts and c12.ts.' }])
    chat.terminal.enter('/compact --preview keep ports')
    await chat.terminal.sees('Preview of ai-summarize')
  }

  it('shows the report and changes nothing when dropped [NEED-16]', async () => {
    const chat = await openChat({ preset: 'log', rows: 40, values: { gate: { minTokens: 1_000 } } })
    await preview(chat)
    const before = await chat.client.events(chat.threadId)
    chat.terminal.type('Report')
    chat.terminal.press('enter')
    const report = await chat.terminal.sees('Esc closes')
    expect(report).toMatch(/[\d,]+ → [\d,]+ tokens/)
    expect(report).toContain('Removed')
    expect(report.slice(report.indexOf('Largest'))).toMatch(/\[ref:e\d+\]/)
    chat.terminal.press('escape')
    await chat.terminal.sees('Preview of ai-summarize')
    chat.terminal.press('escape')
    await chat.terminal.sees('The preview was dropped')
    expect(await chat.client.events(chat.threadId)).toEqual(before)
  })

  it('applies what was edited [NEED-16]', async () => {
    const chat = await openChat({ preset: 'log', rows: 40, values: { gate: { minTokens: 1_000 } } })
    await preview(chat)
    chat.terminal.type('Edit')
    chat.terminal.press('enter')
    await chat.terminal.sees('Ctrl+S saves')
    chat.terminal.type(' And a second one.')
    chat.terminal.press('ctrl-s')
    await chat.terminal.sees('changed')
    chat.terminal.type('Apply')
    chat.terminal.press('enter')
    await chat.terminal.sees('✓ compacted by')
    chat.terminal.press('ctrl-o')
    await chat.terminal.sees('And a second one.')
    await exchange(chat, 'what now?', /You said .*what now/)
    const sent = JSON.stringify(chat.dev.requests.at(-1)?.body)
    expect(sent).toContain('And a second one.')
  })

  it('applies its own text where it was changed and changed back', async () => {
    const chat = await openChat({ preset: 'log', rows: 40, values: { gate: { minTokens: 1_000 } } })
    await preview(chat)
    const edit = async (...keys: Parameters<typeof chat.terminal.press>) => {
      chat.terminal.type('Edit')
      chat.terminal.press('enter')
      await chat.terminal.sees('Ctrl+S saves')
      chat.terminal.press(...keys, 'ctrl-s')
      await chat.terminal.sees('Preview of ai-summarize')
    }
    await edit('enter')
    await chat.terminal.sees('changed')
    await edit('backspace')
    await chat.terminal.sees('changed', false)
  })

  it('is what a command with more blanks means as well', async () => {
    const chat = await openChat({ preset: 'log', rows: 40 })
    chat.terminal.enter('/compact   --preview')
    await chat.terminal.sees('Preparing a preview')
  })

  it('of a fresh session opens it with the edited summary', async () => {
    const chat = await openChat({
      rows: 40,
      dev: { script: [{ text: 'Hi.' }, { text: 'Draft.' }] },
    })
    await exchange(chat, 'hello', 'Hi.')
    chat.terminal.enter('/compact --preview')
    await chat.terminal.sees('Preview of fresh-session')
    expect((await chat.client.threads()).items).toHaveLength(1)
    chat.terminal.type('Edit')
    chat.terminal.press('enter')
    await chat.terminal.sees('Ctrl+S saves')
    chat.terminal.type(' Changed.')
    chat.terminal.press('ctrl-s')
    await chat.terminal.sees('Preview of fresh-session')
    chat.terminal.type('Apply')
    chat.terminal.press('enter')
    await chat.terminal.sees('New session started')
    await chat.terminal.sees('Draft. Changed.')
  })
})
