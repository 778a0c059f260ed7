// What goes wrong during a fold: the thread is as it was, or validly folded; one start, one end; nothing typed is lost.
import { describe, expect, it } from 'vitest'
import type { DevModelOptions, Fault, ScriptedAnswer } from '../../src/dev-model/index.ts'
import { Door, runsIn } from '../agent/past.ts'
import { lastMessages, setUpAgent } from '../agent/setup.ts'
import { violations } from '../agent/transcript.ts'
import {
  addLine,
  DONE,
  edit,
  folding,
  pastOf,
  type SmallAgent,
  type Stage,
  stageOf,
} from './small-agent.ts'

const SMALL = { windowTokens: 16_000, outputTokens: 2_000 }

/** Three chunks, and a small agent that does this instead of its work. */
async function threeChunks(fold?: SmallAgent, dev: DevModelOptions = {}) {
  const setup = await setUpAgent({ preset: 'fold', auto: { enabled: false }, dev, ...SMALL })
  await setup.threads.import(setup.threadId, pastOf(6, 2_000))
  setup.dev.script(folding(fold ? { fold } : {}))
  const messages = async () =>
    JSON.stringify((await setup.threads.messages(setup.threadId)).messages)
  return { ...setup, messages, before: await messages() }
}

const at = (chunk: number, round: number, does: ScriptedAnswer): SmallAgent => {
  return (stage: Stage) => (stage.chunk === chunk && stage.round === round ? does : undefined)
}
const broken = (kind: Fault['kind'], more: Partial<Fault> = {}): ScriptedAnswer => ({
  // Words first: what was begun to be answered is not simply asked for again.
  text: 'I read it, I write down what matters, and then I say that I am done with it.',
  ...addLine('half of it'),
  fault: { kind, ...more },
})

/** What the model does, and what must be said of it. */
const FAILURES: readonly (readonly [string, ScriptedAnswer, RegExp])[] = [
  ['a refusal', { ...addLine('no'), stopReason: 'refusal' }, /refus/],
  ['a refusal in words', { text: 'I cannot help.', stopReason: 'refusal' }, /refus/],
  ['an answer cut off', { ...addLine('half'), stopReason: 'length' }, /cut off/],
  ['an answer cut off in a call', broken('cut-off'), /cut off/],
  ['a server error', broken('server-error', { at: 'middle' }), /./],
  ['an overloaded server', broken('overloaded', { at: 'middle' }), /./],
  ['a dropped connection', broken('drop'), /./],
]

