// A compactor in a loop: what it remembers, what it recognises, and how stable the prefix of its requests is
import { describe, expect, it } from 'vitest'
import { generateMessages, MESSAGE_FORMATS } from '../../test/generate/message-arrays.ts'
import { seeds } from '../../test/scale.ts'
import type { Strategy } from '../core/edit/strategy.ts'
import type { PrecisError } from '../core/errors.ts'
import { dropTurns } from '../strategies/drop-turns.ts'
import { compact } from './compact.ts'
import { createCompactor } from './compactor.ts'
import { computeMessageKey } from './message-key.ts'

type Message = { role: string; content: unknown }

const system: Message = { role: 'system', content: 'You repair builds.' }

/** One step of a loop: a call and its result. */
function step(at: number, lines = 40): Message[] {
  return [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: `t${at}`, name: 'read', input: { path: `src/${at}.ts` } }],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: `t${at}`,
          content: Array.from({ length: lines }, (_, line) => `line ${line} of file ${at}`).join(
            '\n',
          ),
        },
      ],
    },
  ]
}

function loop(steps: number): Message[] {
  const asked = { role: 'user', content: 'Repair all files. Never touch package-lock.json.' }
  return [asked, ...Array.from({ length: steps }, (_, at) => step(at)).flat()]
}

/** The share of the bytes of a request that the next one begins with. */
function sharedPrefix(before: readonly unknown[], after: readonly unknown[]): number {
  const [one, other] = [JSON.stringify(before).slice(0, -1), JSON.stringify(after)]
  let same = 0
  while (same < one.length && one[same] === other[same]) same += 1
  return same / one.length
}

