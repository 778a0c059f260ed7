// `/compact` in the chat, as the FRESH design says it, from the key pressed to the screen drawn.
import { describe, expect, it } from 'vitest'
import type { ThreadEvent } from '../../src/protocol/index.ts'
import { Chat } from '../../src/tui/chat.ts'
import { answerBehind, Door } from '../agent/past.ts'
import { lastMessages } from '../agent/setup.ts'
import { answer, user } from '../say.ts'
import { setUpApp } from '../server/setup.ts'
import { type ChatSetup, exchange, openChat } from './setup.ts'

const SUMMARY = '## Progress\n\nThe **parser** is done.'
const STARTED = 'New session started with compacted context'

async function threadsOf({ client }: ChatSetup) {
  return (await client.threads()).items
}

async function freshOf(chat: ChatSetup) {
  const fresh = (await threadsOf(chat)).find(({ reason }) => reason === 'fresh-session')
  if (fresh === undefined) throw new Error('no fresh session was started')
  return fresh
}

/** A chat with one exchange behind it. */
async function afterHello(options: Parameters<typeof openChat>[0] = {}): Promise<ChatSetup> {
  const chat = await openChat({
    ...options,
    dev: { script: [{ text: 'Hi there.' }, { text: SUMMARY }], ...options.dev },
  })
  await exchange(chat, 'hello', 'Hi there.')
  return chat
}

describe('the command', () => {
  it('is offered while it is typed, in its own words [FRESH-01, FRESH-02]', async () => {
    const { terminal } = await openChat()
    terminal.type('/com')
    const screen = await terminal.sees('/compact')
    expect(screen).toContain('Compact context into summary + start fresh')
    expect(screen).toContain('/compact --preview')
  })

  it('is described otherwise where it works otherwise', async () => {
    const { terminal } = await openChat({ preset: 'precis' })
    terminal.type('/com')
    expect(await terminal.sees('/compact')).toContain('Compact the context now')
  })

  it('is only the whole word, trimmed [FRESH-03]', async () => {
    const chat = await afterHello()
    chat.terminal.enter('/compactx')
    await chat.terminal.sees('There is no command /compactx.')
    expect(await threadsOf(chat)).toHaveLength(1)
    expect(chat.dev.requests).toHaveLength(1)
    chat.terminal.enter('  /compact the ports  ')
    await chat.terminal.sees(STARTED)
    expect(await threadsOf(chat)).toHaveLength(2)
  })

  it('is refused while the agent responds, and the editor is empty [FRESH-04]', async () => {
    const chat = await openChat({ dev: { script: [{ fault: { kind: 'stall', ms: 60_000 } }] } })
    chat.terminal.enter('hello')
    await chat.terminal.sees('Esc stops it')
    await expect.poll(() => chat.dev.requests.length).toBe(1)
    chat.terminal.enter('/compact')
    const screen = await chat.terminal.sees('Cannot compact while responding. Use /abort first.')
    expect(screen).toMatch(/─\n *\n─/)
    expect(screen).toContain('Esc stops it')
    expect(await threadsOf(chat)).toHaveLength(1)
    expect(chat.dev.requests).toHaveLength(1)
    chat.terminal.enter('/abort')
    await chat.terminal.sees('Stopped.')
  })

  it('needs an exchange [FRESH-05]', async () => {
    const chat = await openChat()
    chat.terminal.enter('/compact')
    const screen = await chat.terminal.sees('Nothing to compact (need at least one exchange)')
    expect(screen).toMatch(/─\n *\n─/)
    expect(chat.dev.requests).toEqual([])
    expect(await threadsOf(chat)).toHaveLength(1)
  })

  it('shows a loader and an empty editor at once [FRESH-06, FRESH-08, RANGE-67]', async () => {
    const chat = await afterHello({
      dev: { script: [{ text: 'Hi there.' }, { fault: { kind: 'stall', ms: 60_000 } }] },
    })
    chat.terminal.enter('/compact')
    const screen = await chat.terminal.sees('Compacting context...')
    expect(screen).toContain('compacting')
    expect(screen).toMatch(/\/compact\n\s*── compacting/) // above what it does, and no longer in the editor
    expect(screen).toMatch(/─\n *\n─/)
    chat.terminal.press('escape')
    await chat.terminal.sees('compaction stopped; nothing changed')
  })
})

