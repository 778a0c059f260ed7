// Commands in a message: `/compact` above all, as the LOG design has it.
import { describe, expect, it, vi } from 'vitest'
import { runsOf } from '../../src/core/view/entry-range.ts'
import { folding, pastOf } from '../fold/small-agent.ts'
import { answer, system, user } from '../say.ts'
import { MODEL } from './host.ts'
import { HALVING, longPast } from './past.ts'
import { lastMessages, setUpAgent } from './setup.ts'

const SUMMARY = { text: 'What was said before, in short.' }

describe('/compact', () => {
  it('compacts instead of being said, once [LOG-26, LOG-27, LOG-28, LOG-30]', async () => {
    const { agent, threadId, eventsOf } = await setUpAgent()
    await agent.sendMessage(threadId, 'Hello')
    const compact = vi.spyOn(agent, 'compact')
    const outcome = await agent.sendMessage(threadId, '/compact')
    expect(compact).toHaveBeenCalledTimes(1)
    expect(compact.mock.calls[0]?.[0]).toBe(threadId)
    expect(outcome).toMatchObject({ status: 'command', reply: { ok: true } })
    const [said] = await eventsOf('LOCAL_SYSTEM_MESSAGE')
    // What it says of the size, honest-words.test.ts compares.
    expect(said?.data).toContain('compacted')
    const users = await eventsOf('USER_MESSAGE')
    expect(users.map(({ data }) => data)).toEqual(['Hello'])
    expect(await eventsOf('COMPACTION')).toHaveLength(1)
  })

  it('takes the name of a strategy as instructions, and says how that is chosen', async () => {
    const { agent, threads, threadId, eventsOf } = await setUpAgent()
    await threads.append(threadId, longPast(20_000))
    const hint =
      '“extract” was followed as instructions. To use the strategy: /strategy extract, then /compact.'
    const outcome = await agent.sendMessage(threadId, '/compact extract')
    expect(outcome).toMatchObject({ reply: { ok: true, text: expect.stringContaining(hint) } })
    const told = async () => (await eventsOf('LOCAL_SYSTEM_MESSAGE')).map(({ data }) => data)
    expect((await told()).at(-1)).toBe(hint)
    // The words that it names work.
    await agent.sendMessage(threadId, '/strategy extract')
    await threads.append(threadId, longPast(20_000))
    await agent.sendMessage(threadId, '/compact extract the ports')
    expect((await told()).filter((data) => data === hint)).toHaveLength(1)
    expect((await eventsOf('COMPACTION')).at(-1)?.data.strategyId).toBe('extract')
  })

  it('asks no provider on a fresh thread [LOG-29]', async () => {
    const { agent, threadId, dev } = await setUpAgent()
    expect(await agent.sendMessage(threadId, '/compact')).toMatchObject({ reply: { ok: true } })
    expect(dev.requests).toEqual([])
  })

  it('never sends the word itself to the provider [LOG-29]', async () => {
    const { agent, threadId, dev } = await setUpAgent()
    await agent.sendMessage(threadId, 'Hello')
    await agent.sendMessage(threadId, '/compact')
    expect(dev.requests).toHaveLength(2)
    expect(JSON.stringify(dev.requests.map(({ body }) => body))).not.toContain('/compact')
  })

  it('takes further words as instructions [LOG-31]', async () => {
    const { agent, threadId, dev } = await setUpAgent()
    await agent.sendMessage(threadId, 'Hello')
    await agent.sendMessage(threadId, '/compact keep the port number')
    expect(lastMessages(dev).at(-1)?.text).toContain('keep the port number')
  })

  it('says when it begins and when it is done [LOG-32]', async () => {
    const { agent, threadId, frames, eventsOf } = await setUpAgent()
    await agent.sendMessage(threadId, 'Hello')
    frames.length = 0
    await agent.sendMessage(threadId, '/compact')
    const [start] = frames
    expect(start).toMatchObject({ type: 'agent_thinking_start' })
    expect(start?.type === 'agent_thinking_start' && start.message).toMatch(/compacting/i)
    expect(frames.filter(({ type }) => type === 'agent_thinking_complete')).toHaveLength(1)
    expect(await eventsOf('COMPACTION')).toHaveLength(1)
  })

  it('reports a failure as an error, without rejecting and without success [LOG-32, LOG-33]', async () => {
    const { agent, threadId, frames, eventsOf, threads } = await setUpAgent()
    await agent.sendMessage(threadId, 'Hello')
    for (const id of ['ai-summarize', 'trim-tool-results'])
      threads.register({ id, propose: () => Promise.reject('no reason') })
    const outcome = await agent.sendMessage(threadId, '/compact')
    expect(outcome).toMatchObject({ status: 'command', reply: { ok: false } })
    const error = frames.find((frame) => frame.type === 'error')
    expect(error).toMatchObject({ context: { operation: 'compact', threadId } })
    expect(error?.type === 'error' && error.error).toBeInstanceOf(Error)
    expect(error?.type === 'error' && error.error.message).toBe('Compaction failed')
    expect(frames.map(({ type }) => type)).not.toContain('agent_thinking_complete')
    expect(await eventsOf('LOCAL_SYSTEM_MESSAGE')).toEqual([])
    expect(await eventsOf('COMPACTION')).toEqual([])
    expect(await eventsOf('COMPACTION_FAILED')).toHaveLength(2)
  })

  it('lets the conversation go on with the next message [LOG-35]', async () => {
    const { agent, threadId, dev } = await setUpAgent({
      dev: { script: [{ text: 'Hi.' }, SUMMARY, { text: 'Still here.' }] },
    })
    await agent.sendMessage(threadId, 'Hello')
    await agent.sendMessage(threadId, '/compact')
    expect(await agent.sendMessage(threadId, 'Are you there?')).toMatchObject({
      status: 'done',
      text: 'Still here.',
    })
    expect(JSON.stringify(lastMessages(dev))).toContain(SUMMARY.text)
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })

  it('sends ordinary messages on to the provider', async () => {
    const { agent, threadId, dev } = await setUpAgent()
    await agent.sendMessage(threadId, 'please compact your answer')
    expect(lastMessages(dev).at(-1)?.text).toBe('please compact your answer')
  })
})

