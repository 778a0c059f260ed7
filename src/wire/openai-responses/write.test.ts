// How a request looks as a Responses body, and that groups of items stay whole whatever is in them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  agent,
  requestOf,
  text,
  call as toolCall,
  result as toolResult,
  user,
} from '../../../test/say-messages.ts'
import { runs } from '../../../test/scale.ts'
import type { Json } from '../../core/text/json.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import { PROFILES, validate } from '../../validate/validate.ts'
import { OPENAI_RESPONSES } from './items.ts'
import { writeResponses } from './write.ts'

const call = (id: string) => toolCall(id, 'read', { path: 'a' })
const result = (id: string) => toolResult(id, ['one'])
const native = (value: Json): MessagePart => ({ type: 'native', provider: 'openai', value })
const reasoning = (id: string, content: string | null = 'gAAAA') =>
  native({ type: 'reasoning', id, summary: [], encrypted_content: content })

function readInput(...messages: Message[]): unknown {
  return writeResponses(requestOf({ messages }), OPENAI_RESPONSES, () => undefined).body.input
}

const said = (value: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: value }],
})
const asked = (value: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text: value }],
})
const called = (id: string) => ({
  type: 'function_call',
  call_id: id,
  name: 'read',
  arguments: '{"path":"a"}',
})
const output = (id: string, value: Json = 'one') => ({
  type: 'function_call_output',
  call_id: id,
  output: value,
})
const thought = (id: string) => ({
  type: 'reasoning',
  id,
  summary: [],
  encrypted_content: 'gAAAA',
})