describe('the result', () => {
  it('is the summary between dividers, then the new session [FRESH-19, FRESH-24, FRESH-26]', async () => {
    const chat = await afterHello({ rows: 30 })
    chat.terminal.enter('/compact')
    const screen = await chat.terminal.sees(STARTED)
    expect(screen).not.toContain('Compacting context...')
    const lines = screen.split('\n').map((line) => line.trim())
    const from = lines.indexOf('Context compacted. Summary:')
    expect(lines[from - 1]).toMatch(/^─{20,}$/)
    const until = lines.findIndex((line, at) => at > from && /^─{20,}$/.test(line))
    const shown = lines.slice(from + 1, until).filter((line) => line !== '')
    expect(shown).toEqual(['Progress', 'The parser is done.'])
    expect(lines.findIndex((line) => line.includes(STARTED))).toBeGreaterThan(until)
    expect(lines.slice(from, until + 4).join('\n')).not.toMatch(/token|→/)
    // What was said before stays in view.
    expect(screen).toContain('hello')
  })

  it('leads back to the session before it', async () => {
    const chat = await afterHello({ rows: 30 })
    chat.terminal.enter('/compact')
    await chat.terminal.sees(STARTED)
    chat.terminal.press('ctrl-g')
    await chat.terminal.sees('Compaction by fresh-session')
    chat.terminal.type('Go back')
    chat.terminal.press('enter')
    expect(await chat.terminal.sees(STARTED, false)).toContain('Hi there.')
  })

  it('takes nobody away who has gone to another thread meanwhile', async () => {
    const door = new Door()
    const chat = await afterHello({
      dev: { script: [{ text: 'Hi there.' }, answerBehind(door, { text: SUMMARY })] },
    })
    chat.terminal.enter('/compact')
    await chat.terminal.sees('Compacting context...')
    chat.terminal.enter('/new elsewhere')
    await chat.terminal.sees('A new thread')
    chat.terminal.enter(`/resume ${chat.threadId}`)
    await chat.terminal.sees('Hi there.')
    await chat.terminal.sees('Esc stops it')
    chat.terminal.enter('/new further')
    await chat.terminal.sees('· further')
    door.open()
    const screen = await chat.terminal.sees('continues in')
    expect(screen).toContain((await freshOf(chat)).threadId)
    expect(screen).toContain('· further')
    expect(screen).not.toContain('Context compacted')
  })

  it('is there before the new session is [FRESH-19a]', async () => {
    const app = await setUpApp({ dev: { script: [{ text: SUMMARY }] } })
    const { threadId } = await app.client.createThread({ preset: 'chat' })
    await app.home.threads.append(threadId, [user('hello'), ...answer('Hi there.')])
    const openWhenShown: string[] = []
    const nobody = async () => undefined
    const chat: Chat = new Chat({
      client: app.client,
      dialogs: { choose: nobody, show: nobody, edit: nobody },
      hasFile: async () => false,
      saveFile: async (name) => name,
      onChange() {
        if (chat.blocks.some((block) => block.kind === 'compaction' && block.summary === SUMMARY))
          openWhenShown.push(chat.threadId)
      },
      onReturned: () => undefined,
      onExit: () => undefined,
    })
    await chat.open(threadId)
    await chat.submit('/compact')
    expect(openWhenShown[0]).toBe(threadId)
    expect(openWhenShown.at(-1)).not.toBe(threadId)
    chat.close()
  })

  it('resets the foot and moves what was queued [FRESH-22]', async () => {
    const door = new Door()
    const chat = await afterHello({
      dev: {
        script: [
          { text: 'Hi there.' },
          answerBehind(door, { text: SUMMARY }),
          { text: 'Both heard.' },
        ],
      },
    })
    await chat.terminal.sees(/billed [1-9]/)
    chat.terminal.enter('/compact')
    await chat.terminal.sees('Compacting context...')
    chat.terminal.enter('and then?')
    await chat.terminal.sees('queue 1')
    door.open()
    await chat.terminal.sees(STARTED)
    const screen = await chat.terminal.sees('Both heard.')
    expect(screen).toContain('queue 0')
    const fresh = await freshOf(chat)
    const said = (await chat.client.events(fresh.threadId)).filter(
      ({ type }) => type === 'USER_MESSAGE',
    )
    expect(said.map(({ data }) => data)).toEqual([expect.stringContaining(SUMMARY), 'and then?'])
  })

  it('shows 0 in the foot of the new session [FRESH-22]', async () => {
    const chat = await afterHello()
    chat.terminal.enter('/compact')
    await chat.terminal.sees(STARTED)
    const screen = await chat.terminal.sees('billed 0')
    expect(screen).toMatch(/context ░+ ≈?0 % of/)
    expect(screen).toContain('queue 0')
  })

  it('is a session of its own; the old one is as it was, and both can be resumed [FRESH-20, FRESH-23, FRESH-25, FRESH-29]', async () => {
    const script = [{ text: 'Hi there.' }, { text: SUMMARY }, { text: 'Resumed.' }]
    const chat = await afterHello({ dev: { script } })
    const before = await chat.client.events(chat.threadId)
    chat.terminal.enter('/compact')
    await chat.terminal.sees(STARTED)
    expect(await chat.client.events(chat.threadId)).toEqual(before)
    const { threadId } = await freshOf(chat)
    const events = await chat.client.events(threadId)
    const [first] = events.filter(({ type }) => type === 'USER_MESSAGE')
    expect(first?.data).toBe(
      `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${SUMMARY}\n</summary>`,
    )
    expect(events.some(({ type }: ThreadEvent) => type === 'COMPACTION')).toBe(false)
    expect(events[0]?.data).toMatchObject({ from: { threadId: chat.threadId } })
    const { text } = await chat.client.recall(threadId, { query: 'Hi there' })
    expect(text).toContain('agent: Hi there.')
    const resumed = chat.reopen(threadId)
    expect(await resumed.sees('Context compacted. Summary:')).toContain('Progress')
    await exchange({ terminal: resumed }, 'go on', 'Resumed.')
    expect(lastMessages(chat.dev)[0]?.text).toContain(SUMMARY)
    expect(await chat.reopen(chat.threadId).sees('Hi there.')).toContain('hello')
  })

  it('goes on with the next message, its model, prompt and tools [FRESH-27]', async () => {
    const chat = await afterHello({
      dev: { script: [{ text: 'Hi there.' }, { text: SUMMARY }, { text: 'Going on.' }] },
    })
    chat.terminal.enter('/compact')
    await chat.terminal.sees(STARTED)
    await exchange(chat, 'what next?', 'Going on.')
    const [sent, ...others] = lastMessages(chat.dev)
    expect(others).toEqual([])
    expect(sent?.text).toContain(SUMMARY)
    expect(sent?.text.endsWith('what next?')).toBe(true)
    const [first, , last] = chat.dev.requests.map(({ body }) => body as Record<string, unknown>)
    expect([last?.model, last?.system, last?.tools]).toEqual([
      first?.model,
      first?.system,
      first?.tools,
    ])
  })

  it('has the custom focus in its request [FRESH-07, FRESH-14]', async () => {
    const chat = await afterHello()
    chat.terminal.enter('/compact   the port numbers  ')
    await chat.terminal.sees(STARTED)
    expect(lastMessages(chat.dev).at(-1)?.text).toMatch(/\n\nAdditional focus: the port numbers$/)
  })
})

