// Writing the Anthropic format: whatever the messages, the rules of the wire are kept.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assistant, result, text, use, user } from '../../../test/anthropic-examples.ts'
import { runs } from '../../../test/scale.ts'
import type { Json } from '../../core/text/json.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import { anthropic } from '../../formats/anthropic.ts'

const MODEL = 'anthropic/claude-opus-5'

function written(messages: readonly Message[], system: readonly string[] = []) {
  const { text, problems } = anthropic.write({ system, messages })
  return { messages: JSON.parse(text).messages as WireMessage[], problems }
}

interface WireMessage {
  readonly role: string
  readonly content: string | readonly Readonly<Record<string, Json>>[]
}

describe('writing', () => {
  const say = (value: string): MessagePart => ({ type: 'text', text: value })
  const call = (id: string, args: Json = {}): MessagePart => ({
    type: 'tool_call',
    id,
    name: 'read',
    arguments: args,
  })
  const answered = (id: string, value = 'ok'): MessagePart => ({
    type: 'tool_result',
    id,
    content: [{ type: 'text', text: value }],
    status: 'completed',
  })
  const u = (...parts: MessagePart[]): Message => ({ role: 'user', parts })
  const a = (...parts: MessagePart[]): Message => ({ role: 'assistant', parts })
  const png = { type: 'image', data: 'iVBORw0=', mimeType: 'image/png' } as const

  const cases: readonly (readonly [string, readonly Message[], readonly unknown[]])[] = [
    [
      'opens with a user text where an answer comes first [RANGE-52]',
      [a(say('S')), a(say('T'))],
      [user('[earlier conversation compacted]'), assistant([text('S'), text('T')])],
    ],
    [
      'leaves a provider’s own compaction block first',
      [a({ type: 'native', provider: 'anthropic', value: { type: 'compaction', content: 'c' } })],
      [assistant([{ type: 'compaction', content: 'c' }])],
    ],
    [
      'writes checkpoints and reminders as text',
      [u(say('x'), { type: 'system_reminder', text: 'r' }, { type: 'checkpoint', id: 'abc123' })],
      [
        user([
          text('x'),
          text('<system-reminder>r</system-reminder>'),
          text('<checkpoint:abc123>'),
        ]),
      ],
    ],
    [
      'drops blank text and the messages that only held some',
      [u(say('x')), a(say(' \n')), u(say('y'), say(''))],
      [user([text('x'), text('y')])],
    ],
    [
      'writes error results as text only',
      [
        u(say('x')),
        a(call('1'), call('2')),
        u(
          {
            type: 'tool_result',
            id: '1',
            status: 'denied',
            content: [{ type: 'text', text: 'no' }, png],
          },
          { type: 'tool_result', id: '2', status: 'aborted', content: [] },
        ),
      ],
      [
        user('x'),
        assistant([use('1'), use('2')]),
        user([
          {
            ...result('1', [text('no'), text('[image left out of an error result]')]),
            is_error: true,
          },
          { ...result('2', '(no output)'), is_error: true },
        ]),
      ],
    ],
    [
      'answers calls that have no result, and leaves out results that have no call',
      [
        u(say('x')),
        a(call('1'), call('2')),
        u(answered('2'), answered('2'), answered('9')),
        a(say('y')),
      ],
      [
        user('x'),
        assistant([use('1'), use('2')]),
        user([
          result('2'),
          { ...result('1', 'The call was interrupted and has no result.'), is_error: true },
        ]),
        assistant('y'),
      ],
    ],
    [
      'merges what dropping an orphan leaves side by side',
      [u(say('x')), a(say('w')), u(answered('9')), a(say('y')), u(say('z'))],
      [user('x'), assistant([text('w'), text('y')]), user('z')],
    ],
    [
      'answers a call where it stands, also where its result comes behind another answer',
      [u(say('x')), a(call('1')), u(answered('9')), a(say('y')), u(answered('1'), say('z'))],
      [
        user('x'),
        assistant([use('1')]),
        user([{ ...result('1', 'The call was interrupted and has no result.'), is_error: true }]),
        assistant('y'),
        user('z'),
      ],
    ],
    [
      'gives repeated and illegal ids a name of their own',
      [u(say('x')), a(call('a b')), u(answered('a b')), a(call('a_b')), u(answered('a_b'))],
      [
        user('x'),
        assistant([use('a_b')]),
        user([result('a_b')]),
        assistant([use('a_b_2')]),
        user([result('a_b_2')]),
      ],
    ],
    [
      'sends no thinking without a signature or of another provider, and no foreign native part',
      [
        u(say('x')),
        a(
          { type: 'thinking', thinking: 'a', model: MODEL },
          { type: 'thinking', thinking: 'b', signature: 's', model: 'openai/gpt' },
          { type: 'native', provider: 'openai', value: { type: 'reasoning' } },
          { type: 'thinking', thinking: '', signature: 's', model: MODEL },
          say('y'),
        ),
      ],
      [user('x'), assistant([{ type: 'thinking', thinking: '', signature: 's' }, text('y')])],
    ],
    [
      'wraps an input that is no object, and cuts blanks off the last answer',
      [u(say('x')), a(call('1', 'raw')), u(answered('1')), a(say('done \n'))],
      [user('x'), assistant([use('1', { input: 'raw' })]), user([result('1')]), assistant('done')],
    ],
    ['replaces half characters', [u(say('a\ud83d'))], [user('a\ufffd')]],
    [
      'shows resources as what they hold',
      [
        u(say('x')),
        a(call('1')),
        u({
          type: 'tool_result',
          id: '1',
          status: 'completed',
          content: [
            { type: 'resource', uri: 'file:///a', text: 'inside' },
            { type: 'resource', uri: 'file:///b' },
            { type: 'resource', data: 'JVBERi0=', mimeType: 'application/pdf' },
            { type: 'native', provider: 'openai', value: 1, text: 'plain' },
          ],
        }),
      ],
      [
        user('x'),
        assistant([use('1')]),
        user([
          result('1', [
            text('inside'),
            text('[resource file:///b]'),
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
            },
            text('plain'),
          ]),
        ]),
      ],
    ],
  ]
  for (const [name, messages, expected] of cases)
    it(name, () => {
      expect(written(messages).messages).toStrictEqual(expected)
    })

  it('writes one system prompt as a string and several as blocks', () => {
    const write = (system: string[]) => JSON.parse(anthropic.write({ system, messages: [] }).text)
    expect(write(['a'])).toEqual({ system: 'a', messages: [] })
    expect(write(['a', ' ', 'b']).system).toEqual([text('a'), text('b')])
    expect(write([])).toEqual({ messages: [] })
  })

  it('keeps the rules of the wire for any messages whatever', () => {
    const ids = fc.constantFrom('1', '2', '3', 'a b')
    const words = fc.constantFrom('x', '', ' \n', 'end ')
    const part: fc.Arbitrary<MessagePart> = fc.oneof(
      words.map(say),
      ids.map((id) => call(id)),
      fc.tuple(ids, words).map(([id, value]) => answered(id, value)),
      ids.map((id): MessagePart => ({ type: 'tool_result', id, status: 'failed', content: [png] })),
      fc.constantFrom<MessagePart>(
        { type: 'thinking', thinking: '', signature: 's', model: MODEL },
        { type: 'thinking', thinking: 'u', model: MODEL },
        { type: 'image', media: { mimeType: 'image/png', data: 'iVBORw0=' } },
        { type: 'checkpoint', id: 'aaaaaa' },
        { type: 'system_reminder', text: 'r' },
      ),
    )
    const message: fc.Arbitrary<Message> = fc.record({
      role: fc.constantFrom('user' as const, 'assistant' as const),
      parts: fc.array(part, { maxLength: 5 }),
    })
    fc.assert(
      fc.property(fc.array(message, { maxLength: 9 }), (messages) => {
        expect(brokenRules(written(messages).messages)).toEqual([])
      }),
      runs(3_000),
    )
  })
})

