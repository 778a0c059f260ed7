// How a request looks as a Chat Completions body, case by case.
import { describe, expect, it } from 'vitest'
import { agent, call, requestOf, result, text, user } from '../../../test/say-messages.ts'
import type { Json } from '../../core/text/json.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import { type ChatProfile, COMPATIBLE_CHAT, OPENAI_CHAT } from './profile.ts'
import { writeChat } from './write.ts'

const STRICT = COMPATIBLE_CHAT
const MISTRAL: ChatProfile = { ...STRICT, backend: 'mistral' }
const DEEPSEEK: ChatProfile = {
  ...STRICT,
  provider: 'deepseek',
  strict: false,
  backend: 'deepseek',
}

const png = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const
const thinking = (model: `${string}/${string}`): MessagePart => ({
  type: 'thinking',
  thinking: 'hm',
  model,
})

function readMessages(profile: ChatProfile, ...messages: Message[]): unknown {
  return writeChat(requestOf({ messages }), profile, () => undefined).body.messages
}

const wireCall = (id: string, name = 'read', args = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

describe('messages', () => {
  it.each<[string, ChatProfile, Message[], Json[]]>([
    [
      'one tool message for each call, right behind the answer [VALID-C1]',
      OPENAI_CHAT,
      [
        agent(text('a'), call('c1'), call('c2', 'bash', { cmd: 'ls' })),
        user(result('c2', ['two']), result('c1', ['one', 'more']), text('next')),
      ],
      [
        {
          role: 'assistant',
          content: 'a',
          tool_calls: [wireCall('c1'), wireCall('c2', 'bash', '{"cmd":"ls"}')],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'one\nmore' },
        { role: 'tool', tool_call_id: 'c2', content: 'two' },
        { role: 'user', content: 'next' },
      ],
    ],
    [
      'checkpoints and reminders as text',
      OPENAI_CHAT,
      [user(text('q'), { type: 'system_reminder', text: 'r' }, { type: 'checkpoint', id: 'k1' })],
      [
        {
          role: 'user',
          content: 'q\n\n<system-reminder>r</system-reminder>\n\n<checkpoint:k1>',
        },
      ],
    ],
    [
      'images of a result as a user message behind the round [VALID-C7]',
      OPENAI_CHAT,
      [
        agent(call('c1'), call('c2')),
        user({ type: 'tool_result', id: 'c1', content: [png], status: 'completed' }, result('c2')),
      ],
      [
        { role: 'assistant', content: null, tool_calls: [wireCall('c1'), wireCall('c2')] },
        { role: 'tool', tool_call_id: 'c1', content: '[an image follows]' },
        { role: 'tool', tool_call_id: 'c2', content: '(no output)' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '[shown by the result of read]' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
      ],
    ],
    [
      'no thinking of another provider, and no answer that was nothing else',
      OPENAI_CHAT,
      [user(text('q')), agent(thinking('anthropic/x')), user(text('r'))],
      [
        { role: 'user', content: 'q' },
        { role: 'user', content: 'r' },
      ],
    ],
    [
      'alternating roles, opened by the user, for strict servers',
      STRICT,
      [
        agent(text('a')),
        agent(text('b')),
        user(text('q')),
        user(text('r')),
        agent(thinking('anthropic/x'), call('c1')),
        user(result('c1', ['one'])),
      ],
      [
        { role: 'user', content: '[earlier conversation compacted]' },
        { role: 'assistant', content: 'a\n\nb' },
        { role: 'user', content: 'q\n\nr' },
        { role: 'assistant', content: '', tool_calls: [wireCall('c1')] },
        { role: 'tool', tool_call_id: 'c1', content: 'one' },
      ],
    ],
    [
      'an interrupted call with the words for it',
      OPENAI_CHAT,
      [agent(call('c1')), agent(text('b'))],
      [
        { role: 'assistant', content: null, tool_calls: [wireCall('c1')] },
        {
          role: 'tool',
          tool_call_id: 'c1',
          content: '[the call was aborted]\nThe call was interrupted and has no result.',
        },
        { role: 'assistant', content: 'b' },
      ],
    ],
    [
      'ids of nine characters, and an answer before the user, for Mistral [VALID-O3]',
      MISTRAL,
      [user(text('q')), agent(call('call_abc')), user(result('call_abc', ['one']), text('r'))],
      [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: '', tool_calls: [wireCall('uhb844rs6')] },
        { role: 'tool', tool_call_id: 'uhb844rs6', content: 'one' },
        { role: 'assistant', content: '[tool results received]' },
        { role: 'user', content: 'r' },
      ],
    ],
    [
      'its own reasoning within the loop, for DeepSeek [VALID-O4]',
      DEEPSEEK,
      [
        agent(thinking('deepseek/r'), call('c1')),
        user(result('c1', ['one'])),
        user(text('q')),
        agent(thinking('deepseek/r'), thinking('anthropic/x'), call('c2')),
        user(result('c2', ['two'])),
      ],
      [
        { role: 'assistant', content: null, tool_calls: [wireCall('c1')] },
        { role: 'tool', tool_call_id: 'c1', content: 'one' },
        { role: 'user', content: 'q' },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'hm',
          tool_calls: [wireCall('c2')],
        },
        { role: 'tool', tool_call_id: 'c2', content: 'two' },
      ],
    ],
    [
      'no answer of nothing but its own reasoning, for DeepSeek [VALID-C4]',
      DEEPSEEK,
      [user(text('q')), agent(thinking('deepseek/r')), user(text('r'))],
      [
        { role: 'user', content: 'q' },
        { role: 'user', content: 'r' },
      ],
    ],
    [
      'the opening alone where nothing but reasoning is left [VALID-A2]',
      DEEPSEEK,
      [agent(thinking('deepseek/r'))],
      [{ role: 'user', content: '[earlier conversation compacted]' }],
    ],
    [
      'the name of the tool with its result, for Qwen [VALID-O5]',
      { ...STRICT, backend: 'qwen' },
      [user(text('q')), agent(call('c1')), user(result('c1', ['one']))],
      [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: '', tool_calls: [wireCall('c1')] },
        { role: 'tool', tool_call_id: 'c1', name: 'read', content: 'one' },
      ],
    ],
  ])('%s', (_title, profile, messages, expected) => {
    expect(readMessages(profile, ...messages)).toEqual(expected)
  })

  it('keeps ids that fit, shortens those that do not, and repeats none [VALID-C3]', () => {
    const long = `call_${'x'.repeat(60)}`
    const rounds = [long, 'a b', 'c1', 'c1'].flatMap((id) => [agent(call(id)), user(result(id))])
    const wire = readMessages(OPENAI_CHAT, ...rounds) as { tool_call_id?: string }[]
    const ids = wire.flatMap((message) => message.tool_call_id ?? [])
    expect(ids).toEqual([expect.stringMatching(/^call_x{21,}_[a-z0-9]+$/), 'a_b', 'c1', 'c1_2'])
    expect(ids[0]?.length).toBe(40)
  })

  it('replaces half characters in texts, arguments and schemas, and says so [VALID-A21]', () => {
    const half = 'half \ud83d'
    const notes: string[] = []
    const { body } = writeChat(
      requestOf({
        system: [half],
        messages: [user(text(half)), agent(call('c1', 'read', { path: half }))],
        tools: [{ name: 'read', description: half, inputSchema: { type: 'object', title: half } }],
      }),
      STRICT,
      (note) => notes.push(note),
    )
    expect(JSON.stringify(body)).not.toMatch(/\\ud83d/)
    expect(JSON.stringify(body).match(/half \ufffd/g)).toHaveLength(5)
    expect(notes).toContain('half characters were replaced')
  })

  it('keeps the newest images where there are too many [VALID-C10]', () => {
    const images = Array.from(
      { length: 502 },
      (_, index): MessagePart => ({
        type: 'image',
        media: { mimeType: 'image/png', data: `${index}` },
      }),
    )
    const problems: string[] = []
    const { body } = writeChat(requestOf({ messages: [user(...images)] }), OPENAI_CHAT, (problem) =>
      problems.push(problem),
    )
    const [message] = body.messages as { content: { type: string; text?: string }[] }[]
    expect(message?.content.filter(({ type }) => type === 'image_url').length).toBe(500)
    expect(message?.content[1]?.text).toMatch(/left out/)
    expect(problems).toEqual([expect.stringMatching(/^2 images/)])
  })
})

