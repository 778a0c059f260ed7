// What people try first in the chat: a slash, a yes, a compaction, and the way back from it.
import { describe, expect, it } from 'vitest'
import { PRESETS } from '../../src/core/window/presets.ts'
import { answer, result, user } from '../say.ts'
import { type ChatSetup, exchange, openChat } from './setup.ts'

const STARTED = 'New session started with compacted context'

async function shortThread({ home, threadId, terminal }: ChatSetup, times = 200): Promise<void> {
  for (const round of [1, 2, 3])
    await home.threads.append(threadId, [
      user(`question ${round}`),
      ...answer(`I look at ${round}.`, `c${round}`),
      result(`c${round}`, `content of file ${round} `.repeat(times)),
      ...answer(`Answer ${round}.`),
    ])
  await terminal.sees('Answer 3.')
}

describe('/undo in a fresh session', () => {
  async function inFresh(): Promise<ChatSetup & { readonly freshId: string }> {
    const script = [{ text: 'Hi there.' }, { text: 'In short.' }, { text: 'Going on.' }]
    const chat = await openChat({ rows: 30, dev: { script } })
    await exchange(chat, 'hello', 'Hi there.')
    chat.terminal.enter('/compact')
    await chat.terminal.sees(`${STARTED}; /undo goes back`)
    const { items } = await chat.client.threads()
    const fresh = items.find(({ reason }) => reason === 'fresh-session')
    return { ...chat, freshId: fresh?.threadId ?? '' }
  }

  it('opens the former session, which is as it was [FRESH-23]', async () => {
    const chat = await inFresh()
    const before = await chat.client.events(chat.threadId)
    chat.terminal.enter('/undo')
    await chat.terminal.sees('Back in the previous thread')
    const screen = (await chat.terminal.sees('Hi there.')).replace(/\s+/g, ' ')
    expect(screen).toContain(
      `Back in the previous thread ${chat.threadId}, as it was before /compact. /resume ${chat.freshId} goes forward again.`,
    )
    expect(screen).not.toContain('Context compacted')
    expect(await chat.client.events(chat.threadId)).toEqual(before)
    chat.terminal.enter(`/resume ${chat.freshId}`)
    await chat.terminal.sees('Context compacted. Summary:')
  })

  it('does not call it as it was where somebody has gone on in it', async () => {
    const chat = await inFresh()
    await chat.home.threads.append(chat.threadId, [user('one more'), ...answer('Yes.')])
    chat.terminal.enter('/undo')
    const screen = (await chat.terminal.sees('Back in the previous')).replace(/\s+/g, ' ')
    expect(screen).toContain(`thread ${chat.threadId}. /resume ${chat.freshId} goes forward again.`)
  })

  it('says that there is nothing to undo where the former session is gone', async () => {
    const chat = await inFresh()
    await chat.client.deleteThread(chat.threadId)
    chat.terminal.enter('/undo')
    await chat.terminal.sees('There is no compaction to undo')
  })
})

describe('a compaction that finds nothing', () => {
  it('is not shown as one, cannot be undone, and says what would compact', async () => {
    const chat = await openChat({ preset: 'precis', rows: 40 })
    await shortThread(chat)
    chat.terminal.enter('/strategy keep-recent')
    await chat.terminal.sees('by keep-recent from now on')
    chat.terminal.enter('/compact')
    const screen = (await chat.terminal.sees('Nothing was compacted')).replace(/\s+/g, ' ')
    expect(screen).toContain('/strategy summarize')
    expect(screen).not.toMatch(/✓ compacted|→ [\d,]+ tokens|✅/)
    chat.terminal.enter('/undo')
    await chat.terminal.sees('There is no compaction to undo')
    chat.terminal.press('ctrl-g')
    await chat.terminal.sees('Nothing has been compacted here. /compact does it now.')
    chat.terminal.enter('/strategy summarize')
    await chat.terminal.sees('by summarize from now on')
    chat.terminal.enter('/compact')
    await chat.terminal.sees(/✓ compacted by summarize: [\d,]+ → [\d,]+ tokens \(\d+ % less\)/)
  })

  it('opens to nothing', async () => {
    const chat = await openChat({ preset: 'precis', rows: 40 })
    await shortThread(chat)
    chat.terminal.enter('/strategy keep-recent')
    await chat.terminal.sees('by keep-recent from now on')
    chat.terminal.enter('/compact')
    await chat.terminal.sees('Nothing was compacted')
    chat.terminal.press('alt-up', 'enter')
    await chat.terminal.sees(/Nothing has been compacted here\.\s*\n/)
  })

  it('says what failed before it', async () => {
    const chat = await openChat({ preset: 'precis', rows: 40 })
    await shortThread(chat, 20)
    chat.terminal.enter('/strategy summarize')
    await chat.terminal.sees('by summarize from now on')
    chat.dev.script([{ fault: { kind: 'refusal' } }])
    chat.terminal.enter('/compact')
    await chat.terminal.sees('Nothing was compacted: summarize failed.')
    await chat.terminal.sees(
      /Then\s+extract\s+left\s+the\s+context\s+as\s+it\s+was:\s+what\s+can\s+be\s+compacted\s+\(\d+\s+tokens\)/,
    )
  })

  it('does not stand between /undo and the one before it', async () => {
    const chat = await openChat({ preset: 'precis', rows: 40 })
    await shortThread(chat)
    const before = await chat.home.threads.messages(chat.threadId)
    await chat.client.compact(chat.threadId, { strategy: 'summarize' })
    await chat.terminal.sees('✓ compacted by summarize')
    chat.terminal.enter('/compact')
    await chat.terminal.sees('Nothing was compacted')
    chat.terminal.enter('/undo')
    await chat.terminal.sees('The last compaction was undone.')
    expect(await chat.home.threads.messages(chat.threadId)).toEqual(before)
  })
})