describe('a fold that fails', () => {
  for (const [name, does, why] of FAILURES)
    it(`by ${name} changes nothing, says why, and returns what was typed [FOLD-54, FOLD-55, FOLD-56, FOLD-57, FOLD-62, ALWAYS-02, ALWAYS-15]`, async () => {
      // Piece by piece, so that what comes before a break is read.
      const setup = await threeChunks(at(2, 1, does), { pieceDelayMs: 3 })
      const { agent, threadId, dev, frames, messages, before, eventsOf } = setup
      const outcome = await agent.sendMessage(threadId, '@compact Now fix the parser.')
      expect(outcome).toMatchObject({
        status: 'command',
        reply: { ok: false, returned: 'Now fix the parser.' },
      })
      const [run, ...others] = runsIn(frames)
      expect(others).toEqual([])
      expect(run).toMatchObject({ success: false, end: 'failed' })
      expect(run?.error?.message).toMatch(why)
      expect(frames).toContainEqual(
        expect.objectContaining({ type: 'error', context: { operation: 'compact', threadId } }),
      )
      expect(await messages()).toBe(before)
      expect(await eventsOf('COMPACTION')).toEqual([])
      const [failed] = await eventsOf('COMPACTION_FAILED')
      expect(failed?.data).toMatchObject({ strategyId: 'chunked-fold' })
      expect(failed?.data.usage?.totalTokens).toBeGreaterThan(0)
      dev.script(folding())
      expect(await agent.sendMessage(threadId, 'Hello?')).toMatchObject({ text: 'On we go.' })
      expect(violations(dev)).toEqual([])
    })

  it('for want of time changes nothing [FOLD-54]', async () => {
    const setup = await setUpAgent({
      preset: 'fold',
      auto: { enabled: false },
      timeoutMs: 300,
      ...SMALL,
    })
    await setup.threads.import(setup.threadId, pastOf(2, 500))
    const { agent, threadId, dev, frames, threads } = setup
    const before = JSON.stringify((await threads.messages(threadId)).messages)
    dev.script(folding({ fold: at(1, 1, broken('stall', { at: 'middle', ms: 60_000 })) }))
    await agent.compact(threadId)
    expect(runsIn(frames)).toMatchObject([{ success: false, error: { code: 'timeout' } }])
    expect(JSON.stringify((await threads.messages(threadId)).messages)).toBe(before)
  })

  const writesNothing = [
    ['says nothing', { parts: [] } as ScriptedAnswer],
    ['writes the summary as its answer', { text: 'Here is the summary: all went well.' }],
    ['writes blanks', addLine('  \t ')],
    ['writes what nobody sees', addLine('\u200b')],
    ['writes dots', addLine('...')],
  ] as const

  it.each(writesNothing)('since no agent writes: each %s [FOLD-53, ALWAYS-02]', async (_, does) => {
    const { agent, threadId, frames, messages, before } = await threeChunks(({ round }) =>
      round === 0 ? does : DONE,
    )
    const { error } = await agent.compact(threadId)
    expect(error?.message).toContain('nothing into the summary')
    expect(runsIn(frames)).toMatchObject([{ success: false, end: 'failed' }])
    expect(await messages()).toBe(before)
  })

  it('since what was written is a refusal, or longer than the thread [ALWAYS-02]', async () => {
    const { agent, threadId, frames, messages, before, dev } = await threeChunks(
      ({ chunk, round }) =>
        round > 0 || chunk > 1 ? DONE : addLine('I am sorry, but I cannot help with that request.'),
    )
    await agent.compact(threadId)
    dev.script(
      folding({
        fold: ({ round }) => (round < 12 ? addLine('many words '.repeat(600)) : DONE),
      }),
    )
    await agent.compact(threadId)
    expect(runsIn(frames).map(({ success }) => success)).toEqual([false, false])
    expect(await messages()).toBe(before)
  })

  it('does not fold the same way again after the gate has refused it', async () => {
    const { agent, threadId, dev } = await threeChunks(({ chunk, round }) =>
      round > 0 || chunk > 1 ? DONE : addLine('I am sorry, but I cannot help with that request.'),
    )
    expect(await agent.compact(threadId)).toMatchObject({ success: false, end: 'refused' })
    dev.script(folding())
    const { event } = await agent.compact(threadId)
    expect(event?.data.metadata).toMatchObject({ chunks: 3, reusedChunks: 0 })
  })
})

const WIPE = edit('file /summary.md\nselect bof-eof\nreplace "All good."')
const EMPTY = edit('file /summary.md\nselect bof-eof\ndelete')