/** Which of A1 to A7, A9 to A12 the messages break. Calls of the last message may be open. */
function brokenRules(messages: readonly WireMessage[]): string[] {
  const broken: string[] = []
  const all = new Set<string>()
  let waiting: string[] = []
  messages.forEach(({ role, content }, index) => {
    const blocks = typeof content === 'string' ? [text(content)] : content
    const types = blocks.map(({ type }) => String(type))
    const ids = (type: string, field: string) =>
      blocks.filter((block) => block.type === type).map((block) => String(block[field as 'type']))
    const rule = (id: string, ok: boolean) => ok || broken.push(`${id} messages[${index}]`)
    rule('A1', blocks.length > 0)
    rule('A2', index > 0 || role === 'user')
    rule('A3', role === (index % 2 === 0 ? 'user' : 'assistant'))
    const results = ids('tool_result', 'tool_use_id')
    rule('A4', role === 'assistant' || waiting.every((id) => results.includes(id)))
    rule('A4', new Set(results).size === results.length)
    rule(
      'A5',
      results.every((id) => waiting.includes(id)),
    )
    rule('A6', types.lastIndexOf('tool_result') < results.length)
    waiting = ids('tool_use', 'id')
    rule(
      'A7',
      waiting.every((id) => /^[a-zA-Z0-9_-]+$/.test(id) && !all.has(id)),
    )
    for (const id of waiting) rule('A7', all.size < all.add(id).size)
    rule(
      'A9',
      blocks.every((block) => block.type !== 'text' || /\S/.test(String(block.text))),
    )
    const last = blocks.at(-1)
    if (index === messages.length - 1 && role === 'assistant' && last?.type === 'text')
      rule('A10', !/\s$/.test(String(last.text)))
    for (const block of blocks) {
      const isError = 'is_error' in block && block.is_error === true
      rule('A11', !isError || !JSON.stringify(block).includes('"image"'))
      rule('A12', block.type !== 'thinking' || (role === 'assistant' && 'signature' in block))
    }
  })
  return broken
}
