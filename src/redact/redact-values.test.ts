// Secrets in messages and documents: by their form, and by the name of the field they stand in.
import { describe, expect, it } from 'vitest'
import { markPasted } from '../core/view/content.ts'
import type { Message } from '../core/view/message.ts'
import { redactFor } from './redact-for.ts'
import { redactValues } from './redact-values.ts'

const KEY = `AKIA${'QWERTYUIOP234567'}`

describe('redactValues', () => {
  const call = { type: 'tool_call', id: KEY, name: 'login', arguments: { password: 'hunter22' } }
  const answered = {
    type: 'tool_result',
    id: KEY,
    content: [{ type: 'text', text: 'DB_PASSWORD=correcthorse' }],
    status: 'completed',
  }

  it('takes secrets out of every text of a message', () => {
    const messages = [
      { role: 'user', parts: [{ type: 'text', text: `use ${KEY}` }] },
      { role: 'assistant', parts: [call] },
      { role: 'user', parts: [answered] },
    ] as readonly Message[]
    const { value, found } = redactValues(messages)
    expect(found).toEqual([
      { kind: 'aws-key', count: 1 },
      { kind: 'id', count: 2 },
      { kind: 'password', count: 2 },
    ])
    expect(value[0]?.parts).toEqual([{ type: 'text', text: 'use [redacted:aws-key]' }])
    expect(value[1]?.parts).toMatchObject([{ arguments: { password: '[redacted:password]' } }])
    expect(value[2]?.parts).toMatchObject([
      { content: [{ text: 'DB_PASSWORD=[redacted:password]' }] },
    ])
    expect(JSON.stringify(value)).not.toContain(KEY)
    expect(redactValues(value)).toEqual({ value, found: [] })
  })

  it('reads a pasted value behind the name that was typed before it', () => {
    const content = markPasted('export DB_PASSWORD=hunter2-Zebra9!\nuse it', ['hunter2-Zebra9!\n'])
    expect(content).toHaveLength(3)
    expect(redactValues({ content })).toEqual({
      value: {
        content: [
          { type: 'text', text: 'export DB_PASSWORD=' },
          { type: 'text', text: '[redacted:password]\n', isPasted: true },
          { type: 'text', text: 'use it' },
        ],
      },
      found: [{ kind: 'password', count: 1 }],
    })
  })

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

  it('gives an id that holds a secret the same other name wherever it stands', () => {
    const apart = [call, answered].map((part) => redactValues({ parts: [part] }).value.parts[0])
    expect(apart[0]?.id).toMatch(/^redacted_[0-9a-f]{16}$/)
    expect(apart[1]?.id).toBe(apart[0]?.id)
    const plain = { id: 'toolu_01AbCdEfGhIjKlMnOpQrStUv', calls: ['call_1'] }
    expect(redactValues(plain).value).toBe(plain)
  })

  const said = { type: 'text', text: 'hello' }
  const SEALED = [
    ['reasoning whose signature holds one', { type: 'thinking', thinking: 'hm', signature: KEY }],
    ['signed reasoning that speaks of one', { type: 'thinking', thinking: KEY, signature: 'c2ln' }],
    ['reasoning that only its provider can read', { type: 'redacted_thinking', data: KEY }],
    [
      'an item of OpenAI',
      { type: 'reasoning', id: 'r', encrypted_content: 'c2ln', summary: [KEY] },
    ],
    ['an image', { type: 'image', media: { mimeType: 'image/png', data: KEY } }],
    [
      'an image as Anthropic has it',
      { type: 'image', source: { media_type: 'image/png', data: KEY } },
    ],
    [
      'a document with its name',
      { type: 'document', media: { mimeType: 'a/b', data: 'eA==', title: KEY } },
    ],
  ] as const
  it.each(SEALED)('leaves out whole what cannot be changed: %s [VALID-A12]', (_what, block) => {
    expect(redactValues({ content: [block, said] }).value).toEqual({ content: [said] })
    expect(redactValues({ content: [block] }).value).toEqual({
      content: [{ type: 'text', text: '[redacted:sealed-block]' }],
    })
    const clean = JSON.parse(JSON.stringify(block).replaceAll(KEY, 'aGVsbG8='))
    expect(redactValues(clean).value).toBe(clean)
  })

  it('looks into every field at any depth, and into their names', () => {
    const deep = {
      data: { signature: { id: { data: KEY, [KEY]: 1, [`${KEY}`.toLowerCase()]: 2 } } },
    }
    const clean = JSON.stringify(redactValues(deep).value)
    expect(clean).not.toContain(KEY)
    const twins = { [`${KEY}`]: 1, [`${KEY} `]: 2, [` ${KEY}`]: 3 }
    expect(Object.values(redactValues(twins).value)).toEqual([1, 2, 3])
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