describe('fit', () => {
  it('gives the very same array while there is room', async () => {
    const compactor = createCompactor<Message>({ windowTokens: 100_000 })
    const messages = loop(5)
    const { messages: out, changed, reading } = await compactor.fit(messages)
    expect(out).toBe(messages)
    expect(changed).toBe(false)
    expect(reading.by).toBe('estimated')
  })

  it('steps the reducer of a strategy over what is new, however often it compacts', async () => {
    const steps: number[] = []
    const reducer = {
      name: 'steps',
      version: 1,
      init: () => 0,
      step: (count: number, { seq }: { seq: number }) => {
        steps.push(seq)
        return count + 1
      },
    }
    const strategy: Strategy = {
      id: 'counted',
      async propose(input) {
        expect(await input.reduce?.(reducer)).toBe(input.context.version)
        return dropTurns.propose(input)
      },
    }
    const compactor = createCompactor<Message>({ windowTokens: 8_000, strategy })
    let compactions = 0
    compactor.on('compaction', () => (compactions += 1))
    for (let count = 1; count <= 60; count += 1) await compactor.fit(loop(count))
    expect(compactions).toBeGreaterThan(2)
    expect(steps).toEqual(steps.map((_, index) => index + 1))
  })

  it('shares the whole of each request with the next one, except where it compacts', async () => {
    const compactor = createCompactor<Message>({ windowTokens: 8_000 })
    let compactions = 0
    compactor.on('compaction', () => (compactions += 1))
    let before: readonly Message[] = []
    let broken = 0
    let stateless: readonly Message[] = []
    let statelessBroken = 0
    for (let steps = 1; steps <= 60; steps += 1) {
      const messages = loop(steps)
      const { messages: out, report, reading } = await compactor.fit(messages)
      expect(reading.tokens).toBeLessThanOrEqual(8_000)
      if (before.length > 0 && sharedPrefix(before, out) < 1) {
        broken += 1
        expect(report, `step ${steps}`).toBeDefined()
      }
      before = out
      const plain = compact(messages, { budget: 6_400 }).messages
      if (stateless.length > 0 && sharedPrefix(stateless, plain) < 1) statelessBroken += 1
      stateless = plain
    }
    expect(compactions).toBeGreaterThan(2)
    expect(broken).toBe(compactions)
    expect(statelessBroken).toBeGreaterThan(4 * broken)
  })

  it('goes on from its own output as from the whole history', async () => {
    const [whole, fed] = [1, 2].map(() => createCompactor<Message>({ windowTokens: 8_000 }))
    let own: Message[] = loop(0)
    for (let steps = 1; steps <= 40; steps += 1) {
      own = [...own, ...step(steps - 1)]
      const [one, other] = await Promise.all([whole?.fit(loop(steps)), fed?.fit(own)])
      expect(other?.messages).toEqual(one?.messages)
      own = other?.messages ?? []
    }
  })

  it('counts as the provider does', async () => {
    const compactor = createCompactor<Message>({ windowTokens: 100_000 })
    await compactor.fit(loop(0))
    const usage = { input_tokens: 100, cache_read_input_tokens: 80_000, output_tokens: 50 }
    const { report, reading } = await compactor.fit(loop(3), usage)
    // 80,150 counted, and what came after it.
    expect(report).toBeDefined()
    expect(reading.tokens).toBeLessThan(100_000)
  })

  it.each([
    { prompt_tokens: 0, completion_tokens: 5, total_tokens: 5 },
    { inputTokens: { total: 0 }, outputTokens: { total: 5 } },
  ])('estimates where a server counts nothing: %o', async (usage) => {
    const compactor = createCompactor<Message>({ windowTokens: 8_000 })
    for (let steps = 0; steps <= 30; steps += 1) {
      const { reading } = await compactor.fit(loop(steps), usage)
      expect(reading.by).toBe('estimated')
      expect(reading.tokens).toBeLessThan(8_000)
    }
  })

  it('is not misled by marks of a cache that move', async () => {
    const compactor = createCompactor<Message>({ windowTokens: 8_000 })
    const forks: number[] = []
    compactor.on('forked', ({ message }) => forks.push(message))
    for (let steps = 1; steps <= 30; steps += 1) {
      const messages = loop(steps)
      const last = messages.at(-1)?.content as Record<string, unknown>[]
      Object.assign(last[0] ?? {}, { cache_control: { type: 'ephemeral' } })
      const { messages: out } = await compactor.fit(messages)
      expect(out.at(-1)).toBe(messages.at(-1))
    }
    expect(forks).toEqual([])
  })

  it('recognises an edited history, and keeps what was compacted before the edit', async () => {
    const compactor = createCompactor<Message>({ windowTokens: 8_000 })
    let compacted: readonly Message[] = []
    let steps = 0
    while (compacted.length === 0) {
      steps += 1
      const { messages, report } = await compactor.fit(loop(steps))
      if (report) compacted = messages
    }
    const more = [...loop(steps), ...step(steps), { role: 'user', content: 'Go on.' }]
    await compactor.fit(more)
    const edited = [...more.slice(0, -1), { role: 'user', content: 'Stop there.' }]
    const { messages: out, report } = await compactor.fit(edited)
    expect(report).toBeUndefined()
    expect(out.slice(0, compacted.length)).toEqual(compacted)
    expect(out.at(-1)).toBe(edited.at(-1))
    const other = [{ role: 'user', content: 'Something else.' }]
    expect((await compactor.fit(other)).messages).toBe(other)
    expect((await compactor.fit(more)).messages.slice(0, compacted.length)).toEqual(compacted)
  })

  it('takes calls one after the other', async () => {
    const compactor = createCompactor<Message>({ windowTokens: 8_000 })
    const fits = Array.from({ length: 30 }, (_, at) => compactor.fit(loop(at + 1)))
    const single = createCompactor<Message>({ windowTokens: 8_000 })
    for (const [at, fit] of fits.entries())
      expect((await fit).messages).toEqual((await single.fit(loop(at + 1))).messages)
  })

  it('says why it could not compact, and goes on while there is room', async () => {
    const compactor = createCompactor<Message>({
      windowTokens: 8_000,
      pins: ['word '.repeat(6_000)],
    })
    const failures: PrecisError[] = []
    compactor.on('failed', (error) => failures.push(error))
    const { changed } = await compactor.fit(loop(22))
    expect(changed).toBe(false)
    expect(failures.map(({ code }) => code)).toEqual(['irreducible'])
    await expect(compactor.fit(loop(60))).rejects.toMatchObject({ code: 'irreducible' })
  })
})

