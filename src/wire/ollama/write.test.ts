// How a request looks as a body of Ollama's chat API.
import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../../core/model.ts'
import type { Message } from '../../core/view/message.ts'
import { OLLAMA, type OllamaProfile, writeOllama } from './write.ts'

const CONVERSATION: readonly Message[] = [
  { role: 'assistant', parts: [{ type: 'text', text: 'Summary.' }] },
  {
    role: 'user',
    parts: [
      { type: 'text', text: 'q' },
      { type: 'image', media: { mimeType: 'image/png', data: 'AAAA' } },
      { type: 'image', media: { mimeType: 'image/png', uri: 'https://example.com/a.png' } },
      { type: 'checkpoint', id: 'k1' },
    ],
  },
  {
    role: 'assistant',
    parts: [
      { type: 'thinking', thinking: 'hm', model: 'ollama/qwen' },
      { type: 'thinking', thinking: 'no', signature: 's', model: 'anthropic/x' },
      { type: 'tool_call', id: 'c1', name: 'a.b', arguments: { x: 1 } },
      { type: 'tool_call', id: 'c2', name: 'read', arguments: 'odd' },
    ],
  },
  {
    role: 'user',
    parts: [
      {
        type: 'tool_result',
        id: 'c2',
        content: [{ type: 'image', data: 'BBBB', mimeType: 'image/png' }],
        status: 'completed',
      },
      { type: 'tool_result', id: 'c1', content: [{ type: 'text', text: 'no' }], status: 'denied' },
    ],
  },
]

function readBody(given: Partial<ModelRequest> = {}, profile: OllamaProfile = OLLAMA) {
  const request: ModelRequest = {
    model: 'qwen',
    system: [],
    messages: CONVERSATION,
    tools: [{ name: 'a.b', description: 'd', inputSchema: { type: 'object' } }],
    toolChoice: 'auto',
    maxOutputTokens: 100,
    cache: false,
    ...given,
  }
  return writeOllama(request, profile, () => undefined)
}

describe('writeOllama', () => {
  it('writes messages that its templates take', () => {
    expect(readBody({ system: ['s'] }).body.messages).toEqual([
      { role: 'system', content: 's' },
      { role: 'user', content: '[earlier conversation compacted]' },
      { role: 'assistant', content: 'Summary.' },
      {
        role: 'user',
        content: 'q\n\n[image https://example.com/a.png not shown]\n\n<checkpoint:k1>',
        images: ['AAAA'],
      },
      {
        role: 'assistant',
        content: '',
        thinking: 'hm',
        tool_calls: [
          { id: 'c1', function: { name: 'a_b', arguments: { x: 1 } } },
          { id: 'c2', function: { name: 'read', arguments: { input: 'odd' } } },
        ],
      },
      { role: 'tool', tool_name: 'a_b', tool_call_id: 'c1', content: '[the call was denied]\nno' },
      { role: 'tool', tool_name: 'read', tool_call_id: 'c2', content: '[an image follows]' },
      { role: 'user', content: '[shown by the result of read]', images: ['BBBB'] },
    ])
  })

  it('leaves out an answer of nothing but thinking', () => {
    const said = { role: 'user', parts: [{ type: 'text', text: 'q' }] } as const
    const thought = { type: 'thinking', thinking: 'hm', model: 'ollama/qwen' } as const
    const messages = [said, { role: 'assistant', parts: [thought] } as const, said]
    expect(readBody({ messages }).body.messages).toEqual([{ role: 'user', content: 'q\n\nq' }])
  })

  it('sets the window, and forbids to cut the prompt in silence', () => {
    const native = { provider: 'ollama', fields: { keep_alive: '10m', options: { seed: 7 } } }
    const {
      messages: _,
      tools: __,
      ...rest
    } = readBody({ native }, { ...OLLAMA, windowTokens: 8_192 }).body
    expect(rest).toEqual({
      model: 'qwen',
      keep_alive: '10m',
      truncate: false,
      shift: false,
      options: { num_ctx: 8_192, num_predict: 100, seed: 7 },
      stream: true,
    })
  })

  it('offers no tools where none may be called', () => {
    expect(readBody({ toolChoice: 'none' }).body).not.toHaveProperty('tools')
    expect(readBody().toolName('a_b')).toBe('a.b')
  })

  it.each([
    ['switch', { effort: 'high' }, { think: true }],
    ['effort', { effort: 'high' }, { think: 'high' }],
    ['effort', {}, { think: 'medium' }],
    ['none', { effort: 'high' }, {}],
    ['switch', undefined, {}],
  ] as const)('thinking as a %s: %o', (thinking, wish, expected) => {
    const { body } = readBody({ ...(wish && { thinking: wish }) }, { ...OLLAMA, thinking })
    expect('think' in body ? { think: body.think } : {}).toEqual(expected)
  })
})