describe('@compact', () => {
  it('alone goes on behind a fold that changed something, and tells how far it is', async () => {
    const window = { windowTokens: 16_000, outputTokens: 2_000 }
    const { agent, threadId, threads, dev, frames, eventsOf } = await setUpAgent({
      ...{ ...window, preset: 'fold', auto: { enabled: false } },
    })
    dev.script(folding())
    const nothing = await agent.sendMessage(threadId, '@compact')
    expect(nothing).toEqual({
      status: 'command',
      reply: {
        ...{ command: 'compact-and-continue', ok: true, compaction: expect.anything() },
        text: 'Nothing was compacted: chunked-fold found nothing to remove. /strategy summarize, then /compact, summarises all but the last messages.',
      },
    })
    await threads.import(threadId, pastOf(2, 3_000))
    expect(await agent.sendMessage(threadId, '@compact')).toMatchObject({ text: 'On we go.' })
    expect((await eventsOf('USER_MESSAGE')).at(-1)?.data).toBe(
      'Please continue from where you left off.',
    )
    const progress = frames.filter((frame) => frame.type === 'COMPACTION_PROGRESS')
    const run = { threadId, trigger: 'command', strategy: 'chunked-fold' }
    expect(progress).toMatchObject([
      { ...run, message: 'Chunk 1 of 2', share: 0, done: 0, total: 2 },
      { ...run, message: 'Chunk 2 of 2', share: 0.5, done: 1, total: 2 },
      { ...run, message: 'All 2 chunks are folded', share: 1, done: 2, total: 2 },
    ])
    await threads.import(threadId, pastOf(2, 3_000))
    await agent.sendMessage(threadId, '@compact Now fix it.')
    const [last] = frames.filter((frame) => frame.type === 'COMPACTION_PROGRESS').slice(-1)
    expect(last).toMatchObject({ nextPrompt: 'Now fix it.' })
    expect(progress.some((frame) => 'nextPrompt' in frame)).toBe(false)
  })
})

