// The rules of other backends: each broken alone, kept, and silent about everybody else.
import { describe, expect, it } from 'vitest'
import type { Json } from '../core/text/json.ts'
import { createSuite } from './openai-chat/contract.ts'
import type { Profile } from './rule.ts'
import { BACKEND_RULES } from './validate.ts'

const usual: Profile = {
  wire: 'openai-chat',
  preservedThinking: false,
  prefill: false,
  strict: false,
}
const suite = createSuite(BACKEND_RULES, usual)
const BEDROCK = { wire: 'anthropic', backend: 'bedrock' } as const
const MISTRAL = { backend: 'mistral' } as const
const DEEPSEEK = { backend: 'deepseek' } as const
const QWEN = { backend: 'qwen' } as const

const user = { role: 'user', content: 'look at a.txt' }
const calling = (id: Json, more: object = {}) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }],
  ...more,
})
const result = (id: Json, more: object = {}) => ({
  role: 'tool',
  tool_call_id: id,
  content: 'text',
  ...more,
})
const chat = (...messages: readonly Json[]) => ({ messages })

describe('Bedrock', () => {
  const says = (role: string, ...content: readonly Json[]) => ({ role, content })
  const text = (words: string) => ({ type: 'text', text: words })
  const use = { type: 'tool_use', id: 'a', name: 'read', input: {} }
  const used = (content: Json) => ({ type: 'tool_result', tool_use_id: 'a', content })
  const toolUse = { toolUse: { toolUseId: 'a', name: 'read', input: {} } }
  const toolResult = (...content: readonly Json[]) => ({ toolResult: { toolUseId: 'a', content } })

  it('has tools defined where the conversation holds tool blocks [VALID-O1]', () => {
    const messages = chat(user, says('assistant', use), says('user', used('text')))
    const converse = chat(user, says('assistant', toolUse), says('user', toolResult({ text: 'a' })))
    const toolConfig = { tools: [{ toolSpec: { name: 'read' } }] }
    suite.prove('VALID-O1', {
      broken: [
        { request: messages, profile: BEDROCK, where: 'tools' },
        { request: { ...messages, tools: [] }, profile: BEDROCK, where: 'tools' },
        { request: converse, profile: BEDROCK, where: 'toolConfig' },
        { request: { ...converse, toolConfig: {} }, profile: BEDROCK, where: 'toolConfig' },
        {
          request: chat(says('user', toolResult({ json: {} }))),
          profile: BEDROCK,
          where: 'toolConfig',
        },
      ],
      kept: [
        { request: { ...messages, tools: [{ name: 'read' }] }, profile: BEDROCK },
        { request: { ...converse, toolConfig }, profile: BEDROCK },
        { request: chat(user), profile: BEDROCK },
        { request: messages, profile: { wire: 'anthropic' } },
      ],
    })
  })

  it('refuses blank text [VALID-O2]', () => {
    const tools = { tools: [{ name: 'read' }] }
    const round = (content: Json) => chat(user, says('assistant', use), says('user', used(content)))
    suite.prove('VALID-O2', {
      broken: [
        {
          request: chat({ role: 'user', content: ' ' }),
          profile: BEDROCK,
          where: 'messages[0].content',
        },
        {
          request: chat(says('user', text('a'), text('\n'))),
          profile: BEDROCK,
          where: 'messages[0].content[1].text',
        },
        {
          request: chat(says('user', { text: '' })),
          profile: BEDROCK,
          where: 'messages[0].content[0].text',
        },
        {
          request: { ...round([text('')]), ...tools },
          profile: BEDROCK,
          where: 'messages[2].content[0].content[0].text',
        },
        {
          request: { ...round(''), ...tools },
          profile: BEDROCK,
          where: 'messages[2].content[0].content',
        },
        {
          request: { ...chat(says('user', toolResult({ text: ' ' }))), ...tools },
          profile: BEDROCK,
          where: 'messages[0].content[0].toolResult.content[0].text',
        },
        { request: { ...chat(user), system: '' }, profile: BEDROCK, where: 'system' },
        {
          request: { ...chat(user), system: [{ text: ' ' }] },
          profile: BEDROCK,
          where: 'system[0].text',
        },
      ],
      kept: [
        { request: { ...round([text('a')]), ...tools, system: 'be brief' }, profile: BEDROCK },
        { request: { ...round([]), ...tools }, profile: BEDROCK },
        {
          request: chat(user, says('assistant', { type: 'thinking', thinking: '' }, text('a'))),
          profile: BEDROCK,
        },
        { request: chat({ role: 'user', content: ' ' }), profile: { wire: 'anthropic' } },
      ],
    })
  })
})