describe('a model that loses the summary', () => {
  const slips = [
    [2, WIPE],
    [3, WIPE],
    [3, EMPTY],
  ] as const

  it.each(slips)(
    'with chunk %i is asked once more, from the summary as it was [ALWAYS-02]',
    async (chunk, slip) => {
      const { agent, threadId, frames, dev, messages } = await threeChunks((stage) =>
        stage.chunk === chunk && stage.round === 1 && !stage.prompt.includes('it is restored')
          ? slip
          : undefined,
      )
      expect(await agent.compact(threadId)).toMatchObject({ success: true })
      expect(await messages()).toContain(
        'Chunk 1 was folded.\\nChunk 2 was folded.\\nChunk 3 was folded.',
      )
      const again = dev.requests.flatMap(({ asked }) => (asked && stageOf(asked)) ?? [])
      expect(again.filter(({ prompt }) => prompt.includes('it is restored'))).toMatchObject([
        { chunk, round: 0 },
        { chunk, round: 1 },
        { chunk, round: 2 },
      ])
      expect(frames).toContainEqual(
        expect.objectContaining({ type: 'notice', message: expect.stringContaining('was lost') }),
      )
    },
  )

  it.each(slips)(
    'with chunk %i twice changes nothing, says why, and nothing of it is taken up again [ALWAYS-02, FOLD-55]',
    async (chunk, slip) => {
      const { agent, threadId, frames, dev, messages, before, eventsOf } = await threeChunks(
        at(chunk, 1, slip),
      )
      const { error } = await agent.compact(threadId)
      expect(error).toMatchObject({
        code: 'model-failed',
        details: { ending: 'summary-lost', chunk },
      })
      expect(runsIn(frames)).toMatchObject([{ success: false, end: 'failed' }])
      expect(await messages()).toBe(before)
      const [failed] = await eventsOf('COMPACTION_FAILED')
      expect(failed?.data.reason).toContain(`lost most of the summary with chunk ${chunk} of 3`)
      dev.script(folding())
      const { event } = await agent.compact(threadId)
      expect(event?.data.metadata).toMatchObject({ chunks: 3, reusedChunks: 0 })
    },
  )
})

describe('a chunk of which nothing goes into the summary', () => {
  it('is said, and the others count [FOLD-47]', async () => {
    const { agent, threadId, frames } = await threeChunks(at(2, 0, { text: 'Nothing new.' }))
    const { event } = await agent.compact(threadId)
    expect(event?.data.metadata).toMatchObject({ chunks: 3, unchangedChunks: [2] })
    expect(frames).toContainEqual(
      expect.objectContaining({ type: 'notice', message: expect.stringContaining('chunk 2 of 3') }),
    )
  })

  it('is the end of it the second time: no model is asked for the chunks behind it [FOLD-53]', async () => {
    const { agent, threadId, dev, messages, before } = await threeChunks(({ chunk }) =>
      chunk < 3 ? { text: 'Nothing new.' } : undefined,
    )
    const { error } = await agent.compact(threadId)
    expect(error?.message).toContain('written nothing into the summary')
    expect(await messages()).toBe(before)
    const asked = dev.requests.flatMap(({ asked }) => (asked && stageOf(asked)) ?? [])
    expect(asked.map(({ chunk }) => chunk)).toEqual([1, 1, 2, 2])
  })
})

/** Every request of a fold of three chunks. */
const STAGES = [1, 2, 3].flatMap((chunk) => [0, 1, 2].map((round) => [chunk, round] as const))

describe('a fold that the user stops', () => {
  it.each(STAGES)(
    'in chunk %i, round %i: as if it had never been, but for its bill [FOLD-25, FOLD-58, ALWAYS-06, ALWAYS-13]',
    async (chunk, round) => {
      const door = new Door()
      const late = { ...addLine('too late'), text: 'late' }
      const { agent, threadId, threads, dev, frames, messages, before, events } = await threeChunks(
        async (stage) => {
          if (stage.chunk !== chunk || stage.round !== round) return undefined
          await door.pass()
          return late
        },
      )
      const logged = (await events()).length
      const sent = agent.sendMessage(threadId, '@compact Next.')
      await door.reached
      const asked = dev.requests.length
      await agent.abort(threadId)
      door.open()
      expect(await sent).toMatchObject({ reply: { ok: false, returned: 'Next.' } })
      expect(runsIn(frames)).toMatchObject([{ success: false, end: 'aborted' }])
      expect(await messages()).toBe(before)
      const billed = (await events()).slice(logged)
      const paid = asked - 1 // the last one was not answered
      expect(billed).toMatchObject(
        paid === 0 ? [] : [{ type: 'COMPACTION_FAILED', data: { strategyId: 'chunked-fold' } }],
      )
      const { summarizing } = await threads.usage(threadId)
      const answers = dev.requests.slice(0, paid).map(({ usage }) => usage?.outputTokens ?? 0)
      expect(summarizing.completionTokens).toBe(answers.reduce((sum, each) => sum + each, 0))
      expect(dev.requests).toHaveLength(asked)
      // What was finished is not done again.
      dev.script(folding())
      const { event } = await agent.compact(threadId, { nextPrompt: 'Next.' })
      expect(event?.data.metadata).toMatchObject({ chunks: 3, reusedChunks: chunk - 1 })
      const [next] = dev.requests.slice(asked)
      expect(next?.asked && stageOf(next.asked)).toMatchObject({ chunk, round: 0 })
      const [summary] = JSON.parse(await messages())
      expect(summary.parts[0].text).toContain(
        'Chunk 1 was folded.\nChunk 2 was folded.\nChunk 3 was folded.',
      )
    },
  )

  it('takes up what is the same, also where the thread has grown since', async () => {
    const door = new Door()
    const { agent, threadId, threads, dev, messages } = await threeChunks(async ({ chunk }) => {
      if (chunk === 3) await door.pass()
      return undefined
    })
    const sent = agent.compact(threadId)
    await door.reached
    await agent.abort(threadId)
    door.open()
    await sent
    await threads.import(threadId, pastOf(2, 2_000))
    dev.script(folding())
    const { event } = await agent.compact(threadId)
    expect(event?.data.metadata).toMatchObject({ chunks: 4, reusedChunks: 2 })
    expect(await messages()).toContain('Chunk 4 was folded.')
    await agent.sendMessage(threadId, '/undo')
    // Done with is done with: who takes it back and folds anew gets a new summary.
    expect((await agent.compact(threadId)).event?.data.metadata).toMatchObject({ reusedChunks: 0 })
  })
})

