// Documents of any shape are read, and what had to be done for it is told.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { everyKind } from '../../../test/anthropic-examples.ts'
import { runs } from '../../../test/scale.ts'
import type { Json } from '../../core/text/json.ts'
import { readLoosely } from './read-anthropic.ts'

const message = (content: Json, role: Json = 'user'): Json => ({ role, content })
const readParts = (content: Json, role?: Json) =>
  readLoosely([message(content, role)]).messages[0]?.parts

const ODD: readonly (readonly [string, Json, Json, readonly string[]])[] = [
  [
    'a call without id, name and input',
    [{ type: 'tool_use' }],
    [{ type: 'tool_call', id: '', name: '', arguments: {} }],
    ['content[0].id', 'content[0].name', 'content[0].input'],
  ],
  [
    'a result with a content of its own',
    [{ type: 'tool_result', tool_use_id: 'a', content: { found: 1 } }],
    [
      {
        type: 'tool_result',
        id: 'a',
        content: [{ type: 'text', text: '{"found":1}' }],
        status: 'completed',
      },
    ],
    ['content[0]'],
  ],
  [
    'a block without a type',
    [{ said: 'so' }],
    [{ type: 'text', text: '{"said":"so"}' }],
    ['content[0]'],
  ],
  ['a text among the blocks', ['plain'], [{ type: 'text', text: 'plain' }], ['content[0]']],
  ['a number', 7, [{ type: 'text', text: '7' }], ['content']],
  [
    'a block that is in no list',
    { type: 'text', text: 'a' },
    [{ type: 'text', text: 'a' }],
    ['content'],
  ],
  [
    'fields that have no place',
    [{ type: 'tool_use', id: 'a', name: 'b', input: {}, caller: { type: 'direct' } }],
    [{ type: 'tool_call', id: 'a', name: 'b', arguments: {} }],
    ['content[0]'],
  ],
]

describe('reading loosely', () => {
  it('reads a good document without a word, part for block', () => {
    const { messages, system, changes } = readLoosely(everyKind as unknown as Json)
    expect(changes).toEqual([])
    expect(system).toEqual(['You are careful.\n\nYou are brief. 簡潔に ✂️'])
    expect(messages.map(({ role, parts }) => [role, parts.length])).toEqual(
      everyKind.messages.map(({ role, content }) => [
        role,
        typeof content === 'string' ? 1 : (content as readonly unknown[]).length,
      ]),
    )
  })

  it.each(ODD)('reads %s', (_, content, parts, places) => {
    const { messages, changes } = readLoosely([message(content)])
    expect(messages).toEqual([{ role: 'user', parts }])
    expect(changes.map(({ where }) => where)).toEqual(places.map((place) => `messages[0].${place}`))
  })

  it('never tells thinking in words', () => {
    expect(readParts([{ type: 'thinking', thinking: { secret: 1 } }], 'assistant')).toEqual([
      { type: 'thinking', thinking: '', model: 'anthropic/unknown' },
    ])
  })

  it('keeps blocks in messages of the wrong role, for the repair to see', () => {
    const use = { type: 'tool_use', id: 'a', name: 'b', input: {} }
    expect(readParts([use])).toEqual([{ type: 'tool_call', id: 'a', name: 'b', arguments: {} }])
  })

  it.each([
    ['developer', 'system'],
    ['model', 'assistant'],
    ['tool', 'user'],
    [7, 'user'],
  ])('reads the role %s as %s', (role, expected) => {
    const { messages, changes } = readLoosely([message('a', role)])
    expect(messages[0]?.role).toBe(expected)
    expect(changes).toHaveLength(1)
  })

  it('drops marks for the cache and blank prompts, and says so', () => {
    const { envelope, changes } = readLoosely({
      model: 'm',
      system: [
        { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
        { type: 'text', text: ' ' },
      ],
      messages: [],
    })
    expect(envelope).toEqual({ model: 'm', system: [{ type: 'text', text: 'a' }], messages: [] })
    expect(changes.map(({ what }) => what)).toEqual(['blank-text', 'left-out-field'])
  })

  it('survives anything', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (anything, system) => {
        readLoosely(anything as Json)
        readLoosely({ system: system as Json, messages: [anything as Json] })
        readLoosely([{ role: 'user', content: [anything as Json] }])
      }),
      runs(1_000),
    )
  })
})