describe('a compactor', () => {
  async function compacted(options = {}) {
    const compactor = createCompactor<Message>({ windowTokens: 8_000, ...options })
    const messages = loop(30)
    const fitted = await compactor.fit(messages)
    expect(fitted.report).toBeDefined()
    return { compactor, messages, fitted }
  }

  it('undoes and redoes to the byte, and does not compact at once again', async () => {
    const { compactor, messages, fitted } = await compacted({
      windowTokens: 12_000,
      at: 0.5,
      target: 0.3,
    })
    expect(compactor.undo()).toEqual(messages)
    const again = await compactor.fit(messages)
    expect(again.messages).toBe(messages)
    expect(compactor.redo()).toEqual(fitted.messages)
    expect((await compactor.fit(messages)).messages).toEqual(fitted.messages)
    expect(() => compactor.redo()).toThrow('There is no undone compaction to redo.')
  })

  it('keeps what is pinned, before and after it was seen', async () => {
    const compactor = createCompactor<Message>({ windowTokens: 8_000, pins: ['One.'] })
    const messages = loop(2)
    await compactor.fit(messages)
    const early = messages[2] as Message
    compactor.pin(early)
    const gone = compactor.pin('Not this one.')
    compactor.pin('Two.')
    compactor.unpin(gone)
    const { messages: out } = await compactor.fit([...messages, ...loop(40).slice(5)])
    expect(out).toContain(early)
    const text = JSON.stringify(out)
    expect(text).toContain('One.')
    expect(text).toContain('Two.')
    expect(text).not.toContain('Not this one.')
  })

  it('recalls by ref and by words, and writes refs only where that is said', async () => {
    const plain = await compacted()
    expect(JSON.stringify(plain.fitted.messages)).not.toContain('[ref:')
    const { compactor, fitted } = await compacted({ refs: true })
    const ref = /\[ref:(e\d+)\]/.exec(JSON.stringify(fitted.messages))?.[1] ?? ''
    expect(compactor.recall(ref).length).toBeGreaterThan(5)
    expect(compactor.recall('line 17 of file 3')).toContain('file 3')
    expect(compactor.recall('zeppelin')).toBe('Nothing was found.')
    expect(() => compactor.recall('e9999')).toThrow('nothing under the ref e9999')
  })

  it.each([
    [{ windowTokens: 0 }, '`windowTokens` must be a positive number, not 0'],
    [{ windowTokens: 9, at: 1.5 }, '`at` must be a share of the window between 0 and 1, not 1.5'],
    [{ windowTokens: 9, at: 0.4 }, '`target` must be less than `at`'],
    [{ windowTokens: 9, window: 9 }, 'unknown option `window`'],
  ])('names what is wrong with its options: %j', (options, message) => {
    expect(() => createCompactor(options as never)).toThrow(message)
  })

  it('knows messages again whose own fields are no JSON', async () => {
    const odd = { at: new Date(0), big: 10n, none: undefined, map: new Map(), self: {} }
    odd.self = odd
    const messages = loop(30).map((message) => ({ ...message, odd }))
    const compactor = createCompactor<Message>({ windowTokens: 8_000 })
    const first = await compactor.fit(messages)
    const second = await compactor.fit([...messages, { role: 'user', content: 'And?' }])
    expect(second.report).toBeUndefined()
    expect(second.messages.slice(0, -1)).toEqual(first.messages)
  })

  it('has a text that is pinned twice once', async () => {
    const { compactor, fitted } = await compacted({ pins: ['Stay calm.', 'Stay calm.'] })
    expect(JSON.stringify(fitted.messages).split('Stay calm.')).toHaveLength(2)
    expect(compactor.pin('Stay calm.')).toBe(compactor.pin('Stay calm.'))
    const { messages } = compact(loop(30), { budget: 4_000, pins: ['Be quick.', 'Be quick.'] })
    expect(JSON.stringify(messages).split('Be quick.')).toHaveLength(2)
  })

  it('needs messages before it can undo', () => {
    const compactor = createCompactor({ windowTokens: 9 })
    expect(() => compactor.undo()).toThrow('The compactor has seen no messages yet.')
    expect(compactor.reading()).toEqual({})
  })
})

describe.each(MESSAGE_FORMATS)('a loop with messages of %s', (format) => {
  it('keeps the prefix between compactions', async () => {
    for (const seed of seeds(20, 2)) {
      const { messages } = generateMessages(format, seed, 14)
      const compactor = createCompactor({ windowTokens: 12_000, format })
      let before: readonly object[] = []
      for (let count = 1; count <= messages.length; count += 3) {
        const fitted = await compactor.fit(messages.slice(0, count)).catch(() => undefined)
        if (!fitted) break // one message is larger than the window
        if (!fitted.report)
          expect(
            fitted.messages.slice(0, before.length).map(computeMessageKey),
            `seed ${seed}`,
          ).toEqual(before.map(computeMessageKey))
        before = fitted.messages
      }
    }
  })
})

describe('keyOf', () => {
  it('tells messages apart by what they say', () => {
    const bytes = (last: number) => ({
      role: 'user',
      content: [{ image: new Uint8Array([1, 2, last]) }],
    })
    expect(computeMessageKey(system)).toBe(computeMessageKey({ ...system }))
    expect(computeMessageKey(system)).not.toBe(
      computeMessageKey({ ...system, content: 'You repair builds!' }),
    )
    expect(computeMessageKey(bytes(3))).toBe(computeMessageKey(bytes(3)))
    expect(computeMessageKey(bytes(3))).not.toBe(computeMessageKey(bytes(4)))
  })
})
