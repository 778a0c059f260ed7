// `/compact` and `@compact` where the agent itself compacts: with ranges, or with one summary.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RecordedRequest } from '../../src/dev-model/index.ts'
import { longPast } from './past.ts'
import {
  compactCall,
  rangeCall,
  type Transcript,
  transcript,
  violations,
  wireLines,
} from './transcript.ts'

/** Nothing of the command, of what the agent was asked, or of its call. */
async function expectNoTrace({ events, dev, threadId, threads }: Transcript): Promise<void> {
  const traces = [/@compact/, /\/compact/, /Compact this conversation/, /"name":"compact"/]
  const log = JSON.stringify(await events())
  const messages = JSON.stringify((await threads.messages(threadId)).messages)
  const sent = JSON.stringify(dev.requests.at(-1)?.asked?.turns)
  for (const trace of traces)
    for (const text of [log, messages, sent]) expect(text).not.toMatch(trace)
}

function comma(tokens: number): string {
  return Math.round(tokens).toLocaleString('en-US')
}

function lastText(request: RecordedRequest | undefined): string {
  const part = request?.asked?.turns.at(-1)?.parts.at(-1)
  return part?.type === 'text' ? part.text : ''
}

describe('@compact', () => {
  it('with a next prompt: the agent compacts, and goes on with that prompt alone [WHOLE-19, WHOLE-24]', async () => {
    const whole = await transcript({ preset: 'whole' })
    const { agent, threadId, dev, lines, folder } = whole
    writeFileSync(join(folder, 'a.md'), 'text of a')
    const asked = dev.requests.length
    dev.script([
      {
        text: 'I do as I am told.',
        // What comes next is for the user to say.
        ...compactCall({ summary: 'S', contextFiles: ['a.md'], continuation: 'Something else.' }),
      },
      { text: 'resumed' },
    ])
    const outcome = await agent.sendMessage(threadId, '@compact Now fix the tests.')
    expect(outcome).toMatchObject({ status: 'done', text: 'resumed' })
    expect(dev.requests).toHaveLength(asked + 2)
    expect(lastText(dev.requests[asked])).toContain('call your `compact` tool')
    const found = await lines()
    expect(found[0]).toContain('text of a')
    expect(found.slice(1)).toEqual([
      'assistant["S"]',
      'user["Now fix the tests.", reminder]',
      'assistant["resumed"]',
    ])
    await expectNoTrace(whole)
    expect(violations(dev)).toEqual([])
  })

  it('alone: the agent compacts, and waits [WHOLE-20]', async () => {
    const whole = await transcript({ preset: 'whole' })
    const { agent, threadId, dev, lines, eventsOf } = whole
    const asked = dev.requests.length
    dev.script([compactCall({ summary: 'S', continuation: 'Go on!' })])
    const outcome = await agent.sendMessage(threadId, '@compact')
    expect(outcome).toMatchObject({ status: 'command', reply: { ok: true } })
    expect(dev.requests).toHaveLength(asked + 1)
    expect(await lines()).toEqual(['assistant["S"]'])
    const [{ data } = {}] = await eventsOf('COMPACTION')
    expect(data).toMatchObject({ strategyId: 'whole-summary', trigger: 'command' })
    expect(data?.usage?.promptTokens).toBeGreaterThan(0)
    dev.script([{ text: 'yes?' }])
    await agent.sendMessage(threadId, 'next')
    await expectNoTrace(whole)
  })

  it('with a next prompt, by ranges', async () => {
    const range = await transcript()
    const { agent, threadId, dev, a, c, lines } = range
    dev.script([rangeCall({ from: a, to: c, summary: 'S' }), { text: 'resumed' }])
    const outcome = await agent.sendMessage(threadId, '@compact Now fix the tests.')
    expect(outcome).toMatchObject({ status: 'done', text: 'resumed' })
    expect(await lines()).toEqual([
      'user["content", <a>]',
      'assistant["S"]',
      'assistant["content3"]',
      'user["Now fix the tests.", reminder, <d>]',
      'assistant["resumed"]',
    ])
    await expectNoTrace(range)
    expect(violations(dev)).toEqual([])
  })

  it('alone, by ranges', async () => {
    const range = await transcript()
    const { agent, threadId, dev, lines } = range
    const asked = dev.requests.length
    dev.script([rangeCall({ summary: 'S' })])
    const outcome = await agent.sendMessage(threadId, '@compact')
    expect(outcome).toMatchObject({ status: 'command', reply: { ok: true } })
    expect(dev.requests).toHaveLength(asked + 1)
    expect(await lines()).toEqual(['assistant["S"]'])
    dev.script([{ text: 'yes?' }])
    await agent.sendMessage(threadId, 'next')
    expect(wireLines(dev.requests.at(-1))).toEqual([
      'user["[earlier conversation compacted]"]',
      'assistant["S"]',
      'user["next", reminder, <cp>]',
    ])
    await expectNoTrace(range)
  })

  it('gives the next prompt back where the agent will not compact, and the thread stays', async () => {
    const { agent, threadId, dev, lines, eventsOf, frames } = await transcript({ preset: 'whole' })
    const before = await lines()
    const asked = dev.requests.length
    dev.script([{ text: 'Why should I?' }, { text: 'No.' }])
    const outcome = await agent.sendMessage(threadId, '@compact Now fix the tests.')
    expect(outcome).toMatchObject({
      status: 'command',
      reply: { ok: false, returned: 'Now fix the tests.' },
    })
    expect(dev.requests).toHaveLength(asked + 2)
    expect(await lines()).toEqual(before)
    expect(await eventsOf('COMPACTION')).toEqual([])
    expect(await eventsOf('COMPACTION_FAILED')).toHaveLength(1)
    expect(frames.filter(({ type }) => type === 'COMPACTION_COMPLETE')).toHaveLength(1)
  })
})

