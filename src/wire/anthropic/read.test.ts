// Reading the Anthropic format: what becomes of each block, what is listed, what is refused and where.
import { describe, expect, it } from 'vitest'
import { assistant, everyKind, result, text, use, user } from '../../../test/anthropic-examples.ts'
import { PrecisError } from '../../core/errors.ts'
import type { EventDraft } from '../../core/log/event.ts'
import { anthropic } from '../../formats/anthropic.ts'

function buildDrafts(messages: readonly unknown[]): EventDraft[] {
  return anthropic.read(JSON.stringify(messages)).drafts.filter(({ type }) => type !== 'FOREIGN')
}

describe('reading', () => {
  it('makes one answer of an assistant message, its parts in order, its calls right behind', () => {
    const drafts = buildDrafts(everyKind.messages)
    const index = drafts.findIndex(({ type }) => type === 'AGENT_MESSAGE')
    expect(drafts.slice(index, index + 5).map(({ type }) => type)).toEqual([
      'AGENT_MESSAGE',
      'TOOL_CALL',
      'TOOL_CALL',
      'TOOL_CALL',
      'TOOL_RESULT',
    ])
    expect(drafts[index]?.data).toMatchObject({
      content: 'It saysand also',
      calls: ['toolu_1', 'toolu_2', 'toolu_3'],
      parts: [
        { type: 'thinking', thinking: '', signature: 'c2ln+/==' },
        { type: 'redacted_thinking' },
        { type: 'text', extra: { provider: 'anthropic' } },
        { type: 'tool_call', callId: 'toolu_1' },
        { type: 'text' },
        { type: 'native', value: { type: 'server_tool_use' } },
        { type: 'native', value: { type: 'web_search_tool_result' } },
        { type: 'tool_call', callId: 'toolu_2' },
        { type: 'tool_call', callId: 'toolu_3' },
      ],
    })
    expect(drafts[index + 1]?.data).toEqual({
      id: 'toolu_1',
      name: 'read',
      arguments: { path: 'a', lines: [1, null] },
      answer: 0,
    })
  })

  it('takes model, stop reason and usage of a saved response, and keeps the rest as its source', () => {
    const usage = { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 100 }
    const message = { ...assistant('x'), id: 'msg_1', model: 'm', stop_reason: 'max_tokens', usage }
    const [, answer] = buildDrafts([user('a'), message])
    expect(answer).toEqual({
      type: 'AGENT_MESSAGE',
      data: {
        content: 'x',
        calls: [],
        model: 'anthropic/m',
        stopReason: 'length',
        tokenUsage: {
          promptTokens: 105,
          completionTokens: 7,
          totalTokens: 112,
          cacheReadTokens: 100,
        },
      },
      source: message,
    })
  })

  it('joins the blocks of a system prompt and keeps the blocks', () => {
    const { drafts } = anthropic.read(JSON.stringify(everyKind))
    expect(drafts[1]).toEqual({
      type: 'SYSTEM_PROMPT',
      data: 'You are careful.\n\nYou are brief. 簡潔に ✂️',
      source: everyKind.system,
    })
  })

  it('reads a system message as the prompt where it opens, and as a reminder elsewhere', () => {
    const system = { role: 'system', content: 'be brief' }
    expect(buildDrafts([system, user('a'), system]).map(({ type, data }) => [type, data])).toEqual([
      ['SYSTEM_PROMPT', 'be brief'],
      ['USER_MESSAGE', 'a'],
      ['SYSTEM_REMINDER', 'be brief'],
    ])
  })

  const problems: readonly (readonly [string, readonly unknown[], string])[] = [
    ['first message', [assistant('a')], 'messages[0]: the first message is not the user’s'],
    ['orphan result', [user([result('x')])], 'messages[0]: the result of x answers no call'],
    [
      'second result',
      [user('a'), assistant([use('x')]), user([result('x'), result('x')])],
      'messages[2]: the result of x is there twice',
    ],
    ['empty text', [user([text('a'), text(' ')])], 'messages[0].content[1]: an empty text block'],
    ['empty message', [user('')], 'messages[0]: the message is empty'],
    ['empty list', [user([])], 'messages[0]: the message is empty'],
    [
      'missing result',
      [user('a'), assistant([use('x')]), user('b')],
      'messages[1]: the call x has no result in the next message',
    ],
    [
      'open call',
      [user('a'), assistant([use('x')])],
      'messages[1]: the call x still waits for its result',
    ],
    [
      'repeated id',
      [user('a'), assistant([use('x')]), user([result('x')]), assistant([use('x')])],
      'messages[3]: the call id x was used before',
    ],
    [
      'thinking of nobody',
      [user('a'), assistant([{ type: 'thinking', thinking: 'hm' }, text('b')])],
      'messages[1].content[0]: thinking without a signature',
    ],
    ['thinking user', [user([{ type: 'thinking' }])], 'messages[0]: a thinking block in a message'],
    [
      'text before a result',
      [user('a'), assistant([use('x')]), user([text('b'), result('x')])],
      'messages[2]: a tool result stands behind other content',
    ],
    [
      'fields that no request has',
      [user('a'), { ...assistant('b'), ts: 4 }],
      'messages[1]: fields beside role and content (ts) are kept in the log',
    ],
    [
      'fields of a call',
      [user('a'), assistant([{ ...use('x'), caller: 'y' }])],
      'messages[1]: fields of a block (caller) are kept in the log',
    ],
    ['an input that is no object', [user('a'), assistant([use('x', 'raw')])], 'content[0].input'],
    ['a mark', [user([{ ...text('a'), cache_control: {} }])], '1 cache_control mark was dropped'],
    ['two users', [user('a'), user('b')], 'messages[0]: 2 user messages in a row'],
  ]
  for (const [name, messages, problem] of problems)
    it(`reads what breaks a rule, and says so: ${name}`, () => {
      const imported = anthropic.read(JSON.stringify(messages))
      expect(imported.problems.join('\n')).toContain(problem)
      expect(anthropic.read(JSON.stringify(everyKind)).problems).toEqual([])
    })

  const errors: readonly (readonly [string, string | undefined, string])[] = [
    ['', undefined, 'the input is empty'],
    [' \n', undefined, 'the input is empty'],
    ['hello', undefined, "not JSON: unexpected token 'h'"],
    ['{"messages": [', 'line 1, column 15', 'not JSON: unexpected end of JSON input'],
    ['{\n"messages": [1,]}', undefined, "not JSON: unexpected token ']'"],
    [
      '{\n"messages": [{"role": "user", "content": undefined, "more": "to quote from"}]}',
      'line 2, column 42',
      "not JSON: unexpected token 'u'",
    ],
    ['{"a":1}\n{"b":2}', 'line 2, column 1', 'not JSON'],
    ['7', undefined, 'the document: expected an object with `messages`, or an array'],
    ['null', undefined, 'the document: expected an object'],
    ['{}', 'messages', 'messages: expected an array of messages, got nothing'],
    ['{"messages":{}}', 'messages', 'messages: expected an array of messages, got an object'],
    ['[7]', 'messages[0]', 'messages[0]: expected a message, got the number 7'],
    [
      '[{"role":"tool"}]',
      'messages[0].role',
      'expected "user" or "assistant", got the string "tool"',
    ],
    [
      '[{"role":"user"}]',
      'messages[0].content',
      'expected a string or an array of blocks, got nothing',
    ],
    ['[{"role":"user","content":[[]]}]', 'messages[0].content[0]', 'expected a content block'],
    ['[{"role":"user","content":[{}]}]', 'messages[0].content[0].type', 'expected a string'],
    [
      '[{"role":"user","content":[{"type":"text","text":4}]}]',
      'messages[0].content[0].text',
      'expected a string, got the number 4',
    ],
    [
      '[{"role":"assistant","content":[{"type":"tool_use","id":"a"}]}]',
      'messages[0].content[0].name',
      'expected a string',
    ],
    [
      '[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text"}]}]}]',
      'messages[0].content[0].content[0].text',
      'expected a string',
    ],
    [
      '[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":"yes"}]}]',
      'messages[0].content[0].is_error',
      'expected true or false',
    ],
    ['{"system":4,"messages":[]}', 'system', 'expected a string or an array of text blocks'],
    ['{"system":[{"type":"image"}],"messages":[]}', 'system[0].type', 'expected "text"'],
  ]
  for (const [input, where, message] of errors)
    it(`says where and what to do: ${input.slice(0, 60)}`, () => {
      const read = () => anthropic.read(input)
      expect(read).toThrow(PrecisError)
      expect(read).toThrow(message)
      try {
        read()
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'invalid-input', where })
        expect((thrown as PrecisError).hint).not.toBe('')
      }
    })
})
