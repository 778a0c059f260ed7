// `compact` on arrays of every format: what stays is the same, what goes is listed, what comes out is well formed
import { readFileSync } from 'node:fs'
import { AIMessage, type HumanMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { generateMessages, MESSAGE_FORMATS } from '../../test/generate/message-arrays.ts'
import { seeds } from '../../test/scale.ts'
import { immediate, type Strategy } from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import type { AskRequest } from '../core/ports.ts'
import { compact as compactLightly } from '../doors/light.ts'
import { chooseDialect } from '../messages/detect.ts'
import type { FormatId } from '../messages/dialect.ts'
import { provideClasses } from '../messages/langchain.ts'
import { MessageLog } from '../messages/message-log.ts'
import { dropTurns } from '../strategies/drop-turns.ts'
import { extract } from '../strategies/extract/extract.ts'
import { cascade } from '../strategies/ladder/ladder.ts'
import { compact } from './compact.ts'
import { createCompactor } from './compactor.ts'

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } }

/** Rounds with long results, between short words. */
function rounds(count: number) {
  return Array.from({ length: count }, (_, at) => [
    { role: 'user', content: `Repair file ${at}.` },
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
          content: Array.from({ length: 80 }, (_, line) => `line ${line} of file ${at}`).join('\n'),
          cache_control: { type: 'ephemeral' },
        },
        image,
      ],
    },
    { role: 'assistant', content: 'Repaired.' },
  ]).flat()
}

