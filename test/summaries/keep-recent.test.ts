// `keep-recent` by the real agent against the strict stand-in: long sessions, small windows, and all at once.
import { describe, expect, it } from 'vitest'
import type { Asked } from '../../src/dev-model/index.ts'
import { runsIn, textOf } from '../agent/past.ts'
import { type AgentSetup, type SetupOptions, setUpAgent } from '../agent/setup.ts'
import { answer, result, user } from '../say.ts'
import { dutiful, markersIn, sectioned } from './summary-texts.ts'

const KEEP: SetupOptions = { preset: 'precis', outputTokens: 16_000 }

function told({ turns }: Asked): string {
  return turns
    .flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')))
    .join('\n')
}

function isSummary({ system }: Asked): boolean {
  return system.includes('summarization assistant')
}

/** One turn with a tool; each of its regions has a marker of its own. */
function turnOf(word: string, tokens: number) {
  return [
    user(`MARK-${word}U ${textOf(tokens)}`),
    ...answer(`MARK-${word}A`, word),
    result(word, `MARK-${word}T ${textOf(tokens)}`),
    ...answer(`MARK-${word}Z`),
  ]
}

async function everything({ threads, threadId }: AgentSetup): Promise<string> {
  return JSON.stringify((await threads.messages(threadId)).messages)
}