describe('/compact', () => {
  it.each([
    ['whole', () => compactCall({ summary: 'S' }), ['assistant["S"]']],
    [
      'range',
      ({ c }: Transcript) => rangeCall({ to: c, summary: 'S' }),
      ['assistant["S"]', 'assistant["content3"]'],
    ],
  ] as const)(
    'under the preset %s asks the agent, with the instructions, and starts nothing afterwards',
    async (preset, call, expected) => {
      const setup = await transcript({ preset })
      const { agent, threadId, dev, lines } = setup
      const asked = dev.requests.length
      dev.script([call(setup)])
      const outcome = await agent.sendMessage(threadId, '/compact keep the port')
      expect(outcome).toMatchObject({ status: 'command', reply: { ok: true } })
      expect(dev.requests).toHaveLength(asked + 1)
      expect(lastText(dev.requests.at(-1))).toContain('keep the port')
      expect(await lines()).toEqual(expected)
      await agent.sendMessage(threadId, '/undo')
      expect((await lines())[0]).toContain('"content"')
      expect(violations(dev)).toEqual([])
    },
  )

  it('asks nobody where there is nothing yet', async () => {
    const { agent, dev, threads } = await transcript({ preset: 'whole' })
    const asked = dev.requests.length
    const empty = await threads.create()
    expect(await agent.sendMessage(empty, '/compact')).toMatchObject({ reply: { ok: true } })
    expect(dev.requests).toHaveLength(asked)
  })

  it('lets the agent try again, with what was wrong: its input, or the checkpoints it named', async () => {
    const { agent, threadId, dev, a, b, c, lines, eventsOf, threads } = await transcript()
    const fork = await threads.fork(threadId)
    dev.script([compactCall({ summary: 'S' }), rangeCall({ from: a, to: c, summary: 'S' })])
    await agent.sendMessage(threadId, '/compact')
    expect(lastText(dev.requests.at(-1))).toContain('"replacements": [{')
    expect((await lines())[1]).toBe('assistant["S"]')
    dev.script([rangeCall({ to: 'zzzzzz', summary: 'S' }), rangeCall({ to: c, summary: 'S' })])
    await agent.sendMessage(fork, '/compact')
    for (const id of ['zzzzzz', a, b, c]) expect(lastText(dev.requests.at(-1))).toContain(id)
    expect((await lines(fork))[0]).toBe('assistant["S"]')
    expect(await eventsOf('COMPACTION_FAILED')).toEqual([])
    expect(violations(dev)).toEqual([])
  })

  it.each(['whole', 'range'] as const)(
    'under %s asks in these words, twice, and then says what was wrong',
    async (preset) => {
      const { agent, threadId, threads, dev, eventsOf } = await transcript({ preset })
      await threads.import(threadId, longPast(4_000))
      const { tokens } = await threads.context(threadId)
      const request = (...more: readonly string[]) =>
        [
          'Compact this conversation now: call your `compact` tool, and do nothing else.',
          `The conversation has about ${comma(tokens)} tokens. Aim for at most ${comma(0.3 * tokens)} afterwards. Whatever your summary leaves out is gone from your view, the current request of the user included.`,
          ...(preset === 'whole'
            ? []
            : [`Sizes between checkpoints:\n- everything: about ${comma(tokens)} tokens`]),
          ...more,
        ].join('\n\n')
      const asked = () => dev.requests.slice(-2).map(lastText)
      const failed = async (command: string) => {
        const outcome = await agent.sendMessage(threadId, command)
        if (outcome.status !== 'command') throw new Error(`${command} was said`)
        const { usage, error } = outcome.reply.compaction ?? {}
        expect(error?.hint).toBe('Try again, or type /strategy summarize and then /compact.')
        const spent = dev.requests.slice(-2).map(({ usage: each }) => each?.outputTokens ?? 0)
        expect(usage?.completionTokens).toBe(spent[0] && spent[1] && spent[0] + spent[1])
        expect((await eventsOf('COMPACTION_FAILED')).at(-1)?.data).toMatchObject({
          ...{ reason: error?.message, usage },
        })
        return error?.message
      }
      dev.script([{ text: 'No.' }, { text: 'So', stopReason: 'length' }])
      expect(await failed('/compact keep the port')).toBe(
        'The agent did not compact the thread: its answer was cut off before its call was complete.',
      )
      const added = 'The user adds: keep the port'
      const again = 'Your last attempt did not work:'
      expect(asked()).toEqual([
        request(added),
        request(added, `${again} You did not call the tool.`),
      ])
      dev.script([{ text: 'So', stopReason: 'length' }, { text: 'No.' }])
      expect(await failed('@compact Now\nfix it.')).toBe(
        'The agent did not compact the thread: it did not call its `compact` tool.',
      )
      const next =
        'The next message of the user, so that you keep what it needs (do not answer it now, and do not put it into the summary):\n> Now\n> fix it.'
      const cut = 'Your answer was cut off before the call was complete. Write a shorter summary.'
      expect(asked()).toEqual([request(next), request(next, `${again} ${cut}`)])
      const wrong = compactCall({ summary: 5 })
      dev.script([{ text: 'No.' }, wrong])
      expect(await failed('/compact')).toMatch(
        /^The agent did not compact the thread: its call was refused\. compact: /,
      )
      dev.script(() => ({ fault: { kind: 'overflow' } }))
      expect(await agent.sendMessage(threadId, '/compact')).toMatchObject({
        reply: {
          ok: false,
          text: '❌ Compaction failed: The conversation is too long for its model: the agent cannot be asked.\nType /strategy summarize and then /compact: it is summarised in parts.',
          compaction: { error: { code: 'overflow' } },
        },
      })
    },
  )

  it('says that a checkpoint is unknown, in other words to the user than to the agent', async () => {
    const { agent, threadId, dev, a } = await transcript()
    const unknown = rangeCall({ to: 'zzzzzz', summary: 'S' })
    dev.script([unknown, unknown])
    const { text } = Object(Object(await agent.sendMessage(threadId, '/compact')).reply)
    expect(text.split('\n')[0]).toBe(
      '❌ Compaction failed: The agent did not compact the thread: its call was refused. There is no checkpoint zzzzzz in the thread.',
    )
    expect(lastText(dev.requests.at(-1))).toContain('There is no checkpoint zzzzzz in the thread. ')
    expect(lastText(dev.requests.at(-1))).toContain(a)
    // A short thread needs not become shorter.
    expect(lastText(dev.requests.at(-1))).not.toContain('Aim for')
  })

  it('while a tool runs waits for its result, and keeps both [RANGE-58]', async () => {
    const { agent, threadId, dev, a, c, lines, folder } = await transcript()
    dev.script((asked) => {
      const last = asked.turns.at(-1)?.parts.at(-1)
      if (last?.type === 'text' && last.text.includes('call your `compact` tool'))
        return rangeCall({ from: a, to: c, summary: 'S' })
      if (asked.turns.at(-1)?.parts.some(({ type }) => type === 'result')) return { text: 'done' }
      const command = 'while [ ! -e go ]; do sleep 0.02; done'
      return { calls: [{ id: 'slow', name: 'run', arguments: { command } }] }
    })
    const { promise: started, resolve } = Promise.withResolvers<void>()
    agent.on((frame) => {
      if (frame.type === 'tool-start') resolve()
    })
    const turn = agent.sendMessage(threadId, 'wait')
    await started
    const compacting = agent.sendMessage(threadId, '/compact')
    writeFileSync(join(folder, 'go'), '')
    expect(await compacting).toMatchObject({ status: 'command', reply: { ok: true } })
    expect(await turn).toMatchObject({ status: 'done', text: 'done' })
    expect(await lines()).toEqual([
      'user["content", <a>]',
      'assistant["S"]',
      'assistant["content3"]',
      'user["wait", <d>]',
      'assistant[call slow]',
      'user[result slow, <e>]',
      'assistant["done"]',
    ])
    expect(violations(dev)).toEqual([])
  })
})