describe('other commands', () => {
  it('show and change what holds for the thread', async () => {
    const { agent, threadId, threads, dev } = await setUpAgent()
    const say = async (text: string) => {
      const outcome = await agent.sendMessage(threadId, text)
      return outcome.status === 'command' ? outcome.reply : undefined
    }
    const known = `Known: ${threads.strategyIds().join(', ')}`
    const { text: presets = '' } = (await say('/preset')) ?? {}
    expect(presets).toMatch(/^Preset: log\. To change it, type \/preset and one of these:\nrange\n/)
    expect(presets).toMatch(
      /\nlog\n {2}\/compact: ai-summarize: .+\n {2}by itself: ai-summarize at 80 %; if that fails trim-tool-results\n/,
    )
    for (const [command, text] of [
      ['/preset precis', 'The preset of this thread is precis from now on.'],
      ['/preset', expect.stringMatching(/^Preset: precis\./)],
      ['/strategy', `Strategy: default of the preset precis. ${known}.`],
      ['/strategy trim-tool-results', 'This thread is compacted by trim-tool-results from now on.'],
      [
        '/strategy',
        `Strategy: trim-tool-results. ${known}. /strategy preset goes back to default of the preset precis.`,
      ],
      ['/strategy preset', 'From now on the preset precis decides how to compact this thread.'],
      ['/strategy', `Strategy: default of the preset precis. ${known}.`],
      ['/model', `Model: ${MODEL} (window: 200000 tokens).`],
      [`/model ${MODEL}`, `The model is ${MODEL} (window: 200000 tokens) from now on.`],
      ['/thinking', 'Thinking: off.'],
      ['/thinking high', 'Thinking is high from now on.'],
      ['/thinking', 'Thinking: high.'],
      ['/pins', 'Nothing is pinned. /pin keeps a text through every compaction.'],
      [
        '/pin never push',
        expect.stringMatching(/^Pinned as pin_\w+: it survives every compaction word for word\.$/),
      ],
      ['/pins', expect.stringMatching(/^pin_\w+ {2}never push$/)],
      ['/recall nothing', expect.stringContaining('nothing')],
    ] as const)
      expect(await say(command)).toMatchObject({ ok: true, text })
    // What is said of thinking is not lost with another model.
    await say(`/model ${MODEL}`)
    expect(await say('/thinking')).toMatchObject({ text: 'Thinking: high.' })
    const { pinId } = (await threads.pins(threadId))[0] ?? {}
    expect(await say(`/unpin ${pinId}`)).toMatchObject({
      ok: true,
      text: `${pinId} is no longer pinned.`,
    })
    expect(await say('/pins')).toMatchObject({ text: expect.stringContaining('Nothing is pinned') })
    for (const [command, text] of [
      [
        '/strategy nonsense',
        `Unknown compaction strategy: nonsense. ${known}; preset selects the default of the preset.`,
      ],
      ['/model nowhere/nothing', expect.stringContaining('nowhere')],
      ['/thinking purple', '/thinking takes off, low, medium or high, not "purple".'],
      ['/undo', 'There is no compaction to undo: nothing was compacted here.'],
      ['/redo', expect.stringMatching(/^There is no undone compaction to redo\./)],
    ] as const)
      expect(await say(command)).toMatchObject({ ok: false, text })
    expect(await say('/recall e1')).toMatchObject({ command: 'recall-ref' })
    expect(dev.requests).toEqual([])
  })

  it('/context shows what fills the window, by kind, and what is free', async () => {
    const { agent, threadId, threads } = await setUpAgent({ preset: 'whole', windowTokens: 20_000 })
    const shown = async () => {
      const outcome = await agent.sendMessage(threadId, '/context')
      const [head = '', ...rows] =
        (outcome.status === 'command' && outcome.reply.text.split('\n')) || []
      const row = (line: string) => /^(.{20}) (█*)(░*) +(\d+)$/.exec(line)?.slice(1) ?? []
      return {
        head,
        rows: rows.map(row).map(([name = '', full = '', free = '', tokens]) => ({
          name: name.trim(),
          cells: [full.length, full.length + free.length],
          tokens: Number(tokens),
        })),
      }
    }
    const cells = (tokens: number) => [Math.round((tokens / 20_000) * 24), 24]
    await threads.append(threadId, [system('Be kind. '.repeat(200))])
    await threads.import(threadId, longPast(5_000))
    const before = await shown()
    expect(before.head).toMatch(
      /^\d+ of 20000 tokens \(\d+ %\), estimated; 1000 kept for the answer$/,
    )
    await agent.sendMessage(threadId, 'go')
    const { tokens = 0 } = await threads.reading(threadId)
    const { head, rows } = await shown()
    const share = Math.round((tokens / 20_000) * 100)
    expect(head).toBe(`${tokens} of 20000 tokens (${share} %), measured; 1000 kept for the answer`)
    expect(rows.map(({ name }) => name)).toEqual([
      'system prompt',
      'user messages',
      'answers',
      'tool results',
      'tools and the rest',
      'free',
    ])
    for (const { name, cells: drawn, tokens: each } of rows)
      expect([name, drawn]).toEqual([name, cells(each)])
    expect(rows.at(-1)?.tokens).toBe(20_000 - tokens)
    expect(rows.reduce((sum, { tokens: each }) => sum + each, 0)).toBe(20_000)
    expect(rows.find(({ name }) => name === 'tool results')?.tokens).toBeGreaterThan(4_900)
    expect(before.rows.map(({ name }) => name)).toEqual(rows.map(({ name }) => name))
  })

  it('say what is missing where no model is set, and what needs none works', async () => {
    const { agent, threadId, threads, frames } = await setUpAgent({ settings: { models: {} } })
    const missing = { text: expect.stringMatching(/^No model is set\. Set one with --model, /) }
    for (const command of ['/model', '/context'])
      expect(await agent.sendMessage(threadId, command)).toMatchObject({ reply: missing })
    const failed = { status: 'failed', error: { code: 'no-model' } }
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject(failed)
    expect(frames.at(-1)).toMatchObject({ type: 'turn-end', end: 'failed' })
    await threads.import(threadId, longPast(3_000))
    const byCode = { success: true, strategy: 'trim-tool-results' }
    expect(await agent.compact(threadId)).toMatchObject(byCode)
    await agent.sendMessage(threadId, '/preset whole')
    expect(await agent.sendMessage(threadId, '/compact')).toMatchObject({
      reply: {
        ok: false,
        text: 'This preset asks the agent to compact, but no model is set. Set models.default, or name a strategy that needs no model: trim-tool-results.',
      },
    })
  })

  it('fork the thread, and begin a new one with the same settings', async () => {
    const { agent, threadId, threads } = await setUpAgent()
    await agent.sendMessage(threadId, 'Hello')
    const forked = await agent.sendMessage(threadId, '/fork')
    const fork = forked.status === 'command' ? forked.reply.threadId : undefined
    expect((await threads.getEvents(fork ?? '')).length).toBeGreaterThan(2)
    const begun = await agent.sendMessage(threadId, '/new Another')
    const fresh = begun.status === 'command' ? begun.reply.threadId : undefined
    expect(await agent.sendMessage(fresh ?? '', 'Hello there')).toMatchObject({ status: 'done' })
  })

  it('undo and redo a compaction', async () => {
    const { agent, threadId, threads } = await setUpAgent()
    await agent.sendMessage(threadId, 'Hello')
    const before = (await threads.messages(threadId)).messages
    await agent.sendMessage(threadId, '/compact')
    const compacted = (await threads.messages(threadId)).messages
    expect(compacted).not.toEqual(before)
    await agent.sendMessage(threadId, '/undo')
    expect((await threads.messages(threadId)).messages).toEqual(before)
    expect(await agent.sendMessage(threadId, '/undo')).toMatchObject({
      reply: {
        ok: false,
        text: 'There is no compaction to undo: the only one is already undone. Redo brings the last one back.',
      },
    })
    await agent.sendMessage(threadId, '/redo')
    expect((await threads.messages(threadId)).messages).toEqual(compacted)
    await agent.sendMessage(threadId, 'Hello again')
    await agent.sendMessage(threadId, '/compact')
    expect(await agent.sendMessage(threadId, '/undo 3')).toMatchObject({
      reply: { ok: true, text: '2 compactions were undone.' },
    })
    expect((await threads.messages(threadId)).messages.slice(0, before.length)).toEqual(before)
  })
})

