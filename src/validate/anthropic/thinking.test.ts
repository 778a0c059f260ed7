// The rules about thinking and compaction, most of which need what was sent and answered before.
import { describe, expect, it } from 'vitest'
import { assistant, result, text, use, user } from '../../../test/anthropic-examples.ts'
import type { Json } from '../../core/text/json.ts'
import type { Exchange } from '../rule.ts'
import { PROFILES, validate } from '../validate.ts'
import { check } from './contract.ts'

const LEGACY = { preservedThinking: false }
const DROP = {
  thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } },
}
const ENABLED = { thinking: { type: 'enabled', budget_tokens: 2000 } }
const tools = [{ name: 'read', input_schema: { type: 'object' } }]
const chat = (...messages: readonly unknown[]) => ({
  model: 'claude-opus-5-5',
  max_tokens: 1000,
  system: 'You are careful.',
  tools,
  messages,
})
const thought = (signature: string, thinking = '') => ({ type: 'thinking', thinking, signature })
const hidden = (data: string) => ({ type: 'redacted_thinking', data })
const exchange = (request: unknown, ...content: readonly unknown[]): Exchange => ({
  request: request as Json,
  answer: { content, stop_reason: 'end_turn' } as Json,
})

/** Three questions with thoughtful answers, and the exchanges in which they came about. */
const answers = [
  [thought('t1', 'Hm.'), text('One.')],
  [hidden('t2'), text('Two.')],
  [thought('t3'), text('Three.')],
]
const asked = ['a?', 'b?', 'c?', 'd?'].map((question) => user(question))
/** The conversation up to a question, with what each answer has become. */
const upTo = (count: number, kept: readonly (readonly unknown[])[] = answers) =>
  asked.slice(0, count).flatMap((question, index) => {
    const answer = index === count - 1 ? undefined : kept[index]
    return answer === undefined ? [question] : [question, assistant(answer)]
  })
const history = answers.map((answer, index) => exchange(chat(...upTo(index + 1)), ...answer))

/** A tool round that is open: its answer thought twice. */
const calling = [thought('t4', 'Look.'), text('I look.'), hidden('t5'), use('r1')]
const opening = user('read it')
const openHistory = [exchange(chat(opening), ...calling)]
const openRound = (content: readonly unknown[] = calling, first: unknown = opening) =>
  chat(first, assistant(content), user([result('r1')]))

const without = (blocks: readonly unknown[], ...indexes: readonly number[]) =>
  blocks.filter((_, index) => !indexes.includes(index))

