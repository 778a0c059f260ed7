// `chunked-fold` in the real agent: SQLite, the official SDK, the strict stand-in as main and small agent.
import { describe, expect, it } from 'vitest'
import type { AgentFrame } from '../../src/core/agent/frame.ts'
import type { DevModel } from '../../src/dev-model/index.ts'
import { renderThreadToMarkdown } from '../../src/strategies/fold/render-thread.ts'
import { longPast, runsIn, textOf } from '../agent/past.ts'
import { lastMessages, type SetupOptions, setUpAgent } from '../agent/setup.ts'
import { violations } from '../agent/transcript.ts'
import { user } from '../say.ts'
import { folding, pastOf, type Stage, stageOf } from './small-agent.ts'

/** Six exchanges that make three chunks; in a small window, since that is faster. */
async function threeChunks(exchangeTokens = 2_200, options: SetupOptions = SMALL) {
  const setup = await setUpAgent({ preset: 'fold', auto: { enabled: false }, ...options })
  await setup.threads.import(setup.threadId, pastOf(6, exchangeTokens))
  setup.dev.script(folding())
  return setup
}

const SMALL = { windowTokens: 16_000, outputTokens: 2_000 }

function stages({ requests }: DevModel): Stage[] {
  return requests.flatMap(({ asked }) => (asked ? (stageOf(asked) ?? []) : []))
}

type Progress = Extract<AgentFrame, { type: 'COMPACTION_PROGRESS' }>

function progressIn(frames: readonly AgentFrame[]): Progress[] {
  return frames.filter((frame) => frame.type === 'COMPACTION_PROGRESS')
}

const SUMMARY = 'Chunk 1 was folded.\nChunk 2 was folded.\nChunk 3 was folded.'

/** How long the entries of a log are, about. */
function markdownOf(events: readonly unknown[]): number {
  return JSON.stringify(events).length
}