const WORDS = [
  ['y', /✓ run echo one/],
  ['yes', /✓ run echo one/],
  ['n', /\(denied\)/],
  ['no', /\(denied\)/],
] as const

describe('an approval', () => {
  const script = [
    { calls: [{ name: 'run', arguments: { command: 'echo one' } }] },
    { text: 'The end.' },
  ]

  it.each(WORDS)('takes the answer %s', async (word, outcome) => {
    const chat = await openChat({ dev: { script } })
    chat.terminal.enter('go')
    const question = await chat.terminal.sees('Enter chooses')
    expect(question).toMatch(/Allow +y: this once/)
    expect(question).toMatch(/Deny +n or Esc/)
    chat.terminal.type(word)
    chat.terminal.press('enter')
    expect(await chat.terminal.sees('The end.')).toMatch(outcome)
  })

  it('says what each answer does at 40 columns', async () => {
    const chat = await openChat({ columns: 40, dev: { script } })
    chat.terminal.enter('go')
    const question = await chat.terminal.sees('Enter chooses')
    expect(question).toMatch(/Deny +n or Esc: skip this call +│/)
    expect(question).toMatch(/Always +this command, until exit +│/)
    chat.terminal.type('n')
    chat.terminal.press('enter')
    await chat.terminal.sees('The end.')
  })

  it('allows nothing for a word that means none of it', async () => {
    const chat = await openChat({ dev: { script } })
    chat.terminal.enter('go')
    await chat.terminal.sees('Enter chooses')
    chat.terminal.type('once')
    chat.terminal.press('enter')
    await chat.terminal.sees('Nothing has these words.')
    expect((await chat.client.thread(chat.threadId)).approvals).toHaveLength(1)
    // The first step back forgets what was typed, the second leaves the question.
    chat.terminal.press('escape')
    await chat.terminal.sees('Enter chooses')
    expect((await chat.client.thread(chat.threadId)).approvals).toHaveLength(1)
    chat.terminal.press('escape')
    expect(await chat.terminal.sees('The end.')).toContain('(denied)')
  })
})

describe('a slash', () => {
  it('and Enter open the help, and compact nothing', async () => {
    const chat = await openChat({ rows: 40 })
    await exchange(chat, 'hello', 'You said “hello”')
    chat.terminal.type('/')
    await chat.terminal.sees('→ /help')
    chat.terminal.press('enter')
    await chat.terminal.sees('│ Help')
    expect((await chat.client.threads()).items).toHaveLength(1)
  })

  it('before a word that is no command is asked about, and not sent', async () => {
    const chat = await openChat()
    chat.terminal.enter('/hlp')
    await chat.terminal.sees('There is no command /hlp. Did you mean /help?')
    chat.terminal.enter('/compct the ports')
    await chat.terminal.sees('There is no command /compct. Did you mean /compact?')
    chat.terminal.enter('/frobnicate')
    await chat.terminal.sees('There is no command /frobnicate. /help lists them.')
    expect(chat.dev.requests).toEqual([])
  })

  it('before a path is part of a message', async () => {
    const chat = await openChat()
    await exchange(chat, '/etc/hosts', 'You said “/etc/hosts”')
    await exchange(chat, '/tmp is full', 'You said “/tmp is full”')
  })
})

describe('/preset', () => {
  it('says of each what it does', async () => {
    const chat = await openChat({ rows: 50, columns: 120 })
    chat.terminal.enter('/preset')
    const screen = await chat.terminal.sees('Preset: chat.')
    expect(screen).toMatch(/fold\n +\/compact: chunked-fold: .*\n +by itself: chunked-fold at 80 %/)
    expect(screen).toMatch(/fresh\n +\/compact: fresh-session: .*\n +by itself: nothing/)
  })
})

describe('/settings', () => {
  it('says of each preset what it does, in 80 columns', async () => {
    const chat = await openChat({ rows: 40 })
    chat.terminal.enter('/settings')
    await chat.terminal.sees('Settings of this thread')
    chat.terminal.type('preset')
    chat.terminal.press('enter')
    const screen = await chat.terminal.sees('│ preset')
    for (const { id, command, automatic } of Object.values(PRESETS)) {
      const row = new RegExp(`(?:→|│) +${id} +(.*?) +│`).exec(screen)?.[1] ?? ''
      expect(row.split(' ').length, id).toBeGreaterThan(4)
      expect(row).not.toContain('…')
      expect(row.startsWith('now, '), id).toBe(id === 'chat')
      const byItself = automatic === 'off' ? 'nothing' : automatic.strategyId
      if (command.run === 'strategy') expect(row).toContain(byItself)
      else expect(row).toContain('the agent')
    }
  })
})

describe('the first screen', () => {
  it('names /help', async () => {
    const { terminal } = await openChat()
    await terminal.sees('/help')
  })

  it('has what is to be said of the thread', async () => {
    const { terminal } = await openChat({ notice: 'This is a new one.' })
    expect(await terminal.sees('This is a new one.')).toContain('/help')
  })
})