describe('a fold that halves its chunks', () => {
  it('takes up the halves as well, and does not try whole chunks again', async () => {
    const { agent, threadId, threads, dev, elsewhere } = await setUpAgent({
      preset: 'fold',
      onDisk: true,
      windowTokens: 16_000,
      believedWindowTokens: 60_000,
    })
    await threads.import(threadId, pastOf(4, 8_000))
    const door = new Door()
    const stages = () => dev.requests.flatMap(({ asked }) => (asked && stageOf(asked)) ?? [])
    dev.script(
      folding({
        async fold({ chunk }) {
          if (chunk === 4) await door.pass()
          return undefined
        },
      }),
    )
    const sent = agent.compact(threadId)
    await door.reached
    const { total = 0 } = stages().at(-1) ?? {}
    expect(dev.requests.some(({ outcome }) => outcome === 'refused')).toBe(true)
    await agent.abort(threadId)
    door.open()
    expect(await sent).toMatchObject({ end: 'aborted' })
    const asked = dev.requests.length
    dev.script(folding())
    // Another process has not heard the refusal, which names the window.
    const other = await elsewhere()
    const { event } = await other.agent.compact(threadId)
    expect(event?.data.metadata).toMatchObject({ chunks: total, reusedChunks: 3 })
    const later = dev.requests.slice(asked)
    expect(later.map(({ outcome }) => outcome)).not.toContain('refused')
    expect(later[0]?.asked && stageOf(later[0].asked)).toMatchObject({ chunk: 4, total })
    const read = new Set(stages().flatMap(({ prompt }) => prompt.match(/MARK-\d/g) ?? []))
    expect([...read].sort()).toEqual(['MARK-1', 'MARK-2', 'MARK-3', 'MARK-4'])
  })
})

describe('what is said during a fold', () => {
  it('waits, and comes once, after what was to come next [ALWAYS-07]', async () => {
    const door = new Door()
    const { agent, threadId, dev } = await threeChunks(async ({ chunk }) => {
      if (chunk === 2) await door.pass()
      return undefined
    })
    const sent = agent.sendMessage(threadId, '@compact Next.')
    await door.reached
    expect(await agent.sendMessage(threadId, 'One more thing.')).toMatchObject({ status: 'queued' })
    door.open()
    await sent
    const said = JSON.stringify(lastMessages(dev))
    expect(said.match(/One more thing\./g)).toHaveLength(1)
    expect(said.indexOf('Next.')).toBeLessThan(said.indexOf('One more thing.'))
  })
})