describe('@compact with a thread of three chunks', () => {
  it('folds them one after the other, each by a new agent with two tools [FOLD-26, FOLD-27, FOLD-31, FOLD-32, FOLD-42, FOLD-47, FOLD-59]', async () => {
    const { agent, threadId, dev, frames } = await threeChunks()
    const modes: boolean[] = []
    const isCompacting = () =>
      frames.filter(({ type }) => type === 'COMPACTION_START').length === 1 &&
      !frames.some(({ type }) => type === 'COMPACTION_COMPLETE')
    dev.script(folding({ fold: () => void modes.push(isCompacting()) }))
    await agent.sendMessage(threadId, '@compact Go on.')
    const told = stages(dev)
    expect(told.map(({ chunk, total, round }) => `${chunk}/${total}.${round}`)).toEqual([
      '1/3.0',
      '1/3.1',
      '1/3.2',
      '2/3.0',
      '2/3.1',
      '2/3.2',
      '3/3.0',
      '3/3.1',
      '3/3.2',
    ])
    for (const { asked } of told) {
      expect(asked.tools.map(({ name }) => name)).toEqual(['get_file', 'edl'])
      expect(asked.system).toContain('running summary')
    }
    // A talk begins with its prompt alone: nothing is left of the agent before.
    for (const { round, asked } of told) expect(asked.turns).toHaveLength(1 + 2 * round)
    // One file for all of them, empty at first.
    const [read] = told[1]?.asked.turns.at(-1)?.parts ?? []
    expect(read).toMatchObject({ text: '(the file is empty)' })
    expect(modes).toEqual(told.map(() => true))
    expect(dev.requests.map(({ outcome }) => outcome)).not.toContain('open')
    expect(violations(dev)).toEqual([])
    expect(runsIn(frames)).toMatchObject([{ success: true, strategy: 'chunked-fold' }])
  })

  it('gives each chunk whole, in order, cut between messages [FOLD-12, FOLD-33, FOLD-34, FOLD-66]', async () => {
    const { agent, threadId, dev, threads } = await threeChunks(12_500, { windowTokens: 200_000 })
    const { markdown } = renderThreadToMarkdown((await threads.messages(threadId)).messages)
    await agent.sendMessage(threadId, '@compact Go on.')
    const prompts = stages(dev).filter(({ round }) => round === 0)
    const marks = prompts.map(({ prompt }) => prompt.match(/MARK-\d/g))
    expect(marks).toEqual([
      ['MARK-1', 'MARK-2'],
      ['MARK-3', 'MARK-4'],
      ['MARK-5', 'MARK-6'],
    ])
    for (const [at, { prompt }] of prompts.entries()) {
      expect(prompt).toMatch(new RegExp(`^This is chunk ${at + 1} of 3 of`))
      expect(prompt).toMatch(/>\n# user:\n\nRequest/)
      expect(prompt.length).toBeGreaterThan(100_000)
      expect(prompt.length).toBeLessThan(122_000)
    }
    // Together they are the whole thread as markdown, which is in the prompts and nowhere else.
    const raw = prompts.map(({ prompt }) => /\n<([^>]+)>\n([\s\S]*)\n<\/\1>\n/.exec(prompt)?.[2])
    expect(raw.join('')).toBe(markdown)
    for (const { asked } of stages(dev).filter(({ round }) => round === 1))
      expect(JSON.stringify(asked.turns.at(-1))).not.toMatch(/MARK-\d|# user:/)
    const [summary] = (await threads.messages(threadId)).messages
    expect(JSON.stringify(summary)).not.toMatch(/MARK-\d|# user:/)
    // No request but those of the agents: nobody was asked to count.
    expect(new Set(dev.requests.map(({ path }) => path)).size).toBe(1)
  })

  it('flags the last chunk alone, and asks the others to add and not to condense again [FOLD-35, FOLD-36, FOLD-37]', async () => {
    const { agent, threadId, dev } = await threeChunks()
    await agent.sendMessage(threadId, '@compact')
    const [first = '', second = '', last = ''] = stages(dev)
      .filter(({ round }) => round === 0)
      .map(({ prompt }) => prompt)
    expect([first, second, last].map((prompt) => prompt.includes('LAST chunk'))).toEqual([
      false,
      false,
      true,
    ])
    expect(last).toContain('final, complete summary')
    expect(first).toContain('/summary.md is empty. Write a condensed summary')
    for (const prompt of [second, last]) {
      expect(prompt).toContain('incorporates the essential new information')
      expect(prompt).toContain('Do NOT condense again')
    }
  })

  it('carries /summary.md across, and nothing else is in it [FOLD-38, FOLD-39, FOLD-60]', async () => {
    const { agent, threadId, dev } = await threeChunks()
    await agent.sendMessage(threadId, '@compact')
    const reads = stages(dev)
      .filter(({ round }) => round === 1)
      .map(({ asked }) => asked.turns.at(-1)?.parts[0])
    expect(reads).toMatchObject([
      { text: '(the file is empty)', failed: false },
      { text: 'Chunk 1 was folded.\n', failed: false },
      { text: 'Chunk 1 was folded.\nChunk 2 was folded.\n', failed: false },
    ])
  })

  it('replaces the thread by the summary, then says what comes next [FOLD-49, FOLD-50, FOLD-51, FOLD-52, FOLD-64]', async () => {
    const { agent, threadId, dev, events, eventsOf, threads } = await threeChunks()
    const before = await events()
    const outcome = await agent.sendMessage(threadId, '@compact Go on with @file:a.ts.')
    expect(outcome).toMatchObject({ status: 'done', text: 'On we go.' })
    // Two user messages in a row go out as one turn.
    const [sent, ...rest] = lastMessages(dev)
    expect(rest).toEqual([])
    const [head = '', tail = ''] = sent?.text.split('\n[Context note, not a new request: ') ?? []
    expect(head).toBe(`<conversation-summary>\n${SUMMARY}\n</conversation-summary>`)
    // What it is, that nothing is to be repeated, and which ref recall takes; then what comes next.
    expect(tail).toMatch(/^the entries \[ref:e\d+\] to \[ref:e\d+\] were compacted/)
    expect(tail).toContain('do not repeat it. recall reads the originals again, by ref (such as e')
    expect(tail.endsWith('\nGo on with @file:a.ts.')).toBe(true)
    expect(JSON.stringify(dev.requests.at(-1)?.body).length).toBeLessThan(markdownOf(before) / 4)
    expect((await events()).slice(0, before.length)).toEqual(before)
    const [compaction] = await eventsOf('COMPACTION')
    expect(compaction?.threadId).toBe(threadId)
    expect(compaction?.data).toMatchObject({
      strategyId: 'chunked-fold',
      metadata: { chunks: 3, reusedChunks: 0, unchangedChunks: [] },
    })
    await threads.undo(threadId)
    expect(JSON.stringify((await threads.messages(threadId)).messages)).toContain('MARK-1')
  })

  it('has no sub-threads, and shows nothing of the small agents as the main one’s [FOLD-24, FOLD-29]', async () => {
    const { agent, threadId, dev, store, frames, eventsOf } = await threeChunks()
    const listed = async () => (await store.list()).items.map((info) => info.threadId).join()
    const meanwhile = new Set<string>()
    const look = async () => void meanwhile.add(await listed())
    dev.script(folding({ fold: async () => (await look()) as undefined }))
    await agent.sendMessage(threadId, '/compact')
    expect([...meanwhile, await listed()]).toEqual([threadId, threadId])
    expect([...new Set(frames.map(({ type }) => type))]).toEqual([
      'agent_thinking_start',
      'COMPACTION_START',
      'COMPACTION_PROGRESS',
      'agent_thinking_complete',
      'COMPACTION_COMPLETE',
    ])
    expect(await eventsOf('AGENT_MESSAGE')).toHaveLength(6)
    expect(await eventsOf('TOOL_CALL')).toEqual([])
  })

  it('shows chunks done, chunks in all, and what comes next [FOLD-23]', async () => {
    const { agent, threadId, frames } = await threeChunks()
    await agent.sendMessage(threadId, '@compact Go on.')
    expect(progressIn(frames)).toMatchObject([
      { done: 0, total: 3, share: 0, message: 'Chunk 1 of 3', nextPrompt: 'Go on.' },
      { done: 1, total: 3, message: 'Chunk 2 of 3', nextPrompt: 'Go on.' },
      { done: 2, total: 3, message: 'Chunk 3 of 3', nextPrompt: 'Go on.' },
      { done: 3, total: 3, share: 1, nextPrompt: 'Go on.' },
    ])
  })

  it('tells every small agent what comes next and what to heed [FOLD-40]', async () => {
    const { agent, threadId, dev } = await threeChunks()
    await agent.sendMessage(threadId, '@compact Now fix the parser.')
    for (const { prompt } of stages(dev)) expect(prompt).toContain('> Now fix the parser.')
    await agent.sendMessage(threadId, '/undo')
    const before = dev.requests.length
    await agent.sendMessage(threadId, '/compact keep the port')
    for (const { asked } of dev.requests.slice(before))
      expect(asked && stageOf(asked)?.prompt).toContain('> keep the port')
  })

  it('goes on by a sentence of its own where the user says nothing further, /compact waits [FOLD-51]', async () => {
    const { agent, threadId, dev } = await threeChunks()
    const outcome = await agent.sendMessage(threadId, '@compact')
    expect(outcome).toMatchObject({ status: 'done', text: 'On we go.' })
    expect(lastMessages(dev).at(-1)?.text).toMatch(/Please continue from where you left off\.$/)
    const asked = dev.requests.length
    expect(await agent.sendMessage(threadId, '/compact')).toMatchObject({ status: 'command' })
    expect(dev.requests.slice(asked).every((each) => each.asked && stageOf(each.asked))).toBe(true)
  })

  it('asks the fast model of the settings, and the thread’s own answers the user [FOLD-67]', async () => {
    const fast = 'anthropic/quick'
    const { agent, threadId, dev } = await threeChunks(2_200, {
      ...SMALL,
      catalogue: { [fast]: { windowTokens: 16_000, outputTokens: 2_000 } },
      agent: { settings: { preset: 'fold', models: { fast } } },
    })
    await agent.sendMessage(threadId, '@compact Go on.')
    const asked = dev.requests.flatMap((request) => request.asked ?? [])
    expect(asked.map(({ model }) => model)).toEqual([...Array(9).fill('quick'), 'stand-in'])
  })

  it('counts what it cost, apart from the conversation [ALWAYS-13]', async () => {
    const { agent, threadId, threads, dev } = await threeChunks()
    const { usage } = await agent.compact(threadId)
    const billed = dev.requests.reduce(
      (sum, each) => sum + (each.usage?.inputTokens ?? 0) + (each.usage?.outputTokens ?? 0),
      0,
    )
    expect(usage?.totalTokens).toBe(billed)
    expect((await threads.usage(threadId)).conversation.totalTokens).toBe(0)
  })
})

describe('other threads', () => {
  it('of one chunk are folded in one pass, first and last at once [FOLD-35, FOLD-61]', async () => {
    const { agent, threadId, dev, threads } = await setUpAgent({ preset: 'fold' })
    await threads.import(threadId, pastOf(2, 500))
    dev.script(folding())
    expect(await agent.compact(threadId)).toMatchObject({ success: true })
    const told = stages(dev)
    expect(told.map(({ chunk, total }) => `${chunk}/${total}`)).toEqual(['1/1', '1/1', '1/1'])
    expect(told[0]?.prompt).toContain('/summary.md is empty')
    expect(told[0]?.prompt).toContain('LAST chunk')
  })

  it('that are empty have no agent, no new mode, and a warning [FOLD-30]', async () => {
    const { agent, threadId, dev, frames } = await setUpAgent({ preset: 'fold' })
    dev.script(folding())
    expect(await agent.sendMessage(threadId, '@compact')).toMatchObject({ status: 'command' })
    expect(dev.requests).toEqual([])
    expect(frames).toContainEqual(
      expect.objectContaining({ type: 'notice', level: 'warning', message: expect.any(String) }),
    )
    expect(await agent.sendMessage(threadId, 'Hello')).toMatchObject({ text: 'On we go.' })
  })

  it('of ten times the window fit, request by request [ALWAYS-12, FOLD-20]', async () => {
    const windowTokens = 24_000
    const { agent, threadId, threads, dev } = await setUpAgent({
      preset: 'fold',
      windowTokens,
      outputTokens: 2_000,
    })
    await threads.import(threadId, pastOf(60, 4_000))
    expect((await threads.context(threadId)).tokens).toBeGreaterThan(10 * windowTokens)
    dev.script(folding())
    const outcome = await agent.sendMessage(threadId, '@compact Go on.')
    expect(outcome).toMatchObject({ status: 'done', text: 'On we go.' })
    const told = stages(dev)
    expect(told[0]?.total).toBeGreaterThan(20)
    const read = new Set(told.flatMap(({ prompt }) => prompt.match(/MARK-\d+\./g) ?? []))
    expect(read.size).toBe(60)
    for (const { usage, outcome: how } of dev.requests) {
      expect(how).toBe('answered')
      expect(usage?.inputTokens).toBeLessThan(windowTokens - 2_000)
    }
    expect(lastMessages(dev)[0]?.text).toContain(`Chunk ${told[0]?.total} was folded.`)
  })

  it('with one giant message, or of letters that weigh more, fit as well [ALWAYS-12]', async () => {
    const { agent, threadId, threads, dev } = await setUpAgent({
      preset: 'fold',
      windowTokens: 24_000,
      outputTokens: 2_000,
    })
    await threads.import(threadId, [
      user(`看 ${'会议记录显示，所有项目都按计划进行。'.repeat(6_000)}`),
      ...longPast(30_000),
      user('x'.repeat(300_000)),
    ])
    dev.script(folding())
    expect(await agent.compact(threadId)).toMatchObject({ success: true })
    expect(dev.requests.every(({ outcome }) => outcome === 'answered')).toBe(true)
    expect(stages(dev)[0]?.total).toBeGreaterThan(5)
  })

  it('are folded in smaller chunks where the window turns out smaller than it was said to be', async () => {
    const { agent, threadId, threads, dev, frames } = await setUpAgent({
      preset: 'fold',
      windowTokens: 16_000,
      believedWindowTokens: 60_000,
    })
    await threads.import(threadId, pastOf(4, 8_000))
    dev.script(folding())
    expect(await agent.compact(threadId)).toMatchObject({ success: true })
    expect(dev.requests.some(({ outcome }) => outcome === 'refused')).toBe(true)
    expect(runsIn(frames)).toHaveLength(1)
    expect((await threads.getEvents(threadId)).length).toBeGreaterThan(0)
  })
})

describe('automatic', () => {
  const WINDOW = { windowTokens: 12_000, outputTokens: 1_500 }

  it('folds at 0.8 of the window, and what the user just asked stays [FOLD-64, ALWAYS-10]', async () => {
    const { agent, threadId, threads, dev, frames } = await setUpAgent({
      preset: 'fold',
      ...WINDOW,
    })
    await threads.import(threadId, longPast(9_600))
    dev.script(folding())
    const outcome = await agent.sendMessage(threadId, 'Which port was it?')
    expect(outcome).toMatchObject({ status: 'done', text: 'On we go.' })
    expect(runsIn(frames)).toMatchObject([
      { success: true, trigger: 'auto', strategy: 'chunked-fold' },
    ])
    expect(lastMessages(dev)).toHaveLength(1)
    expect(lastMessages(dev)[0]?.text).toMatch(
      /<\/conversation-summary>\n\[Context note, [\s\S]*\nWhich port was it\?$/,
    )
    const read = stages(dev).map(({ prompt }) => prompt)
    expect(read.some((prompt) => prompt.includes('Which port was it?'))).toBe(false)
  })

  it('goes on in the middle of a task [ALWAYS-10]', async () => {
    const { agent, threadId, dev, frames } = await setUpAgent({ preset: 'fold', ...WINDOW })
    const script = folding({ main: { text: 'All done.' } })
    let asked = 0
    dev.script((request, body) => {
      if (stageOf(request)) return script(request, body)
      asked += 1
      const command = `node -e "console.log('a few words\\n'.repeat(800))"`
      return asked === 1
        ? { calls: [{ name: 'run', arguments: { command } }] }
        : { text: 'All done.' }
    })
    const outcome = await agent.sendMessage(threadId, `Run it. ${textOf(7_000)}`)
    expect(outcome).toMatchObject({ status: 'done', text: 'All done.' })
    expect(runsIn(frames)).toMatchObject([{ success: true, trigger: 'auto' }])
    // The request is there word for word, and so is the result that the model has not seen (C27).
    const [told] = lastMessages(dev)
    expect(told?.text).toMatch(/word for word \[ref:e\d+\]:\nRun it\. /)
    expect(JSON.stringify(dev.requests.at(-1)?.body)).toContain('a few words')
    expect(violations(dev)).toEqual([])
  })

  it('never folds the talk of a small agent, however full it is [FOLD-65]', async () => {
    const { agent, threadId, threads, dev, frames } = await setUpAgent({
      preset: 'fold',
      ...WINDOW,
    })
    await threads.import(threadId, pastOf(4, 2_300))
    const filler = `# ${'word '.repeat(900)}\nfile /summary.md\ninsert_after "x"`
    dev.script(
      folding({
        fold: ({ chunk, round }) =>
          chunk === 1 && round < 7
            ? { calls: [{ name: 'edl', arguments: { script: filler } }] }
            : undefined,
      }),
    )
    await agent.sendMessage(threadId, 'Go on.')
    const fullest = Math.max(...dev.requests.map(({ usage }) => usage?.inputTokens ?? 0))
    expect(fullest).toBeGreaterThan(0.8 * WINDOW.windowTokens)
    expect(runsIn(frames)).toHaveLength(1)
  })
})