describe('a failure', () => {
  it('is said, and nothing has changed [FRESH-16, FRESH-30]', async () => {
    const chat = await afterHello({
      dev: { script: [{ text: 'Hi there.' }, { text: '  ' }, { text: 'Still here.' }] },
    })
    const before = await chat.client.events(chat.threadId)
    await chat.terminal.sees(/billed [1-9]/)
    const foot = (await chat.terminal.lines()).at(-1)
    chat.terminal.enter('/compact')
    const screen = await chat.terminal.sees('Compact failed: Failed to generate summary')
    expect(screen).not.toContain('Compacting context...')
    expect(await chat.client.events(chat.threadId)).toEqual(before)
    expect(await threadsOf(chat)).toHaveLength(1)
    expect((await chat.terminal.lines()).at(-1)).toBe(foot)
    await exchange(chat, 'are you there?', 'Still here.')
  })

  it('gives back what was typed meanwhile [FRESH-30]', async () => {
    const door = new Door()
    const chat = await afterHello({
      dev: { script: [{ text: 'Hi there.' }, answerBehind(door, { text: '  ' })] },
    })
    chat.terminal.enter('/compact')
    await chat.terminal.sees('Compacting context...')
    chat.terminal.enter('and then?')
    await chat.terminal.sees('queue 1')
    door.open()
    await chat.terminal.sees('Compact failed: Failed to generate summary')
    await chat.terminal.sees(/─\nand then\? *\n─/)
    await chat.terminal.sees('queue 0')
  })

  it('of the provider is a failure, not an empty summary [FRESH-17]', async () => {
    const chat = await afterHello({
      dev: { script: [{ text: 'Hi there.' }, { fault: { kind: 'refusal' } }] },
    })
    chat.terminal.enter('/compact')
    await chat.terminal.sees(/Compact failed: ./)
    expect(await threadsOf(chat)).toHaveLength(1)
  })

  it('for want of a model says so [FRESH-09]', async () => {
    const chat = await openChat({ values: { models: {} } })
    chat.terminal.press('escape')
    await chat.terminal.sees('Which one?', false)
    await chat.home.threads.append(chat.threadId, [user('hello'), ...answer('Hi there.')])
    chat.terminal.enter('/compact')
    await chat.terminal.sees('Compact failed: No model configured')
    expect(await threadsOf(chat)).toHaveLength(1)
  })
})