describe('backends of Chat Completions', () => {
  it('has ids of nine characters for Mistral, and no user right after a tool [VALID-O3]', () => {
    const spoken = chat(user, calling('abcDEF123'), result('abcDEF123'), user)
    suite.prove('VALID-O3', {
      broken: [
        {
          request: chat(user, calling('call_1234'), result('call_1234')),
          profile: MISTRAL,
          where: ['messages[1].tool_calls[0].id', 'messages[2].tool_call_id'],
        },
        {
          request: chat(user, calling('abcDEF1234')),
          profile: MISTRAL,
          where: 'messages[1].tool_calls[0].id',
        },
        {
          request: chat(user, { role: 'tool', content: 'text' }),
          profile: MISTRAL,
          where: 'messages[1].tool_call_id',
        },
        { request: spoken, profile: { ...MISTRAL, strict: true }, where: 'messages[3]' },
      ],
      kept: [
        { request: spoken, profile: MISTRAL },
        { request: chat(user, calling('call_1'), result('call_1')) },
      ],
    })
  })

  it('passes reasoning back to DeepSeek within the tool loop [VALID-O4]', () => {
    const open = chat(user, calling('a'), result('a'))
    const closed = chat(user, calling('a'), result('a'), { role: 'assistant', content: 'b' }, user)
    const thought = { reasoning_content: '' }
    suite.prove('VALID-O4', {
      broken: [
        { request: open, profile: DEEPSEEK, where: 'messages[1].reasoning_content' },
        {
          request: chat(user, calling('a', thought), result('a'), calling('b'), result('b')),
          profile: DEEPSEEK,
          where: 'messages[3].reasoning_content',
        },
        {
          request: closed,
          profile: { ...DEEPSEEK, strict: true },
          where: 'messages[1].reasoning_content',
        },
        {
          request: { ...open, thinking: { type: 'enabled' } },
          profile: { ...DEEPSEEK, thinkingEnabled: false },
          where: 'messages[1].reasoning_content',
        },
      ],
      kept: [
        { request: chat(user, calling('a', thought), result('a')), profile: DEEPSEEK },
        { request: closed, profile: DEEPSEEK },
        { request: open, profile: { ...DEEPSEEK, thinkingEnabled: false } },
        { request: { ...open, thinking: { type: 'disabled' } }, profile: DEEPSEEK },
        { request: open },
      ],
    })
  })

  it('names the tool on tool messages for Qwen [VALID-O5]', () => {
    suite.prove('VALID-O5', {
      broken: [
        {
          request: chat(user, calling('a'), result('a')),
          profile: QWEN,
          where: 'messages[2].name',
        },
        {
          request: chat(user, calling('a'), result('a', { name: '' })),
          profile: QWEN,
          where: 'messages[2].name',
        },
      ],
      kept: [
        { request: chat(user, calling('a'), result('a', { name: 'read' })), profile: QWEN },
        { request: chat(user, calling('a'), result('a')) },
      ],
    })
  })
})

describe('any request to any backend', () => {
  const rounds = chat(user, calling('abcDEF123'), result('abcDEF123', { name: 'read' }), user)
  const blocks = [
    { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'a' }] },
    { toolResult: { toolUseId: 'a', content: [{ text: 'a' }] } },
    { toolUse: { toolUseId: 'a' } },
  ]
  const tools = { tools: [{ name: 'read' }], toolConfig: { tools: [{}] }, thinking: { type: 'on' } }
  const messages = { ...chat({ role: 'user', content: blocks }), ...tools, system: 'be brief' }
  const names = ['bedrock', 'mistral', 'deepseek', 'qwen'] as const
  for (const backend of names) {
    const wire = backend === 'bedrock' ? 'anthropic' : 'openai-chat'
    const other = createSuite(BACKEND_RULES, { ...usual, wire, backend, strict: true })

    it(`is judged for ${backend} without throwing, at places that exist`, () => {
      other.surviveAnything([rounds, messages])
    })

    it(`is read for ${backend} in proportion to its length`, () => {
      other.readInProportion((size) =>
        chat(...Array.from({ length: size }, () => [user, calling('a'), result('a')]).flat()),
      )
    })
  }

  it('is not judged by the rules of a backend on another wire', () => {
    const request = chat(user, calling('call_1'), result('call_1'))
    const profile = { ...usual, wire: 'anthropic', backend: 'mistral' } as const
    const found = BACKEND_RULES.flatMap((rule) => rule.check({ request, profile, earlier: [] }))
    expect(found).toEqual([])
  })
})