describe('compact', () => {
  it('gives the very same array where it fits', () => {
    const messages = rounds(3)
    const { messages: out, changed, losses, report } = compact(messages, { budget: 1_000_000 })
    expect(out).toBe(messages)
    expect(changed).toBe(false)
    expect(losses).toEqual([])
    expect(report.before).toEqual(report.after)
  })

  it('answers at once, and changes neither the array nor a message', () => {
    const messages = rounds(12)
    const before = structuredClone(messages)
    const result = compact(messages, { budget: 4_000 })
    expect(result).not.toBeInstanceOf(Promise)
    expect(result.changed).toBe(true)
    expect(result.report.after.total).toBeLessThanOrEqual(4_000)
    expect(messages).toEqual(before)
    expect(compact(messages, { budget: 4_000 })).toEqual(result)
  })

  it('rewrites a result and leaves its neighbours as they are', () => {
    const messages = rounds(12)
    const out = compact(messages, { budget: 5_000, strategy: 'trim-tool-results' }).messages
    const [result, picture] = (out[2] as { content: unknown }).content as [
      Record<string, unknown>,
      unknown,
    ]
    expect(picture).toBe(image)
    expect(result).toMatchObject({ tool_use_id: 't0', cache_control: { type: 'ephemeral' } })
    expect(String(result.content)).toContain('[results truncated to save space.]')
  })

  it('keeps pins: a text, and a message with its round', () => {
    const messages = rounds(12)
    const pinned = messages[5] as (typeof messages)[number]
    const text = 'Deploy on Fridays only.'
    const { messages: out } = compact(messages, { budget: 2_500, pins: [text, pinned] })
    expect(out).toContain(pinned)
    const round = { content: [{ type: 'tool_result', tool_use_id: 't1' }] }
    expect(out[out.indexOf(pinned) + 1]).toMatchObject(round)
    expect(JSON.stringify(out)).toContain(text)
  })

  it.each(['cascade', 'extract', 'drop-turns', 'trim-tool-results'])(
    'keeps a pinned text where one message is all there is, by %s, or says that it cannot',
    (strategy) => {
      const pin = 'Never touch the blue door.'
      const long = Array.from({ length: 1_000 }, (_, at) => `word${at}`).join(' ')
      const conversations = [
        [{ role: 'user', content: long }],
        [{ role: 'user', content: `${long} ${pin} ${long}` }],
        [
          { role: 'user', content: long },
          { role: 'assistant', content: 'I see.' },
        ],
      ]
      for (const messages of conversations) {
        const made = () => compact(messages, { budget: 600, strategy, pins: [pin] })
        try {
          const { messages: out, report } = made()
          expect(JSON.stringify(out)).toContain(pin)
          if (/cascade|extract/.test(strategy)) expect(report.after.total).toBeLessThanOrEqual(600)
        } catch (error) {
          expect(error).toMatchObject({ code: 'irreducible' })
        }
      }
    },
  )

  it('writes no refs, as nothing can read them', () => {
    const messages = rounds(20)
    for (const strategy of [
      'cascade',
      'extract',
      'prune',
      'trim-tool-results',
      'mask',
      'drop-turns',
    ])
      for (const budget of [9_000, 5_000, 2_000]) {
        const { messages: out } = compact(messages, { budget, strategy })
        expect(JSON.stringify(out), strategy).not.toMatch(/\[ref:|\brecall\b|, ref e\d/)
      }
  })

  it('shows no less of a long result that no answer has used than of a shorter one', () => {
    const shown = Array.from({ length: 30 }, (_, at) => {
      const text = 'The quay has 12 piers.\n'.repeat(60 + 10 * at)
      const call = { type: 'tool_use', id: 'new', name: 'read', input: { path: 'quay.ts' } }
      const messages = [
        ...rounds(6),
        { role: 'user', content: 'Look at the quay.' },
        { role: 'assistant', content: [call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'new', content: text }] },
      ]
      const last = JSON.stringify(compact<object>(messages, { budget: 1_000 }).messages.at(-1))
      return last.split('The quay has 12 piers.').length - 1
    })
    const most = Math.max(...shown)
    expect(shown[0]).toBe(60)
    expect(most).toBeLessThan(350)
    for (const [at, lines] of shown.entries())
      expect(lines).toBeGreaterThanOrEqual(Math.min(60 + 10 * at, Math.floor(0.75 * most)))
  })

  it('keeps instructions in the middle of a conversation', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      ...Array.from({ length: 40 }, (_, at) => ({
        role: 'user',
        content: `${at} ${'word '.repeat(200)}`,
      })),
      { role: 'developer', content: 'From now on, answer in French.' },
      ...Array.from({ length: 40 }, (_, at) => ({
        role: 'user',
        content: `${at} ${'word '.repeat(200)}`,
      })),
    ]
    const { messages: out } = compact(messages, { budget: 3_000 })
    expect(out[0]).toBe(messages[0])
    expect(out).toContain(messages[41])
  })

  it('asks a model where one is given, and falls back to none', async () => {
    const messages = rounds(20)
    const asked: AskRequest[] = []
    const summary = [
      '## Goal\nRepair the files.',
      '## Constraints & Preferences\n- none',
      '## Progress\n### Done\n- [x] files 0 to 15 are repaired\n### In Progress\n- [ ] none\n### Blocked\n- none',
      '## Key Decisions\n- none',
      '## Next Steps\n1. Repair the rest.',
      '## Critical Context\n- none',
    ].join('\n\n')
    const made = await compact(messages, {
      budget: 8_000,
      model: async (request) => {
        asked.push(request)
        return summary
      },
    })
    expect(asked.length).toBeGreaterThan(0)
    expect(made.report.strategyId).toBe('brief')
    expect(JSON.stringify(made.messages)).toContain('files 0 to 15 are repaired')
    const failed = await compact(messages, {
      budget: 8_000,
      model: () => Promise.reject(new Error('no connection')),
    })
    expect(failed.report.after.total).toBeLessThanOrEqual(8_000)
    expect(JSON.stringify(failed.messages)).not.toMatch(/\[ref:/)
  })

  it('waits no longer for a model that knows no signal', async () => {
    const stopped = new AbortController()
    const model = () => {
      stopped.abort()
      return new Promise<string>(() => undefined)
    }
    await expect(
      compact(rounds(20), { budget: 4_000, model, signal: stopped.signal }),
    ).rejects.toMatchObject({ code: 'aborted' })
  })

  it.each([
    { aborted: false },
    { aborted: false, addEventListener: () => undefined },
    { signal: true },
    'stop',
  ])('names a signal that cannot be waited for: %j', async (given) => {
    const options = {
      budget: 4_000,
      model: async () => 'Done.',
      signal: given as unknown as AbortSignal,
    }
    const failed = { code: 'invalid-input', where: 'signal' }
    const run = async (work: () => unknown) => work()
    await expect(run(() => compact(rounds(20), options))).rejects.toMatchObject(failed)
    const compactor = createCompactor({ windowTokens: 4_000 })
    const fitted = run(() => compactor.fit(rounds(2), undefined, options.signal))
    await expect(fitted).rejects.toMatchObject(failed)
  })

  it('takes no excuse of a model for a summary', async () => {
    const model = async () => 'I am sorry, but I cannot help with that.'
    const options = { budget: 8_000, model }
    await expect(compact(rounds(20), { ...options, strategy: 'keep-recent' })).rejects.toThrow(
      'refused to write the summary',
    )
    const { report } = await compact(rounds(20), options)
    expect(report).toMatchObject({ strategyId: 'brief', replacedBy: 'extract' })
  })

  it('knows fewer strategies in precis/light, and takes any other as a value', async () => {
    const messages = rounds(20)
    const light = compactLightly(messages, { budget: 4_000 })
    expect(light.report.after.total).toBeLessThanOrEqual(4_000)
    const named = { budget: 4_000, strategy: 'prune' }
    expect(() => compactLightly(messages, named)).toThrow('Unknown compaction strategy: prune')
    const extracted = { budget: 4_000, strategy: 'extract' }
    expect(JSON.stringify(compactLightly(messages, extracted).messages)).toContain('## Excerpts')
    expect(compactLightly(messages, { ...extracted, strategy: extract })).toEqual(
      compact(messages, extracted),
    )
    const budget = { budget: 4_000 }
    expect(compactLightly(messages, { ...budget, strategy: cascade })).toEqual(
      compact(messages, budget),
    )
    const model = async () => 'Files 0 to 15 are repaired. The user wants all of them repaired.'
    const asked = await compactLightly(messages, { budget: 4_000, model, strategy: 'ai-summarize' })
    expect(asked.report.strategyId).toBe('ai-summarize')
  })

  it.each([
    [{ budget: -5 }, 'compact: `budget` must be a positive number, not -5.'],
    [{ budget: Number.NaN }, 'compact: `budget` must be a positive number, not NaN.'],
    [{}, 'compact: `budget` must be a positive number, not missing.'],
    [{ budget: 9, bugdet: 9 }, 'compact: unknown option `bugdet`.'],
    [{ budget: 9, targetTokens: 9 }, 'compact: unknown option `targetTokens`.'],
    [{ budget: 9, pins: 'x' }, 'compact: `pins` must be an array, not "x".'],
    [{ budget: 9, format: 'xml' }, 'Unknown format of messages: xml.'],
    [{ budget: 9, strategy: 'sumarize' }, 'Unknown compaction strategy: sumarize'],
    [
      { budget: 9, strategy: 'summarize' },
      'The strategy "summarize" needs a model, but no model is set.',
    ],
    [{ budget: 9, strategy: {} }, 'compact: `strategy` must be a strategy, or the id of one.'],
    [undefined, 'compact: `options` must be an object.'],
  ])('names what is wrong with its options: %j', (options, message) => {
    expect(() => compact(rounds(2), options as never)).toThrow(message)
  })

  it('names what is wrong with its messages', () => {
    expect(() => compact('hello' as never, { budget: 5 })).toThrow('messages must be an array')
    expect(() => compact([null] as never, { budget: 5 })).toThrow('messages[0] is not an object')
    expect(() => compact([{ role: 'alien', content: 1 }], { budget: 5 })).toThrow(
      'messages[0] (alien)',
    )
    const mixed = [
      { role: 'developer', content: 'a' },
      { type: 'reasoning', id: 'rs_1' },
    ]
    expect(() => compact([...rounds(1), ...mixed] as object[], { budget: 5 })).toThrow(
      'messages[4]',
    )
  })

  it.each([[null], [{ covers: [{ from: 1 }], put: [] }], [{ covers: [] }], [{ put: [] }]])(
    'says in one sentence that %j is no edit',
    (edit) => {
      const strategy = immediate({ id: 'mine', proposeNow: () => ({ edits: [edit] }) as never })
      expect(() => compact(rounds(20), { budget: 900, strategy })).toThrow(
        'edits[0] of the strategy "mine" is no edit.',
      )
    },
  )

  it('says in one sentence that a strategy returned nothing', () => {
    const strategy = immediate({ id: 'mine', proposeNow: () => undefined as never })
    expect(() => compact(rounds(2), { budget: 9, strategy })).toThrow(
      'The strategy "mine" returned no proposal.',
    )
  })

  it('throws where nothing leads below the budget, and names the floor', () => {
    const error = catchError(() => compact(rounds(3), { budget: 3, pins: ['word '.repeat(100)] }))
    expect(PrecisError.is(error) && error.code).toBe('irreducible')
  })

  it('makes new messages of the classes that are there', () => {
    const { messages } = generateMessages('langchain', 7, 20)
    const { messages: out } = compact(messages, { budget: 900 })
    expect(out.every((message) => typeof (message as HumanMessage).getType === 'function')).toBe(
      true,
    )
    provideClasses({ human: undefined, ai: undefined }) // as if the adapter had not been loaded
    const only = [new AIMessage('word '.repeat(5_000)), new AIMessage('end')]
    const error = catchError(() => compact(only, { budget: 600 }))
    expect(PrecisError.is(error) && error.hint).toContain('precis/langchain')
  })
})