describe('thinking', () => {
  it('is signed, stands in answers and before its calls [VALID-A12]', () => {
    const said = (...blocks: unknown[]) => chat(user('hi'), assistant(blocks), user('so?'))
    check('VALID-A12', {
      breaks: [
        {
          request: said({ type: 'thinking', thinking: 'Hm.' }, text('a')),
          place: 'messages[1].content[0].signature',
        },
        { request: said(thought(''), text('a')), place: 'messages[1].content[0].signature' },
        {
          request: said({ type: 'thinking', signature: 's' }, text('a')),
          place: 'messages[1].content[0].thinking',
        },
        {
          request: said({ type: 'redacted_thinking' }, text('a')),
          place: 'messages[1].content[0].data',
        },
        { request: chat(user([thought('s'), text('hi')])), place: 'messages[0].content[0]' },
        {
          request: chat(user('hi'), assistant([use('a'), thought('s')]), user([result('a')])),
          place: 'messages[1].content[1]',
        },
      ],
      keeps: [{ request: said(thought('s'), hidden('d'), text('a')) }, { request: openRound() }],
    })
  })

  it('starts a turn of tools where it is enabled, in the turn or the last answer [VALID-A12]', () => {
    const round = (id: string, ...before: unknown[]) => [
      assistant([...before, use(id)]),
      user([result(id)]),
    ]
    const loop = chat(user('hi'), ...round('a'), ...round('b', text('then')))
    check('VALID-A12', {
      breaks: [
        { request: { ...loop, ...ENABLED }, place: 'messages[3]' },
        { request: loop, profile: { thinkingEnabled: true }, place: 'messages[3]' },
      ],
      keeps: [
        { request: loop },
        { request: { ...loop, thinking: { type: 'adaptive' } } },
        {
          request: { ...loop, thinking: { type: 'disabled' } },
          profile: { thinkingEnabled: true },
        },
        {
          request: { ...chat(user('hi'), ...round('a', thought('s')), ...round('b')), ...ENABLED },
        },
        {
          request: { ...chat(user('hi'), ...round('a'), ...round('b', thought('s'))), ...ENABLED },
        },
        // The turn is over.
        {
          request: { ...chat(user('hi'), ...round('a'), assistant('so'), user('ok')), ...ENABLED },
        },
      ],
    })
  })

  it('comes back as it was in the latest answer and in every open round [VALID-A12]', () => {
    const earlier = openHistory
    check('VALID-A12', {
      breaks: [
        // Edited, filtered, reordered, reconstructed, all gone.
        {
          request: openRound([thought('t4', 'Peek.'), ...calling.slice(1)]),
          earlier,
          place: 'messages[1].content[0]',
        },
        { request: openRound(without(calling, 2)), earlier, place: 'messages[1]' },
        {
          request: openRound([calling[2], calling[1], calling[0], calling[3]]),
          profile: LEGACY,
          earlier,
          place: 'messages[1].content[0]',
        },
        {
          request: openRound([thought('forged'), ...calling.slice(1)]),
          earlier,
          place: 'messages[1].content[0]',
        },
        { request: openRound(without(calling, 0, 2)), earlier, place: 'messages[1]' },
        {
          request: chat(...upTo(3, [answers[0] ?? [], [hidden('x'), text('Two.')]])),
          earlier: history,
          place: 'messages[3].content[0]',
        },
      ],
      keeps: [
        { request: openRound(), earlier },
        { request: { ...openRound(without(calling, 0, 2)), ...DROP }, earlier },
        {
          request: { ...openRound(without(calling, 0, 2)), thinking: { type: 'disabled' } },
          earlier,
        },
        { request: chat(...upTo(4)), earlier: history },
        // Once the answer is complete its thinking may go.
        { request: chat(...upTo(2, [[text('One.')]])), earlier: history },
      ],
    })
  })

  it('is dropped from the oldest on, not out of the middle [VALID-A12]', () => {
    const [, second = [], third = []] = answers
    const gap = chat(...upTo(4, [answers[0] ?? [], [text('Two.')], third]))
    check('VALID-A12', {
      breaks: [{ request: gap, earlier: history, place: 'messages[5].content[0]' }],
      keeps: [
        { request: gap, earlier: history, profile: LEGACY },
        { request: { ...gap, ...DROP }, earlier: history },
        { request: chat(...upTo(4, [[text('One.')], second, third])), earlier: history },
        { request: chat(...upTo(4, [[text('One.')], [text('Two.')], third])), earlier: history },
      ],
    })
  })
})