describe('keep-recent', () => {
  it('three times in a row loses nothing silently, and undoing all of them brings back every byte [ALWAYS-01, ALWAYS-03]', async () => {
    const setup = await setUpAgent(KEEP)
    const { agent, dev, threads, threadId } = setup
    dev.script((asked) => ({ text: dutiful(told(asked)) }))
    const planted: string[] = []
    for (const round of ['A', 'B', 'C']) {
      for (let at = 0; at < 8; at += 1) {
        const word = `${round}${at}`
        await threads.import(threadId, turnOf(word, 2_000))
        planted.push(...['U', 'A', 'T', 'Z'].map((region) => `MARK-${word}${region}`))
      }
      const ended = await agent.compact(threadId, { strategy: 'keep-recent' })
      expect(ended).toMatchObject({ success: true, strategy: 'keep-recent' })
      expect(markersIn(await everything(setup))).toEqual(expect.arrayContaining(planted))
    }
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
    for (let count = 0; count < 3; count += 1) await threads.undo(threadId)
    const fresh = await threads.create()
    for (const round of ['A', 'B', 'C'])
      for (let at = 0; at < 8; at += 1) await threads.import(fresh, turnOf(`${round}${at}`, 2_000))
    const refs = /,"ref":"[^"]*"/g
    expect((await everything(setup)).replace(refs, '')).toBe(
      (await everything({ ...setup, threadId: fresh })).replace(refs, ''),
    )
  })

  it('three times in a row loses nothing silently that the user said, whatever the model leaves out [ALWAYS-03, NEED-04]', async () => {
    const setup = await setUpAgent(KEEP)
    const { agent, dev, threads, threadId, eventsOf } = setup
    dev.script((asked) => ({ text: sectioned(told(asked)) }))
    for (const [round, count] of [30, 2, 7].entries()) {
      for (let at = 0; at < count; at += 1)
        await threads.import(threadId, [
          user(`MARK-R${round}T${at} ${textOf(150)}`),
          ...answer(textOf(3_000)),
        ])
      expect(await agent.compact(threadId, { strategy: 'keep-recent' })).toMatchObject({
        success: true,
      })
      const text = await everything(setup)
      const markers = new Set(markersIn(text))
      const note = /\[\d+ earlier messages? of the user .*?\.\]/.exec(text)?.[0] ?? ''
      const messages = await eventsOf('USER_MESSAGE')
      expect(messages.length).toBeGreaterThanOrEqual(count)
      const lost = messages.filter(
        ({ seq, data }) =>
          !note.includes(`[ref:e${seq}]`) &&
          markersIn(JSON.stringify(data)).some((marker) => !markers.has(marker)),
      )
      expect(lost).toEqual([])
    }
  })

  it('fits a small window on both sides: its requests, and what it leaves [ALWAYS-11, ALWAYS-12]', async () => {
    const windowTokens = 16_000
    const setup = await setUpAgent({ ...KEEP, windowTokens, outputTokens: 2_000 })
    const { agent, dev, threads, threadId } = setup
    dev.script((asked) => ({ text: isSummary(asked) ? dutiful(told(asked)) : 'ok' }))
    for (let at = 0; at < 12; at += 1) await threads.import(threadId, turnOf(`S${at}`, 1_400))
    expect(await agent.compact(threadId, { strategy: 'keep-recent' })).toMatchObject({
      success: true,
    })
    for (const { usage, asked } of dev.requests)
      expect((usage?.inputTokens ?? 0) + (asked?.maxOutputTokens ?? 0)).toBeLessThan(windowTokens)
    expect((await threads.context(threadId)).tokens).toBeLessThan(windowTokens * 0.8)
    const compactions = dev.requests.length
    expect(await agent.sendMessage(threadId, 'Go on.')).toMatchObject({
      status: 'done',
      text: 'ok',
    })
    expect(dev.requests.slice(compactions).map(({ asked }) => asked && isSummary(asked))).toEqual([
      false,
    ])
  })

  it('runs in the middle of a task, leaves what is unanswered, and the task goes on [ALWAYS-10, NEED-10, VALID-K1, VALID-K5]', async () => {
    const setup = await setUpAgent({ ...KEEP, windowTokens: 30_000, outputTokens: 2_000 })
    const { agent, dev, frames, threads, threadId } = setup
    await threads.append(threadId, [{ type: 'THREAD_SETTINGS', data: { strategy: 'keep-recent' } }])
    for (let at = 0; at < 5; at += 1) await threads.import(threadId, turnOf(`M${at}`, 1_900))
    let steps = 0
    dev.script((asked) => {
      if (isSummary(asked)) return { text: dutiful(told(asked)) }
      steps += 1
      const command = `printf 'MARK-STEP${steps} '; yes 'output of step ${steps}' | head -1200`
      return steps <= 6
        ? { calls: [{ name: 'run', arguments: { command } }] }
        : { text: 'All done.' }
    })
    expect(await agent.sendMessage(threadId, 'MARK-TASK: run the six steps.')).toMatchObject({
      status: 'done',
      text: 'All done.',
    })
    const runs = runsIn(frames).filter(({ success }) => success)
    expect(runs.length).toBeGreaterThan(0)
    expect(new Set(runs.map(({ strategy }) => strategy))).toEqual(new Set(['keep-recent']))
    const { messages } = await threads.messages(threadId)
    const words = messages.flatMap(({ parts }) =>
      parts.map((part) => ('text' in part ? part.text : '')),
    )
    expect(words).toContain('MARK-TASK: run the six steps.')
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })

  it('is one run for two that ask at once, with its own signal and its own bill [ALWAYS-05, ALWAYS-13]', async () => {
    const setup = await setUpAgent(KEEP)
    const { agent, dev, frames, threads, threadId, eventsOf } = setup
    for (let at = 0; at < 8; at += 1) await threads.import(threadId, turnOf(`P${at}`, 2_000))
    dev.script((asked) => ({ text: dutiful(told(asked)) }))
    const [one, other] = await Promise.all([
      agent.compact(threadId, { strategy: 'keep-recent' }),
      agent.compact(threadId, { strategy: 'keep-recent' }),
    ])
    expect(one.runId).toBe(other.runId)
    expect(runsIn(frames)).toHaveLength(1)
    const [event] = await eventsOf('COMPACTION')
    const spent = dev.requests.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0), 0)
    expect(event?.data.usage?.promptTokens).toBe(spent)
  })

  it('works with the stand-in as it is, whatever the transcript asks for', async () => {
    const setup = await setUpAgent(KEEP)
    const { agent, threads, threadId } = setup
    await threads.import(threadId, [
      user('1. First thing: do it.\n## Another heading'),
      ...answer('ok'),
    ])
    for (let at = 0; at < 8; at += 1) await threads.import(threadId, turnOf(`D${at}`, 2_000))
    const ended = await agent.compact(threadId, { strategy: 'keep-recent' })
    expect(ended).toMatchObject({ success: true, strategy: 'keep-recent' })
    expect(await everything(setup)).toContain('do it.')
  })

  it('knows its compactions by their events, not by their words', async () => {
    const setup = await setUpAgent(KEEP)
    const { agent, dev, threads, threadId } = setup
    dev.script((asked) => ({ text: sectioned(told(asked), 'the very same words') }))
    const events: (number | undefined)[] = []
    for (const round of ['Q', 'R']) {
      for (let at = 0; at < 8; at += 1)
        await threads.import(threadId, turnOf(`${round}${at}`, 2_000))
      events.push((await agent.compact(threadId, { strategy: 'keep-recent' })).event?.seq)
    }
    expect(new Set(events).size).toBe(2)
    const before = await everything(setup)
    await threads.undo(threadId)
    expect((await threads.context(threadId)).active).toEqual([events[0]])
    await threads.redo(threadId)
    expect(await everything(setup)).toBe(before)
  })
})
