// Secrets in messages and documents: by their form, and by the name of the field they stand in.
import { describe, expect, it } from 'vitest'
import type { Message } from '../core/message.ts'
import { redactFor } from './redact-for.ts'
import { redactValues } from './redact-values.ts'

const KEY = `AKIA${'QWERTYUIOP234567'}`

describe('redactValues', () => {
  it('takes secrets out of every text of a message, and leaves bytes and signatures', () => {
    const messages: readonly Message[] = [
      { role: 'user', parts: [{ type: 'text', text: `use ${KEY}` }] },
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', thinking: 'hm', signature: KEY, model: 'a/b' },
          { type: 'tool_call', id: KEY, name: 'login', arguments: { password: 'hunter22' } },
        ],
      },
      {
        role: 'user',
        parts: [
          {
            type: 'tool_result',
            id: KEY,
            content: [{ type: 'text', text: 'DB_PASSWORD=correcthorse' }],
            status: 'completed',
          },
          { type: 'image', media: { mimeType: 'image/png', data: KEY } },
        ],
      },
    ]
    const { value, found } = redactValues(messages)
    expect(found).toEqual([
      { kind: 'aws-key', count: 1 },
      { kind: 'password', count: 2 },
    ])
    expect(value[0]?.parts).toEqual([{ type: 'text', text: 'use [redacted:aws-key]' }])
    expect(value[1]?.parts).toMatchObject([
      { signature: KEY },
      { id: KEY, arguments: { password: '[redacted:password]' } },
    ])
    expect(value[2]?.parts).toMatchObject([
      { id: KEY, content: [{ text: 'DB_PASSWORD=[redacted:password]' }] },
      { media: { data: KEY } },
    ])
    expect(redactValues(value)).toEqual({ value, found: [] })
  })

  it.each(['arguments', 'input', 'args'])(
    'takes secrets out of every field of a call’s %s, whatever it is called',
    (name) => {
      const given = { data: KEY, id: `id ${KEY}`, nested: [{ signature: KEY, call_id: KEY }] }
      const hidden = '[redacted:aws-key]'
      expect(redactValues([{ type: 'tool_use', id: KEY, name: 'post', [name]: given }])).toEqual({
        value: [
          {
            type: 'tool_use',
            id: KEY,
            name: 'post',
            [name]: {
              data: hidden,
              id: `id ${hidden}`,
              nested: [{ signature: hidden, call_id: hidden }],
            },
          },
        ],
        found: [{ kind: 'aws-key', count: 4 }],
      })
      // A list of that name holds messages: their ids and bytes are those of the provider.
      const messages = { [name]: [{ id: KEY, image: { data: KEY }, signature: KEY }] }
      expect(redactValues(messages).value).toBe(messages)
    },
  )

  it('goes by the name of a field only where its value is one word that is not too long', () => {
    const word = 'a1b2c3d4e5f6g7h8i9j0'
    const value = {
      note: word,
      password: 'Ask ada1 for it!',
      token: word.repeat(16),
      secret: 'secret',
    }
    expect(redactValues(value).value).toBe(value)
    expect(redactValues({ token: word }).value).toEqual({ token: '[redacted:token]' })
    expect(redactValues({ token: [word] }).value).toEqual({ token: ['[redacted:token]'] })
  })

  it('gives back the very same value where nothing is secret', () => {
    const value = { a: ['b', { password: 'string', token: null, at: new Date(0) }], n: 1 }
    expect(redactValues(value).value).toBe(value)
  })

  it('takes out the values of an environment', () => {
    const secrets = [{ name: 'MY_KEY', value: 'not-like-a-key' }]
    expect(redactValues({ said: 'it is not-like-a-key' }, secrets)).toEqual({
      value: { said: 'it is [redacted:MY_KEY]' },
      found: [{ kind: 'MY_KEY', count: 1 }],
    })
  })
})

describe('redactFor', () => {
  it.each([
    ['the provider of the conversation', 'a/x', 'a/y', undefined, false],
    ['another provider', 'a/x', 'b/x', undefined, true],
    ['a provider, where nobody knows who was told', undefined, 'a/x', undefined, true],
    ['anybody, where that is wanted', 'a/x', 'a/x', 'always', true],
    ['nobody, where that is wanted', 'a/x', 'b/x', 'never', false],
  ] as const)('decides for %s', (_who, conversation, target, policy, expected) => {
    expect(redactFor({ conversation, target, policy })).toBe(expected)
  })
})