describe('/undo', () => {
  it('takes back with the last compaction those above it that changed nothing', async () => {
    const { agent, threads, threadId } = await setUpAgent()
    for (const at of [1, 2]) await threads.append(threadId, longPast(300, `past ${at}`))
    const items = async () => (await threads.context(threadId)).items.toArray()
    const before = await items()
    await threads.compact(threadId, HALVING)
    const nothing = { id: 'nothing', propose: async () => ({ edits: [] }) }
    for (const _ of [1, 2]) await threads.compact(threadId, nothing)
    expect((await threads.context(threadId)).stack).toHaveLength(3)
    await agent.sendMessage(threadId, '/undo')
    expect(await items()).toEqual(before)
  })

  it.each([
    ['as it was before /compact', []],
    ['where that has gone on', ['And then?']],
  ])('leads from a fresh session to the former one, %s', async (_, said) => {
    const { agent, threadId } = await setUpAgent({ preset: 'fresh' })
    await agent.sendMessage(threadId, 'Hello')
    const outcome = await agent.sendMessage(threadId, '/compact')
    const fresh = outcome.status === 'command' ? (outcome.reply.threadId ?? '') : ''
    for (const text of said) await agent.sendMessage(threadId, text)
    const asItWas = said.length === 0 ? ', as it was before /compact' : ''
    expect(await agent.sendMessage(fresh, '/undo')).toMatchObject({
      reply: {
        threadId,
        text: `Back in the previous thread ${threadId}${asItWas}. /resume ${fresh} goes forward again.`,
      },
    })
    expect(await agent.sendMessage(threadId, '/redo')).toMatchObject({
      reply: { threadId: fresh, text: `Now in the thread ${fresh}. /undo goes back.` },
    })
  })
})