function catchError(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

describe('compact on a recorded session', () => {
  const file = new URL('../../samples/session.json', import.meta.url)
  const { messages }: { messages: object[] } = JSON.parse(readFileSync(file, 'utf8'))

  it.each([0.8, 0.4, 0.1])('to %d of its size changes nothing that it does not list', (share) => {
    const whole = compact(messages, { budget: 1e9 })
    expect(whole.messages).toBe(messages)
    const budget = Math.floor(whole.report.before.total * share)
    const { messages: out, losses, report } = compact(messages, { budget })
    expect(report.after.total).toBeLessThanOrEqual(budget)
    const lost = new Set(losses.flatMap((loss) => loss.messages))
    const kept = messages.filter((_, index) => !lost.has(index))
    expect(out.filter((message) => messages.includes(message))).toEqual(kept)
  })

  it('and again keeps the sections of the brief, and uses the room that it may', () => {
    let current = messages
    const sections: string[][] = []
    for (let budget = 12_000; budget > 7_000; budget = Math.floor(budget * 0.9)) {
      const { messages: out, report } = compact(current, { budget })
      expect(report.after.total).toBeLessThanOrEqual(budget)
      expect(report.after.total).toBeGreaterThan(budget * 0.9)
      sections.push([...JSON.stringify(out).matchAll(/\\n## (\w+)/g)].map(([, name = '']) => name))
      current = out
    }
    // The open request stands last by itself, so there is no section «Now» that repeats it.
    expect(current.at(-1)).toEqual(messages.at(-1))
    const titles = ['First', 'The', 'State', 'Excerpts']
    for (const each of sections) expect(each).toEqual(expect.arrayContaining(titles))
  })
})

describe('compact on what it gave back', () => {
  const ASKED = 'Build it:\n- do the parser\n‣ do not touch lexer.ts\n- then run the tests'
  const talk = (from: number, count: number, first?: string) =>
    Array.from({ length: 2 * count }, (_, at) =>
      at % 2 === 0
        ? { role: 'user', content: (at === 0 && first) || `Request ${from + at}: go on.` }
        : { role: 'assistant', content: `Answer ${from + at}: ${'some long words '.repeat(60)}` },
    )
  const again = (messages: readonly { role: string; content: unknown }[]) => [
    ...messages,
    ...(messages.at(-1)?.role === 'user' ? [{ role: 'assistant', content: 'Done.' }] : []),
    ...talk(100, 10),
  ]
  const options = { budget: 3_000, format: 'anthropic' as const }

  it.each(['cascade', 'extract'])('keeps lists in the words of the user with %s', (strategy) => {
    let messages: readonly { role: string; content: unknown }[] = talk(0, 20, ASKED)
    for (let time = 0; time < 3; time += 1) {
      messages = compact(messages, { ...options, strategy }).messages
      const text = JSON.stringify(messages)
      for (const line of ASKED.split('\n- ')) expect(text).toContain(line.split('\n')[0])
      expect(text).toContain('do not touch lexer.ts\\n- then run the tests')
      messages = again(messages)
    }
  })

  it('keeps what a model wrote for a brief where no model writes the next ones', async () => {
    const prose =
      '### Goal\nBuild the parser.\n\n### Reasons\n- Recursive descent, since PLUGH is simple.\n- No yacc.\n\n### Approach\nFirst the lexer.\n\n### Next step\nWrite tests.'
    const first = await compact(talk(0, 20, ASKED), { ...options, model: async () => prose })
    let messages: readonly { role: string; content: unknown }[] = first.messages
    expect(JSON.stringify(messages)).toContain('PLUGH')
    for (let time = 0; time < 3; time += 1) {
      messages = compact(again(messages), { ...options, strategy: 'extract' }).messages
      const text = JSON.stringify(messages)
      expect(text).toContain('PLUGH is simple.\\n- No yacc.')
      expect(text.match(/PLUGH/g)).toHaveLength(1)
    }
  })
})

describe('a copy of a strategy', () => {
  it('asks its own `propose` where it has another one', async () => {
    let asked = 0
    const counted: Strategy = {
      ...dropTurns,
      propose: (input) => {
        asked += 1
        return dropTurns.propose(input)
      },
    }
    const options = { budget: 2_000, strategy: counted, model: async () => '' }
    expect((await compact(rounds(12), options)).changed).toBe(true)
    expect(asked).toBe(1)
  })

  it('is as quick as the original where it has none', () => {
    const strategy = { ...dropTurns, id: 'mine' }
    const { report } = compact(rounds(12), { budget: 2_000, strategy })
    expect(report.strategyId).toBe('mine')
  })
})

describe.each(MESSAGE_FORMATS)('compact on random messages of %s', (format) => {
  it('detects the format', () => {
    for (const seed of seeds(100)) {
      const { messages } = generateMessages(format, seed, 12)
      expect(chooseDialect(messages).id, `seed ${seed}`).toBe(format)
    }
  })

  it.each([
    ['compact', compact, 60],
    ['compact of precis/light', compactLightly, 20],
  ] as const)('%s changes nothing that it does not list', (_, run, count) => {
    for (const seed of seeds(count, 3)) {
      const { messages } = generateMessages(format, seed)
      const before = JSON.stringify(messages)
      const log = new MessageLog(chooseDialect(messages, format))
      log.add(messages)
      for (const share of [0.9, 0.5, 0.2]) {
        const budget = Math.max(400, Math.floor(log.context.tokens * share))
        const label = `seed ${seed}, budget ${budget}`
        const result = tryCompact(run, messages, budget, format)
        if (!result) continue
        expect(JSON.stringify(messages), label).toBe(before)
        expect(result.report.after.total, label).toBeLessThanOrEqual(budget)
        const lost = new Set(result.losses.flatMap((loss) => loss.messages))
        const kept = new Set(result.messages)
        messages.forEach((message, index) => {
          expect(kept.has(message), `${label}, message ${index}`).toBe(!lost.has(index))
        })
        expectWhole(result.messages, label)
      }
    }
  })

  /** What comes out reads as rounds in which every call has its result. */
  function expectWhole(messages: readonly object[], label: string): void {
    const log = new MessageLog(chooseDialect(messages, format))
    log.add(messages)
    expect(log.context.open.size, label).toBe(0)
    const called = new Set(
      log.events.flatMap((event) => (event.type === 'TOOL_CALL' ? [event.data.id] : [])),
    )
    const answered = new Set(
      log.events.flatMap((event) => (event.type === 'TOOL_RESULT' ? [event.data.id] : [])),
    )
    expect(answered, label).toEqual(called)
  }
})

function tryCompact(
  run: typeof compact,
  messages: readonly object[],
  budget: number,
  format: FormatId,
) {
  try {
    return run(messages, { budget, format })
  } catch (error) {
    if (PrecisError.is(error) && error.code === 'irreducible') return undefined
    throw error
  }
}