describe('items', () => {
  it.each<[string, Message[], Json[]]>([
    [
      'reasoning stands unchanged before the item that followed it [VALID-R3]',
      [
        user(text('q')),
        agent(reasoning('rs_1'), call('c1'), reasoning('rs_2'), call('c2')),
        user(result('c2'), result('c1')),
        agent(reasoning('rs_3'), text('done')),
      ],
      [
        asked('q'),
        thought('rs_1'),
        called('c1'),
        thought('rs_2'),
        called('c2'),
        output('c1'),
        output('c2'),
        thought('rs_3'),
        said('done'),
      ],
    ],
    [
      'reasoning goes where its item is gone, or its content never came [VALID-R3] [VALID-R5]',
      [agent(reasoning('rs_1')), user(text('q')), agent(reasoning('rs_2', null), text('a'))],
      [asked('q'), said('a')],
    ],
    [
      'an item is sent once [VALID-R4]',
      [agent(reasoning('rs_1'), text('a')), agent(reasoning('rs_1'), text('b'))],
      [thought('rs_1'), said('a'), said('b')],
    ],
    [
      'a message without content goes [VALID-R6]',
      [
        user(text('q')),
        agent(native({ type: 'message', role: 'assistant', id: 'msg_1', content: [] })),
        agent(
          native({
            type: 'message',
            role: 'assistant',
            id: 'msg_2',
            content: [{ type: 'output_text', text: '' }],
          }),
          text('a'),
        ),
      ],
      [asked('q'), said('a')],
    ],
    [
      'a compaction stands for everything before it [VALID-R7]',
      [
        user(text('q')),
        agent(text('a'), native({ type: 'compaction', id: 'cmp_1', encrypted_content: 'x' })),
        user(text('r')),
      ],
      [{ type: 'compaction', id: 'cmp_1', encrypted_content: 'x' }, asked('r')],
    ],
    [
      'a search of the server goes with its reasoning [VALID-R9]',
      [
        agent(native({ type: 'web_search_call', id: 'ws_1' }), text('a')),
        user(text('q')),
        agent(reasoning('rs_1'), native({ type: 'web_search_call', id: 'ws_2' }), text('b')),
      ],
      [said('a'), asked('q'), thought('rs_1'), { type: 'web_search_call', id: 'ws_2' }, said('b')],
    ],
    [
      'a call of another kind needs its output [VALID-R2]',
      [
        agent(native({ type: 'custom_tool_call', call_id: 'k1', name: 'x', input: '' })),
        user(text('q')),
      ],
      [asked('q')],
    ],
    [
      'thinking of others is left out',
      [
        agent(
          { type: 'thinking', thinking: 'hm', signature: 's', model: 'anthropic/x' },
          text('a'),
        ),
        agent({ type: 'native', provider: 'anthropic', value: { type: 'server_tool_use' } }),
      ],
      [said('a')],
    ],
    [
      'the phase of a message comes back with it',
      [
        agent(
          {
            type: 'text',
            text: 'a',
            extra: { provider: 'openai', fields: { phase: 'commentary' } },
          },
          text('b'),
        ),
      ],
      [{ ...said('a'), phase: 'commentary' }, said('b')],
    ],
    [
      'images of a result stand in its output',
      [
        agent(call('c1')),
        user({
          type: 'tool_result',
          id: 'c1',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image', data: 'AA', mimeType: 'image/png' },
          ],
          status: 'completed',
        }),
      ],
      [
        called('c1'),
        output('c1', [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AA' },
        ]),
      ],
    ],
    [
      'something is always said',
      [agent(reasoning('rs_1'))],
      [asked('[earlier conversation compacted]')],
    ],
  ])('%s', (_title, messages, expected) => {
    expect(readInput(...messages)).toEqual(expected)
  })

  it('are accepted whatever items a log holds, in whatever order [VALID-R1] [VALID-R3] [VALID-R9]', () => {
    const ids = fc.constantFrom('1', '2', '3', 'odd id')
    const part = fc.oneof(
      ids.map((id) => text(`text ${id}`)),
      ids.map(call),
      ids.map((id) => reasoning(`rs_${id}`)),
      ids.map((id) => reasoning(`rs_${id}`, null)),
      ids.map((id) => native({ type: 'web_search_call', id: `ws_${id}` })),
      ids.map((id) => native({ type: 'mcp_call', id: `mcp_${id}` })),
      ids.map((id) => native({ type: 'function_call', call_id: id, name: 'x', arguments: '{}' })),
      ids.map((id) => native({ type: 'function_call_output', call_id: id, output: '' })),
      ids.map((id) => native({ type: 'custom_tool_call', call_id: id, name: 'x', input: '' })),
      ids.map((id) => native({ type: 'custom_tool_call_output', call_id: id, output: '' })),
      ids.map((id) => native({ type: 'local_shell_call', id: `lsh_${id}` })),
      ids.map((id) => native({ type: 'compaction', id: `cmp_${id}`, encrypted_content: 'x' })),
      fc.constantFrom(
        native({ type: 'compaction_trigger' }),
        native({ type: 'item_reference', id: 'rs_1' }),
        native({ type: 'message', role: 'assistant', id: 'msg_1', content: [] }),
        native({ no: 'type' }),
        native('text'),
      ),
    )
    const message = fc.oneof(
      fc.array(part, { maxLength: 6 }).map((parts) => agent(...parts)),
      fc
        .array(
          fc.oneof(
            ids.map((id) => result(id)),
            part,
          ),
          { maxLength: 4 },
        )
        .map((parts) => user(...parts)),
    )
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 8 }), (messages) => {
        const { body } = writeResponses(requestOf({ messages }), OPENAI_RESPONSES, () => undefined)
        expect(validate(PROFILES['openai-responses'], body)).toEqual([])
        expect(body.input).not.toEqual([])
      }),
      runs(1_000),
    )
  })
})

describe('the rest of the body', () => {
  it('stores nothing and carries the reasoning [VALID-R5]', () => {
    const given = {
      system: ['a', 'b'],
      thinking: { effort: 'high' },
      tools: [{ name: 'read', description: 'd', inputSchema: { type: 'object' } }],
      native: { provider: 'openai', fields: { service_tier: 'flex' } },
    } as const
    const { input: _, ...rest } = writeResponses(
      requestOf({ messages: [user(text('q'))], ...given }),
      OPENAI_RESPONSES,
      () => undefined,
    ).body
    expect(rest).toEqual({
      model: 'm',
      instructions: 'a\n\nb',
      tools: [
        {
          type: 'function',
          name: 'read',
          description: 'd',
          parameters: { type: 'object' },
          strict: false,
        },
      ],
      tool_choice: 'auto',
      max_output_tokens: 100,
      reasoning: { effort: 'high', summary: 'auto' },
      store: false,
      include: ['reasoning.encrypted_content'],
      service_tier: 'flex',
      stream: true,
    })
  })

  it('asks models that do not reason for no reasoning', () => {
    const { body } = writeResponses(
      requestOf({ thinking: { effort: 'low' } }),
      { ...OPENAI_RESPONSES, encryptedReasoning: false },
      () => undefined,
    )
    expect(body).not.toHaveProperty('include')
    expect(body).not.toHaveProperty('reasoning')
    expect(body.store).toBe(false)
  })
})