describe('a prefix that was rewritten', () => {
  it('makes every later thinking invalid on models that bind it [VALID-A13]', () => {
    const request = chat(...upTo(4))
    const all = [1, 3, 5].map((index) => `messages[${index}].content[0]`)
    const [, ...rest] = upTo(4)
    const twoTools = [...tools, { name: 'write', input_schema: {} }]
    const swapped = assistant([text('One!'), thought('t6'), text('More.')])
    check('VALID-A13', {
      breaks: [
        { request: { ...request, system: 'You are quick.' }, earlier: history, place: all },
        { request: { ...request, tools: twoTools }, earlier: history, place: all },
        { request: chat(user('A?'), ...rest), earlier: history, place: all },
        // Keep-tail: the summary stands for the first question and its answer.
        {
          request: chat(user('Summary: one.'), assistant('Yes.'), ...upTo(4).slice(2)),
          earlier: history,
          place: ['messages[3].content[0]', 'messages[5].content[0]'],
        },
        // Cut out of the middle.
        {
          request: chat(...upTo(4).slice(0, 2), ...upTo(4).slice(4)),
          earlier: history,
          place: 'messages[3].content[0]',
        },
        // An edit within the answer, before its thinking.
        {
          request: chat(user('a?'), swapped, user('so?')),
          earlier: [exchange(chat(user('a?')), text('One.'), thought('t6'), text('More.'))],
          place: 'messages[1].content[1]',
        },
        // The header that the request would need is not among those it names.
        {
          request: { ...request, ...DROP, system: 'You are quick.', betas: [] },
          earlier: history,
          place: all,
        },
      ],
      keeps: [
        { request, earlier: history },
        { request: { ...request, system: 'You are quick.' } },
        { request: { ...request, system: 'You are quick.' }, earlier: history, profile: LEGACY },
        { request: { ...request, ...DROP, system: 'You are quick.' }, earlier: history },
        { request: { ...request, ...DROP, system: '!', betas: [BINDING] }, earlier: history },
        // A summary with nothing that was thought before it.
        {
          request: chat(user('Summary: one, two.'), assistant('Three.'), user('d?')),
          earlier: history,
        },
        { request: chat(user('Summary: one, two, three. Now: d?')), earlier: history },
      ],
    })
  })

  it('is none where only what does not count has changed [VALID-A13]', () => {
    const marked = (block: object) => ({ ...block, cache_control: { type: 'ephemeral' } })
    const later = { name: 'later', input_schema: {}, defer_loading: true }
    const image = (url: string) => ({ type: 'image', source: { type: 'url', url } })
    const pictured = (url: string) => user([image(url), text('what?')])
    const request = chat(...upTo(4))
    check('VALID-A13', {
      breaks: [
        {
          // What a tool was given counts to the letter, even under the name of a mark.
          request: chat(
            user('hi'),
            assistant([use('a', { cache_control: 1 })]),
            user([result('a')]),
            assistant([thought('t7'), text('So.')]),
            user('so?'),
          ),
          earlier: [
            exchange(
              chat(user('hi'), assistant([use('a')]), user([result('a')])),
              thought('t7'),
              text('So.'),
            ),
          ],
          place: 'messages[3].content[0]',
        },
      ],
      keeps: [
        {
          request: {
            ...request,
            max_tokens: 9,
            metadata: { user_id: 'u' },
            tool_choice: { type: 'none' },
            output_config: { effort: 'low' },
            system: [marked(text('You are careful.'))],
            tools: [...tools.map(marked), later],
          },
          earlier: history,
        },
        {
          request: chat(user([marked(text('a?'))]), ...upTo(4).slice(1)),
          earlier: history,
        },
        {
          request: chat(
            pictured('https://example.org/2'),
            assistant([thought('t8'), { ...text('A cat.'), citations: null }]),
            user('so?'),
          ),
          earlier: [
            exchange(chat(pictured('https://example.org/1')), thought('t8'), text('A cat.')),
          ],
        },
      ],
    })
  })

  it('leaves an open round with thinking that fits, dropped by the API, or told as text [VALID-A22]', () => {
    const rewritten = user('Summary: they spoke. Now: read it')
    const stripped = without(calling, 0, 2)
    check('VALID-A22', {
      breaks: [
        {
          request: openRound(calling, rewritten),
          earlier: openHistory,
          place: 'messages[1].content[0]',
        },
        { request: openRound(stripped, rewritten), earlier: openHistory, place: 'messages[1]' },
        {
          request: openRound(stripped, rewritten),
          earlier: openHistory,
          profile: LEGACY,
          place: 'messages[1]',
        },
      ],
      keeps: [
        { request: openRound(calling, rewritten), earlier: openHistory, profile: LEGACY },
        { request: { ...openRound(calling, rewritten), ...DROP }, earlier: openHistory },
        { request: chat(user('Summary. The call read gave: ok')), earlier: openHistory },
        { request: openRound(), earlier: openHistory },
        { request: openRound(calling, rewritten) },
        // Of another answer that said the same: nobody saw this call being made.
        {
          request: chat(user('new'), assistant([text('I look.'), use('r2')]), user([result('r2')])),
          earlier: openHistory,
        },
      ],
    })
  })
})

const BINDING = 'thinking-binding-controls-2026-08-01'
const COMPACT = 'compact-2026-09-04'
const block = { type: 'compaction', content: 'They counted.', signature: 'c1' }

