// The agent's own `compact` in the hands of models as they are: undone, without a next step, empty, with too large files.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentFrame } from '../../src/core/agent/frame.ts'
import type { Json } from '../../src/core/text/json.ts'
import { longPast, textOf } from './past.ts'
import { type SetupOptions, setUpAgent } from './setup.ts'
import { compactCall, rangeCall, transcript, violations, wireLines } from './transcript.ts'

const FALSE_NOW = /interrupted|The thread was compacted\. Continue/

/** What people read besides the answers. */
function noticesIn(frames: readonly AgentFrame[]): string[] {
  return frames.flatMap((frame) => (frame.type === 'notice' ? [frame.message] : []))
}

describe('an own compaction that is undone', () => {
  it.each([
    ['the end of the thread', (c: string) => rangeCall({ to: c, summary: 'S' })],
    ['everything', () => rangeCall({ summary: 'S' })],
  ])(
    'of %s: the call has a true result, and nothing says that the thread is compacted',
    async (_, call) => {
      const { agent, threadId, dev, c, lines, threads, eventsOf } = await transcript()
      const before = await lines()
      dev.script([call(c), { text: 'on it' }, { text: 'yes' }])
      await agent.sendMessage(threadId, 'go')
      await agent.sendMessage(threadId, '/undo')
      expect((await lines()).slice(0, before.length)).toEqual(before)
      await agent.sendMessage(threadId, 'and now?')
      const sent = JSON.stringify(dev.requests.at(-1)?.body)
      expect(sent).not.toMatch(FALSE_NOW)
      expect(sent).toContain('That compaction was undone since')
      expect((await threads.messages(threadId)).problems).toEqual([])
      expect((await eventsOf('COMPACTION_UNDONE')).length).toBe(1)
      // Whoever summarises it next reads of no failure.
      dev.script([(asked) => ({ text: asked.turns.length > 0 ? 'Nothing was done.' : '' })])
      await agent.compact(threadId, { strategy: 'extract' })
      expect(JSON.stringify(await eventsOf('COMPACTION'))).not.toMatch(
        /compact[^"]{0,20}(?:fail|abort)/i,
      )
      expect(violations(dev)).toEqual([])
    },
  )

  it('is back to the byte once it is redone, and says that it was compacted again', async () => {
    const { agent, threadId, dev, c, lines } = await transcript()
    dev.script([rangeCall({ to: c, summary: 'S' }), { text: 'on it' }])
    await agent.sendMessage(threadId, 'go')
    const compacted = await lines()
    await agent.sendMessage(threadId, '/undo')
    await agent.sendMessage(threadId, '/redo')
    expect(await lines()).toEqual(compacted)
  })

  it('beside another call: its result no longer says that the thread is compacted', async () => {
    const { agent, threadId, dev, a, b } = await transcript()
    const { calls = [] } = rangeCall({ from: a, to: b, summary: 'S' })
    dev.script([
      { calls: [...calls, { id: 'beside', name: 'list', arguments: {} }] },
      { text: 'on it' },
      { text: 'yes' },
    ])
    await agent.sendMessage(threadId, 'go')
    expect(JSON.stringify(dev.requests.at(-1)?.body)).toContain('I compacted the thread')
    await agent.sendMessage(threadId, '/undo')
    await agent.sendMessage(threadId, 'and now?')
    const sent = JSON.stringify(dev.requests.at(-1)?.body)
    expect(sent).not.toContain('I compacted the thread')
    expect(sent).toContain('That compaction was undone since')
    expect(violations(dev)).toEqual([])
  })

  it('of the whole thread, without a word behind it', async () => {
    const { agent, threadId, dev, lines } = await transcript({ preset: 'whole' })
    const before = await lines()
    dev.script([compactCall({ summary: 'S' }), { text: 'yes' }])
    await agent.sendMessage(threadId, 'go')
    await agent.sendMessage(threadId, '/undo')
    expect((await lines()).slice(0, before.length)).toEqual(before)
    await agent.sendMessage(threadId, 'and now?')
    const sent = JSON.stringify(dev.requests.at(-1)?.body)
    expect(sent).not.toMatch(FALSE_NOW)
    expect(sent).toContain('That compaction was undone since')
    expect(violations(dev)).toEqual([])
  })
})

/** A thread of some length in which the agent is asked for something, and compacts first. */
async function askedInLongThread(input: Json, options: SetupOptions = {}) {
  const setup = await setUpAgent({ preset: 'whole', windowTokens: 40_000, ...options })
  const { agent, dev, threads, threadId } = setup
  await threads.import(threadId, longPast(6_000))
  dev.script([compactCall(input), { text: 'done' }, { text: 'done again' }])
  const outcome = await agent.sendMessage(threadId, REQUEST)
  return { ...setup, outcome }
}

const REQUEST = 'Rename `takeOrders` to `acceptOrders`,\n  and nothing else.'

describe('an own compaction without a next step', () => {
  it('says so to the user, and keeps the request for the agent [WHOLE-15, ALWAYS-23]', async () => {
    const { outcome, frames, dev, agent, threadId } = await askedInLongThread({
      summary: 'We looked at the past and found nothing in it.',
    })
    expect(outcome.status).toBe('waiting')
    const [notice = ''] = noticesIn(frames).filter((text) => text.includes('next step'))
    expect(notice).toContain('continue')
    expect(notice).toContain('Rename `takeOrders`')
    await agent.sendMessage(threadId, 'continue')
    expect(wireLines(dev.requests.at(-1)).join('\n')).toContain(
      JSON.stringify(REQUEST).slice(1, -1),
    )
  })

  it('that has one says nothing of it', async () => {
    const summary = 'We looked at the past and found nothing in it.'
    const { outcome, frames } = await askedInLongThread({ summary, continuation: 'Go on.' })
    expect(outcome.status).toBe('done')
    expect(noticesIn(frames).join('\n')).not.toContain('next step')
  })
})

describe('an own deletion', () => {
  it.each([
    ['of everything', {}],
    ['from a checkpoint on', { from: 'a' }],
  ])('%s is refused with what to do where it would take the open request', async (_, range) => {
    for (const summary of ['', ' \n']) {
      const { compactFork, a, dev } = await transcript()
      const replacement = { ...('from' in range && { from: a }), summary }
      const { result, before, after, lines } = await compactFork(replacement)
      expect(result).toMatchObject({ status: 'failed' })
      expect(result?.text).toMatch(/"go".*checkpoint|checkpoint.*"go"/s)
      expect(result?.text).toContain('summary')
      expect(after).toBe(before)
      expect(lines.join('\n')).toContain('user["go"')
      expect(violations(dev)).toEqual([])
    }
  })

  it('of what lies before the request is carried out [RANGE-35]', async () => {
    const { compactFork, c } = await transcript()
    const { result, lines } = await compactFork({ to: c, summary: '' })
    expect(result).toBeUndefined()
    expect(lines.slice(0, 2)).toEqual(['assistant["content3"]', expect.stringContaining('"go"')])
  })
})

describe('files that an own compaction carries over', () => {
  it('leave room in the window, and those that do not fit are named to people, too [WHOLE-11]', async () => {
    const setup = await setUpAgent({ preset: 'whole', windowTokens: 20_000 })
    const { agent, dev, threadId, folder, frames, threads } = setup
    writeFileSync(join(folder, 'big.ts'), textOf(27_000))
    writeFileSync(join(folder, 'next.ts'), 'const port = 8080\n')
    const contextFiles = ['big.ts', 'next.ts', 'gone.ts']
    dev.script([
      compactCall({ summary: 'S', contextFiles, continuation: 'Go on.' }),
      { text: 'ok' },
    ])
    expect(await agent.sendMessage(threadId, 'go')).toMatchObject({ status: 'done' })
    const { tokens } = await threads.context(threadId)
    expect(tokens).toBeGreaterThan(2_000)
    expect(tokens).toBeLessThan(10_000)
    const told = noticesIn(frames).join('\n')
    expect(told).not.toContain('next.ts')
    expect(JSON.stringify(dev.requests.at(-1)?.body)).toContain('const port = 8080')
    expect(told).toMatch(/gone\.ts.*does not exist/)
    expect(told).toMatch(/big\.ts.*part/)
    expect(violations(dev)).toEqual([])
  })

  it('never make a long thread longer, and the agent is not refused for them', async () => {
    const setup = await setUpAgent({ preset: 'whole', windowTokens: 200_000 })
    const { agent, dev, threadId, folder, threads, frames } = setup
    await threads.import(threadId, longPast(6_000))
    writeFileSync(join(folder, 'big.ts'), textOf(9_000))
    const { tokens: before } = await threads.context(threadId)
    const summary = 'We looked at the past and found nothing in it.'
    dev.script([
      compactCall({ summary, contextFiles: ['big.ts'], continuation: 'Go on.' }),
      { text: 'ok' },
    ])
    await agent.sendMessage(threadId, 'go')
    expect(frames.filter(({ type }) => type === 'COMPACTION_COMPLETE')).toMatchObject([
      { success: true },
    ])
    expect((await threads.context(threadId)).tokens).toBeLessThan(before)
  })
})

describe('an agent whose window fills up', () => {
  it.each([
    ['range', true],
    ['range', false],
    ['whole', true],
    ['log', true],
  ] as const)(
    'is told once how full it is, under %s with automatic %s',
    async (preset, enabled) => {
      const setup = await setUpAgent({ preset, windowTokens: 40_000, auto: { enabled } })
      const { agent, threadId, threads, eventsOf } = setup
      const told = async () => (await eventsOf('SYSTEM_REMINDER')).map(({ data }) => data)
      const say = async (past: number, text: string) => {
        await threads.import(threadId, longPast(past, text))
        await agent.sendMessage(threadId, text)
      }
      await say(8_000, 'one')
      await say(13_000, 'two')
      expect(await told()).toEqual([])
      await say(3_000, 'three')
      await agent.sendMessage(threadId, 'four')
      const [one, two] = (await eventsOf('CHECKPOINT')).map(({ data }) => data.id)
      const soon = enabled
        ? 'From 32,000 tokens on, older parts are compacted automatically, and you do not choose which.'
        : 'Nothing is compacted unless you or the user do it.'
      const advice =
        preset === 'range'
          ? 'When you have finished a step, call `compact` for ranges whose details you no longer need; the largest ones gain most.'
          : 'When you have finished a step and most of the details are no longer needed, call `compact` with a summary and a continuation.'
      const sizes = [
        'Sizes between checkpoints:',
        `- up to ${one}: about 8k tokens`,
        `- from ${one} to ${two}: about 13k tokens`,
        `- after ${two}: about 3k tokens`,
      ]
      const reminder = [
        `Your context window is 64 % full: about 25k of 40,000 tokens. ${soon} ${advice}`,
        ...(preset === 'range' ? sizes : []),
        'This is no request: go on with your task.',
      ].join('\n')
      const inThousands = (await told()).map((text) => text.replace(/(about \d+),\d{3}/g, '$1k'))
      expect(inThousands).toEqual(preset === 'log' ? [] : [reminder])
      if (preset === 'log') return
      await say(5_000, 'five')
      expect(await told()).toHaveLength(2)
      expect((await told())[1]).toMatch(/^Your context window is 7[5-9] % full/)
    },
  )
})
