// Random conversations as arrays of messages, in each format that `compact` takes, with the fields that SDKs add
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import type { FormatId } from '../../src/messages/dialect.ts'
import { generateTurns, type Turn } from './message-turns.ts'
import { Random } from './random.ts'

export interface MessageArray {
  readonly format: FormatId
  readonly messages: object[]
}

export const MESSAGE_FORMATS: readonly FormatId[] = [
  'anthropic',
  'openai-chat',
  'openai-responses',
  'ai-sdk',
  'langchain',
]

/** The same seed gives the same conversation in every format. */
export function generateMessages(format: FormatId, seed: number, turns?: number): MessageArray {
  const random = new Random(seed)
  const conversation = generateTurns(random, turns ?? random.int(1, 9))
  const hasSystem = random.chance(0.5)
  return { format, messages: WRITERS[format](conversation, hasSystem) }
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const SYSTEM = 'You repair builds.'

const WRITERS: Readonly<
  Record<FormatId, (turns: readonly Turn[], hasSystem: boolean) => object[]>
> = {
  anthropic: (turns) =>
    turns.flatMap((turn): object[] => {
      if (turn.by === 'user')
        return [
          {
            role: 'user',
            content: turn.hasImage
              ? [
                  {
                    type: 'image',
                    source: { type: 'base64', media_type: 'image/png', data: PNG },
                    cache_control: { type: 'ephemeral' },
                  },
                  { type: 'text', text: turn.text },
                ]
              : turn.text,
          },
        ]
      const { text, thinking, calls } = turn
      const content = [
        ...(thinking ? [{ type: 'thinking', thinking, signature: 'c2ln' }] : []),
        ...(text ? [{ type: 'text', text, citations: null }] : []),
        ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
      ]
      const results = calls.map(({ id, output, isFailed, isJson }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: isJson ? [{ type: 'text', text: output }] : output,
        ...(isFailed && { is_error: true }),
      }))
      return [
        { role: 'assistant', content },
        ...(results.length > 0 ? [{ role: 'user', content: results }] : []),
      ]
    }),
  'openai-chat': (turns, hasSystem) => [
    ...(hasSystem ? [{ role: 'system', content: SYSTEM }] : []),
    ...turns.flatMap((turn): object[] => {
      if (turn.by === 'user')
        return [
          {
            role: 'user',
            name: 'someone',
            content: turn.hasImage
              ? [
                  { type: 'text', text: turn.text },
                  { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
                ]
              : turn.text,
          },
        ]
      const { text, calls } = turn
      return [
        {
          role: 'assistant',
          content: text || null,
          refusal: null,
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ id, name, input }) => ({
              id,
              type: 'function',
              function: { name, arguments: JSON.stringify(input) },
            })),
          }),
        },
        ...calls.map(({ id, output }) => ({ role: 'tool', tool_call_id: id, content: output })),
      ]
    }),
  ],
  'openai-responses': (turns, hasSystem) => [
    ...(hasSystem ? [{ role: 'developer', content: SYSTEM }] : []),
    ...turns.flatMap((turn, at): object[] => {
      if (turn.by === 'user')
        return [
          {
            type: 'message',
            role: 'user',
            content: [
              { type: 'input_text', text: turn.text },
              ...(turn.hasImage
                ? [
                    {
                      type: 'input_image',
                      image_url: `data:image/png;base64,${PNG}`,
                      detail: 'auto',
                    },
                  ]
                : []),
            ],
          },
        ]
      const { text, thinking, calls } = turn
      return [
        ...(thinking
          ? [{ type: 'reasoning', id: `rs_${at}`, summary: [], encrypted_content: thinking }]
          : []),
        ...(text || calls.length === 0
          ? [
              {
                type: 'message',
                id: `msg_${at}`,
                role: 'assistant',
                status: 'completed',
                content: [{ type: 'output_text', text, annotations: [] }],
              },
            ]
          : []),
        ...calls.map(({ id, name, input }) => ({
          type: 'function_call',
          id: `fc_${id}`,
          call_id: id,
          name,
          arguments: JSON.stringify(input),
        })),
        ...calls.map(({ id, output, isJson }) => ({
          type: 'function_call_output',
          call_id: id,
          output: isJson ? [{ type: 'input_text', text: output }] : output,
        })),
      ]
    }),
  ],
  'ai-sdk': (turns, hasSystem) => [
    ...(hasSystem ? [{ role: 'system', content: SYSTEM }] : []),
    ...turns.flatMap(aiSdkTurn),
  ],
  langchain: (turns, hasSystem) => [
    ...(hasSystem ? [new SystemMessage(SYSTEM)] : []),
    ...turns.flatMap((turn, at): object[] => {
      if (turn.by === 'user')
        return [
          new HumanMessage({
            content: turn.hasImage
              ? [
                  { type: 'text', text: turn.text },
                  { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
                ]
              : turn.text,
            id: `human_${at}`,
          }),
        ]
      const { text, thinking, calls } = turn
      return [
        new AIMessage({
          content: text,
          id: `ai_${at}`,
          tool_calls: calls.map(({ id, name, input }) => ({
            id,
            name,
            args: input,
            type: 'tool_call',
          })),
          additional_kwargs: thinking ? { reasoning_content: thinking } : {},
          response_metadata: { model: 'm' },
        }),
        ...calls.map(
          ({ id, name, output, isFailed }) =>
            new ToolMessage({
              content: output,
              tool_call_id: id,
              name,
              status: isFailed ? 'error' : 'success',
              artifact: { at },
            }),
        ),
      ]
    }),
  ],
}

function aiSdkTurn(turn: Turn, at: number): object[] {
  if (turn.by === 'user') return aiSdkUser(turn, at)
  const { text, thinking, calls } = turn
  return [
    {
      role: 'assistant',
      content: [
        ...(thinking
          ? [
              {
                type: 'reasoning',
                text: thinking,
                providerOptions: { openai: { itemId: `rs_${at}` } },
              },
            ]
          : []),
        ...(text
          ? [{ type: 'text', text, providerOptions: { openai: { itemId: `m${at}` } } }]
          : []),
        {
          type: 'tool-call',
          toolCallId: `srv_${at}`,
          toolName: 'web',
          input: {},
          providerExecuted: true,
        },
        {
          type: 'tool-result',
          toolCallId: `srv_${at}`,
          toolName: 'web',
          output: { type: 'json', value: [] },
        },
        ...calls.map(({ id, name, input }) => ({
          type: 'tool-call',
          toolCallId: id,
          toolName: name,
          input,
          providerOptions: { openai: { itemId: `fc_${id}` } },
        })),
      ],
    },
    ...(calls.length > 0
      ? [
          {
            role: 'tool',
            content: calls.map(({ id, name, output, isFailed, isJson }) => ({
              type: 'tool-result',
              toolCallId: id,
              toolName: name,
              output: isFailed
                ? { type: 'error-text', value: output }
                : isJson
                  ? { type: 'json', value: { lines: output.split('\n') } }
                  : { type: 'text', value: output },
            })),
          },
        ]
      : []),
  ]
}

function aiSdkUser(turn: Extract<Turn, { by: 'user' }>, at: number): object[] {
  return [
    {
      role: 'user',
      content: [
        { type: 'text', text: turn.text, providerOptions: { openai: { itemId: `u${at}` } } },
        ...(turn.hasImage
          ? [
              {
                type: 'image',
                image: new Uint8Array([137, 80, 78, 71, at]),
                mediaType: 'image/png',
              },
            ]
          : []),
      ],
    },
  ]
}