describe('the provider’s own compaction', () => {
  it('is asked for without settings that would do nothing [VALID-A15]', () => {
    const asking = { ...chat(...upTo(2)), compaction: { type: 'summarize' } }
    check('VALID-A15', {
      breaks: [
        { request: { ...asking, context_management: { edits: [] } }, place: 'context_management' },
        { request: { ...asking, stop_sequences: ['x'] }, place: 'stop_sequences' },
        { request: { ...asking, tool_choice: { type: 'any' } }, place: 'tool_choice' },
        {
          request: { ...asking, tool_choice: { type: 'tool', name: 'read' } },
          place: 'tool_choice',
        },
        { request: { ...asking, output_config: { format: {} } }, place: 'output_config.format' },
        {
          request: { ...asking, output_config: { task_budget: { total: 9, remaining: 5 } } },
          place: 'output_config.task_budget.remaining',
        },
        { request: { ...asking, betas: [BINDING] }, place: 'betas' },
      ],
      keeps: [
        { request: asking },
        {
          request: {
            ...asking,
            betas: [COMPACT],
            stop_sequences: [],
            tool_choice: { type: 'auto' },
          },
        },
        { request: { ...chat(...upTo(2)), stop_sequences: ['x'] } },
      ],
    })
  })

  it('is a summary only where its answer ended as one [VALID-A15]', () => {
    const request = chat(assistant([block]), user('so?'))
    const asked = { ...chat(...upTo(2)), compaction: { type: 'summarize' } } as Json
    const ended = (ending: { readonly stop_reason?: string }) => ({
      request,
      earlier: [{ request: asked, answer: { content: [block], ...ending } }],
    })
    const others = ['max_tokens', 'end_turn', 'refusal', 'pause_turn', 'stop_sequence', 'tool_use']
    check('VALID-A15', {
      breaks: others.map((stop_reason) => ({
        ...ended({ stop_reason }),
        place: 'messages[0].content[0]',
      })),
      keeps: [ended({ stop_reason: 'compaction' }), ended({})],
    })
  })

  it('comes back first, alone and unchanged [VALID-A15]', () => {
    const next = (...content: unknown[]) => chat(assistant(content), user('so?'))
    const earlier: Exchange[] = [
      {
        request: { ...chat(...upTo(2)), compaction: { type: 'summarize' } } as Json,
        answer: { content: [block], stop_reason: 'compaction' },
      },
    ]
    const threshold = { context_management: { edits: [{ type: 'compact_20260112' }] } }
    const { signature: _, ...unsigned } = block
    check('VALID-A15', {
      breaks: [
        { request: next(block, block), place: 'messages[0].content[1]' },
        {
          request: chat(user('a?'), assistant([block]), user('so?')),
          place: 'messages[1].content[0]',
        },
        { request: next(unsigned), place: 'messages[0].content[0].signature' },
        { request: next({ ...block, content: '' }), place: 'messages[0].content[0].content' },
        { request: next({ ...block, citations: null }), place: 'messages[0].content[0].citations' },
        { request: next({ ...block, content: 'x' }), earlier, place: 'messages[0].content[0]' },
        { request: { ...next(block), betas: [] }, place: 'betas' },
        { request: { ...next(block), ...threshold }, place: 'context_management' },
        {
          request: { ...next(block), output_config: { task_budget: { remaining: 5 } } },
          place: 'output_config.task_budget.remaining',
        },
        {
          request: chat(
            assistant([block]),
            { role: 'system', content: 'x' },
            assistant('a'),
            user('so?'),
          ),
          place: 'messages[1]',
        },
      ],
      keeps: [
        { request: next(block), earlier },
        {
          request: {
            ...next({ ...block, cache_control: { type: 'ephemeral' } }),
            betas: [COMPACT],
          },
        },
        { request: chat(user([block, text('so?')])), earlier },
        // The other kind follows what it summarises.
        {
          request: {
            ...chat(user('a?'), assistant([unsigned, text('b')]), user('so?')),
            ...threshold,
          },
        },
      ],
    })
  })

  it.each(['max_tokens', 'tool_use', 'refusal', 'end_turn', 'model_context_window_exceeded'])(
    'is no summary where its answer ended with %s [VALID-A15]',
    (stop_reason) => {
      const asking = { ...chat(...upTo(2)), compaction: { type: 'summarize' } } as Json
      const request = chat(assistant([block]), user('so?'))
      check('VALID-A15', {
        breaks: [
          {
            request,
            earlier: [{ request: asking, answer: { content: [block], stop_reason } }],
            place: 'messages[0].content[0]',
          },
        ],
        keeps: [
          {
            request,
            earlier: [{ request: asking, answer: { content: [block], stop_reason: 'compaction' } }],
          },
        ],
      })
    },
  )

  it('is asked for when every call has its result, and where all fits the window [VALID-A15]', () => {
    const asking = (...messages: unknown[]) => ({
      ...chat(user('read it'), ...messages),
      compaction: { type: 'summarize' },
    })
    const found = (request: unknown, requestTokens = 10) => {
      const profile = { ...PROFILES.anthropic, windowTokens: 2_000, stopsAtWindow: false }
      return validate(profile, request, { requestTokens }).map(({ id, where }) => `${id} ${where}`)
    }
    const open = asking(assistant([text('I look.'), use('r1')]))
    expect(found(open)).toEqual(['VALID-A4 messages[1].content[1]'])
    const whole = asking(assistant([text('I look.'), use('r1')]), user([result('r1')]))
    expect(found(whole)).toEqual([])
    expect(found(whole, 1_500)).toEqual(['VALID-A19 max_tokens'])
  })

  it('keeps thinking that follows it valid, if the roles alternate there [VALID-A15]', () => {
    const compacted = (...messages: unknown[]): Exchange => ({
      request: { ...chat(...messages), compaction: { type: 'summarize' } } as Json,
      answer: { content: [block], stop_reason: 'compaction' },
    })
    const kept = (from: number) => chat(assistant([block]), ...upTo(4).slice(from))
    const twice = [user('a?'), user('b?')]
    const answer = [thought('t6'), text('Both.')]
    check('VALID-A15', {
      breaks: [
        {
          // The API would merge the kept question with the one that was summarised.
          request: chat(assistant([block]), user('b?'), assistant(answer), user('so?')),
          earlier: [exchange(chat(...twice), ...answer), compacted(user('a?'))],
          profile: { strict: false },
          place: 'messages[1]',
        },
      ],
      keeps: [
        { request: kept(2), earlier: [...history, compacted(...upTo(4).slice(0, 2))] },
        { request: kept(3), earlier: [...history, compacted(...upTo(4).slice(0, 3))] },
        { request: kept(2), earlier: history },
        // Nothing is kept that was thought before.
        { request: chat(assistant([block]), user('b?')), earlier: [compacted(user('a?'))] },
      ],
    })
  })

  it('binds what is thought behind it, through a second one as well [VALID-A13]', () => {
    const newer = { ...block, signature: 'c2' }
    const after = chat(assistant([block]), user('e?'))
    const answer = [thought('t9'), text('Five.')]
    const compaction = (request: unknown, content: Json): Exchange => ({
      request: { ...(request as object), compaction: { type: 'summarize' } } as Json,
      answer: { content: [content], stop_reason: 'compaction' },
    })
    const earlier = [
      ...history,
      compaction(chat(...upTo(4).slice(0, 6)), block),
      exchange(after, ...answer),
      compaction(after, newer),
    ]
    const third = upTo(4).slice(4, 6)
    const valid = [
      chat(assistant([block]), user('e?'), assistant(answer), user('so?')),
      chat(assistant([newer]), assistant(answer), user('so?')),
    ]
    const invalid = [
      chat(assistant([block]), user('E?'), assistant(answer), user('so?')),
      chat(assistant([block]), ...third, user('so?')),
    ]
    const places = (request: unknown) =>
      validate(PROFILES.anthropic, request, { earlier }).map(({ id, where }) => `${id} ${where}`)
    expect(valid.map(places)).toEqual([[], []])
    expect(invalid.map(places)).toEqual([
      ['VALID-A13 messages[2].content[0]'],
      ['VALID-A13 messages[2].content[0]'],
    ])
  })

  it('restarts what is compared where the API made it by itself [VALID-A13]', () => {
    const made = { type: 'compaction', content: 'They counted.' }
    const edits = { context_management: { edits: [{ type: 'compact_20260112' }] } }
    const first = { ...chat(user('a?')), ...edits }
    const answer = [made, thought('u1'), text('One.')]
    const second = { ...chat(user('a?'), assistant(answer), user('b?')), ...edits }
    const earlier = [exchange(first, ...answer), exchange(second, thought('u2'), text('Two.'))]
    const later = (opening: string, question: string) => ({
      ...chat(
        user(opening),
        assistant(answer),
        user(question),
        assistant([thought('u2'), text('Two.')]),
        user('c?'),
      ),
      ...edits,
    })
    const places = (request: unknown) =>
      validate(PROFILES.anthropic, request, { earlier }).map(({ where }) => where)
    expect(places(later('a?', 'b?'))).toEqual([])
    expect(places(later('A?', 'b?'))).toEqual([])
    expect(places(later('a?', 'B?'))).toEqual(['messages[3].content[0]'])
  })
})