describe('/expand', () => {
  async function compactedTwice() {
    const setup = await setUpAgent()
    const { threads, threadId } = setup
    for (const at of [1, 2, 3, 4]) await threads.append(threadId, longPast(300, `past ${at}`))
    const refs = async () => (await threads.context(threadId)).items.toArray().map(({ id }) => id)
    const before = await refs()
    await threads.compact(threadId, HALVING)
    const once = await refs()
    await threads.compact(threadId, HALVING)
    return { ...setup, refs, before, once, twice: await refs() }
  }

  it('brings an entry back alone, through everything that covers it', async () => {
    const { agent, threadId, refs, before, twice } = await compactedTwice()
    const ref = before[0] ?? ''
    const outcome = await agent.sendMessage(threadId, `/expand [ref:${ref}]`)
    expect(await refs()).toEqual([twice[0], ref, ...twice.slice(1)])
    expect(outcome).toMatchObject({ reply: { ok: true } })
    expect(JSON.stringify(outcome)).toContain(`${ref} is back in the context. /undo reverts this.`)
    await agent.sendMessage(threadId, '/undo')
    expect(await refs()).toEqual(twice)
  })

  it('brings back an entry that was rewritten more than once', async () => {
    const { agent, threads, threadId } = await setUpAgent()
    await threads.append(threadId, [user('all of it'), ...answer('Good.')])
    const first = async () => (await threads.context(threadId)).items.toArray()[0]?.id ?? 'e0'
    const ref = await first()
    for (const data of ['a part', 'less'])
      await threads.compact(threadId, {
        id: 'rewriting',
        async propose({ context }) {
          const of = context.items.toArray()[0]?.id ?? 'e0'
          const put = { type: 'USER_MESSAGE', data, label: 'trimmed', of } as const
          return { edits: [{ covers: [of], put: [put] }] }
        },
      })
    expect(await first()).not.toBe(ref)
    const outcome = await agent.sendMessage(threadId, `/expand ${ref}`)
    expect(JSON.stringify(outcome)).toContain(`${ref} is back in the context. /undo`)
    expect(await first()).toBe(ref)
    expect((await threads.context(threadId)).items.toArray()).toHaveLength(2)
  })

  it('says how many belong to an entry that comes back', async () => {
    const { agent, threadId, before } = await compactedTwice()
    expect(JSON.stringify(await agent.sendMessage(threadId, `/expand ${before[2]}`))).toContain(
      `${before[2]} is back in the context, with 1 more that belong to it.`,
    )
  })

  it('puts all back that a text stands for, also after one of them came back alone', async () => {
    const { agent, threadId, refs, before, once, twice } = await compactedTwice()
    await agent.sendMessage(threadId, `/expand ${before[0]}`)
    const outcome = await agent.sendMessage(threadId, `/expand ${twice[0]}`)
    expect(await refs()).toEqual(once)
    expect(JSON.stringify(outcome)).toMatch(
      /entr(y is|ies are) back in the context in place of c\d+\.\d+/,
    )
  })

  it('is one step: undo takes back what it did, and no more [ALWAYS-22]', async () => {
    const { agent, threadId, refs, before, twice, eventsOf } = await compactedTwice()
    await agent.sendMessage(threadId, `/expand ${before[0]}`)
    const one = await refs()
    await agent.sendMessage(threadId, `/expand ${twice[0]}`)
    await agent.sendMessage(threadId, '/undo')
    expect(await refs()).toEqual(one)
    await agent.sendMessage(threadId, '/redo')
    await agent.undo(threadId)
    await agent.sendMessage(threadId, '/undo')
    expect(await refs()).toEqual(twice)
    expect(await eventsOf('CONTENT_EXPANDED')).toHaveLength(2)
  })

  it('does not keep a compaction from being undone by its number', async () => {
    const { agent, threadId, refs, once, eventsOf } = await compactedTwice()
    const [, second] = await eventsOf('COMPACTION')
    const made = (await refs()).find((id) => id.startsWith('c')) ?? ''
    await agent.sendMessage(threadId, `/expand ${made}`)
    expect(await refs()).toEqual(once)
    await agent.undo(threadId, second?.seq)
    expect(await refs()).toEqual(once)
    expect((await eventsOf('COMPACTION_UNDONE')).map(({ data }) => data.of)).toContain(second?.seq)
  })

  it('stays where another compaction is undone by its number', async () => {
    const { agent, threads, threadId, eventsOf } = await setUpAgent()
    const refs = async () => (await threads.context(threadId)).items.toArray().map(({ id }) => id)
    for (const at of [1, 2]) await threads.append(threadId, longPast(300, `past ${at}`))
    await threads.compact(threadId, HALVING)
    const early = (await refs()).length
    await threads.append(threadId, longPast(300, 'later'))
    const [later = 'e0'] = (await refs()).slice(early)
    await threads.compact(threadId, {
      id: 'the later half',
      async propose({ context, eventAt }) {
        const covers = runsOf(context.items.toArray().slice(early), eventAt)
        return { edits: [{ covers, put: [{ type: 'USER_MESSAGE', data: 'S', label: 'summary' }] }] }
      },
    })
    await agent.sendMessage(threadId, `/expand ${later}`)
    const [first] = await eventsOf('COMPACTION')
    await agent.undo(threadId, first?.seq)
    expect(await refs()).toEqual(expect.arrayContaining(['e2', later]))
    expect(await eventsOf('COMPACTION')).toHaveLength(2)
  })

  it('refuses what is there, what is unknown and what is no ref', async () => {
    const { agent, threadId, before } = await compactedTwice()
    const replyTo = async (text: string) => JSON.stringify(await agent.sendMessage(threadId, text))
    expect(await replyTo(`/expand ${before.at(-1)}`)).toContain('is in the context already')
    expect(await replyTo('/expand e9999')).toContain('"ok":false')
    expect(await replyTo('/expand the port')).toContain('takes a ref such as e12')
    expect(await replyTo('/expand')).toContain('needs a ref')
  })
})