describe('the rest of the body', () => {
  const tools = [{ name: 'mcp.files/read', description: 'd', inputSchema: { type: 'object' } }]

  it('has one system message, first [VALID-C8]', () => {
    const { body } = writeChat(requestOf({ system: ['a', ' ', 'b'] }), STRICT, () => undefined)
    expect(body.messages).toEqual([
      { role: 'system', content: 'a\n\nb' },
      { role: 'user', content: 'hi' },
    ])
  })

  it('writes names that are legal, and finds the tools again by them [VALID-C6]', () => {
    const written = writeChat(
      requestOf({ tools, toolChoice: 'none' }),
      OPENAI_CHAT,
      () => undefined,
    )
    expect(written.body.tools).toEqual([
      {
        type: 'function',
        function: { name: 'mcp_files_read', description: 'd', parameters: { type: 'object' } },
      },
    ])
    expect(written.body.tool_choice).toBe('none')
    expect(written.toolName('mcp_files_read')).toBe('mcp.files/read')
    expect(written.toolName('unknown')).toBe('unknown')
  })

  it('asks each server in its own words', () => {
    const given = requestOf({
      thinking: { budgetTokens: 10_000 },
      native: { provider: 'openai-chat', fields: { service_tier: 'flex' } },
    })
    const { messages: _, ...original } = writeChat(given, OPENAI_CHAT, () => undefined).body
    const { messages: __, ...compatible } = writeChat(given, STRICT, () => undefined).body
    const stream = { stream: true, stream_options: { include_usage: true } }
    expect(original).toEqual({
      model: 'm',
      max_completion_tokens: 100,
      reasoning_effort: 'medium',
      store: false,
      service_tier: 'flex',
      ...stream,
    })
    expect(compatible).toEqual({ model: 'm', max_tokens: 100, ...stream })
  })
})
