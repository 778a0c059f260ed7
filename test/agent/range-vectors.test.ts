// The vectors of RANGE through the tool: what is stored after each call, and what each error leaves.
import { describe, expect, it } from 'vitest'
import { type Replacement, rangeCall, transcript, violations } from './transcript.ts'

const S = 'assistant["S"]'
const U1 = 'user["content", <a>]'
const A1 = 'assistant["first", call 1]'
const U2 = 'user[result 1, <b>]'
const A2 = 'assistant["second", call 2]'
const U3 = 'user[result 2, <c>]'
const A3 = 'assistant["content3"]'
/** The turn in which the agent compacts, where the range does not swallow it. */
const ASKED = ['user["go", <d>]', 'assistant["I compacted the thread"]']
const GOES_ON = ['user[reminder, <e>]', 'assistant["done"]']

describe('ranges through the tool', () => {
  it('replace from one checkpoint to another, keep what is before and after, and lose reminders and thinking there [RANGE-28, RANGE-32, RANGE-33, RANGE-37, RANGE-38, RANGE-51, RANGE-60, RANGE-65, RANGE-66]', async () => {
    const { a, b, c, compactFork, lines, dev } = await transcript()
    expect(await lines()).toEqual([
      'user["content", reminder, <a>]',
      'assistant[thinking, "first", call 1]',
      'user[result 1, reminder, <b>]',
      'assistant[thinking, "second", call 2]',
      'user[result 2, reminder, <c>]',
      'assistant[thinking, "content3"]',
    ])
    const whole = await compactFork({ from: a, to: c, summary: 'S' })
    expect(whole.lines).toEqual([U1, S, A3, ...ASKED, ...GOES_ON])
    const part = await compactFork({ from: b, to: c, summary: 'S' })
    expect(part.lines).toEqual([U1, A1, U2, S, A3, ...ASKED, ...GOES_ON])
    expect(violations(dev)).toEqual([])
  })

  it('replace from the start to a checkpoint [RANGE-30, RANGE-61]', async () => {
    const { a, c, compactFork, dev } = await transcript()
    const most = await compactFork({ to: c, summary: 'S' })
    expect(most.lines).toEqual([S, A3, ...ASKED, ...GOES_ON])
    const first = await compactFork({ to: a, summary: 'S' })
    expect(first.lines).toEqual([S, A1, U2, A2, U3, A3, ...ASKED, ...GOES_ON])
    expect(violations(dev)).toEqual([])
  })

  it('replace from a checkpoint to the end, and everything, the call itself included [RANGE-29, RANGE-31, RANGE-54, RANGE-62]', async () => {
    const { a, compactFork, dev } = await transcript()
    const rest = await compactFork({ from: a, summary: 'S' })
    expect(rest.lines).toEqual([U1, S, ...GOES_ON])
    const all = await compactFork({ summary: 'S' })
    expect(all.lines).toEqual([S, ...GOES_ON])
    expect([rest.result, all.result]).toEqual([undefined, undefined])
    expect(violations(dev)).toEqual([])
  })

  it('are deleted where the summary is empty or blank [RANGE-35, RANGE-36, RANGE-63]', async () => {
    const { a, b, compactFork, dev } = await transcript()
    for (const summary of ['', ' \n\t']) {
      const { lines } = await compactFork({ from: a, to: b, summary })
      expect(lines).toEqual([U1, A2, U3, A3, ...ASKED, ...GOES_ON])
    }
    expect(violations(dev)).toEqual([])
  })

  it('are all replaced by one call, in whichever order they are named [RANGE-24, RANGE-44, RANGE-46, RANGE-64]', async () => {
    const { a, b, c, compactFork, threads, dev } = await transcript()
    const start = { to: a, summary: 'S1' }
    const end = { from: b, summary: 'S2' }
    const first = await compactFork(start, end)
    expect(first.lines).toEqual(['assistant["S1"]', A1, U2, 'assistant["S2"]', ...GOES_ON])
    expect((await compactFork(end, start)).lines).toEqual(first.lines)
    const all = await threads.getAllEvents(first.threadId)
    expect(all.filter(({ type }) => type === 'COMPACTION')).toHaveLength(1)
    const adjacent = await compactFork(
      { from: b, to: c, summary: 'later' },
      { from: a, to: b, summary: 'sooner' },
    )
    const both = ['assistant["sooner"]', 'assistant["later"]']
    expect(adjacent.lines).toEqual([U1, ...both, A3, ...ASKED, ...GOES_ON])
    expect(violations(dev)).toEqual([])
  })

  it('that make no sense are an error the agent can act on, and nothing changes [RANGE-45, RANGE-47, RANGE-48, RANGE-49]', async () => {
    const { a, b, c, compactFork, eventsOf, threads, dev } = await transcript()
    const rows: [replacements: Replacement[], ...words: string[]][] = [
      [[{ from: c, to: a, summary: 'S' }], c, a],
      [[{ from: b, to: b, summary: 'S' }], b, 'empty'],
      [[{ to: 'zzzzzz', summary: 'S' }], 'zzzzzz', a, b, c],
      [[{ from: 'zzzzzz', summary: 'S' }], 'zzzzzz', a, b, c],
      [
        [
          { from: a, to: c, summary: 'S' },
          { from: b, to: c, summary: 'S' },
        ],
        'replacements[0]',
        'replacements[1]',
        'overlap',
      ],
      [
        [
          { from: a, to: b, summary: 'S' },
          { from: b, to: 'zzzzzz', summary: 'S' },
        ],
        'zzzzzz',
      ],
    ]
    for (const [replacements, ...words] of rows) {
      const { result, before, after, threadId } = await compactFork(...replacements)
      expect(result?.status).toBe('failed')
      for (const word of words) expect(result?.text).toContain(word)
      expect(after).toBe(before)
      expect((await threads.context(threadId)).open.size).toBe(0)
      expect((await threads.getAllEvents(threadId)).map(({ type }) => type)).not.toContain(
        'COMPACTION',
      )
    }
    expect(await eventsOf('COMPACTION')).toEqual([])
    expect(violations(dev)).toEqual([])
  })

  it('can be named by checkpoints that an earlier call has kept, not by those it has swallowed [RANGE-42, RANGE-43]', async () => {
    const { a, b, c, compactFork, agent, lines, dev, threads } = await transcript()
    const { threadId } = await compactFork({ from: a, to: b, summary: 'S' })
    dev.script([
      rangeCall({ from: b, to: c, summary: 'T' }),
      rangeCall({ from: a, to: c, summary: 'T' }),
      { text: 'done' },
    ])
    await agent.sendMessage(threadId, 'again')
    const events = await threads.getAllEvents(threadId)
    expect(events.filter(({ type }) => type === 'COMPACTION')).toHaveLength(2)
    const refusals = events.flatMap((event) =>
      event.type === 'TOOL_RESULT' && event.data.status === 'failed' ? event.data.content : [],
    )
    expect(refusals).toHaveLength(1)
    expect(refusals[0]?.text).toContain(`There is no checkpoint ${b}`)
    expect(refusals[0]?.text).toContain(`${a}, ${c}`)
    expect((await lines(threadId)).slice(0, 3)).toEqual([U1, 'assistant["T"]', A3])
    expect(violations(dev)).toEqual([])
  })
})
