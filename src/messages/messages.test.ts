// Messages of every kind that the SDKs know: frozen ones, outputs with shapes of their own, documents
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import { compact } from '../compactor/compact.ts'
import { chooseDialect } from './detect.ts'
import type { FormatId } from './dialect.ts'

const lines = (count: number, of: number) =>
  Array.from({ length: count }, (_, n) => `line ${n} of ${of}: ${(n * 7919 + of) % 1000}`).join(
    '\n',
  )
const MARK = { cache_control: { type: 'ephemeral' } }
const PNG = `data:image/png;base64,${'iVBORw0KGgo'.repeat(40)}`

/** Ten rounds between a question and the next one. */
function talk(round: (n: number) => readonly object[]): object[] {
  const rounds = Array.from({ length: 10 }, (_, n) => round(n)).flat()
  return [{ role: 'user', content: 'Start.' }, ...rounds, { role: 'user', content: 'Go on.' }]
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const each of Object.values(value)) deepFreeze(each)
  return value
}

const MARKED: Readonly<Record<FormatId, () => object[]>> = {
  anthropic: () =>
    talk((n) => [
      { role: 'assistant', content: [{ type: 'tool_use', id: `t${n}`, name: 'read', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `t${n}`, content: lines(60, n), ...MARK }],
      },
    ]),
  'openai-chat': () =>
    talk((n) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: `t${n}`, type: 'function', function: { name: 'read', arguments: '' } }],
      },
      {
        role: 'tool',
        tool_call_id: `t${n}`,
        content: [{ type: 'text', text: lines(60, n), ...MARK }],
      },
    ]),
  'openai-responses': () =>
    talk((n) => [
      { type: 'function_call', call_id: `t${n}`, name: 'read', arguments: '{}' },
      { type: 'function_call_output', call_id: `t${n}`, output: lines(60, n) },
    ]),
  'ai-sdk': () =>
    talk((n) => [
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: `t${n}`, toolName: 'read', input: {} }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: `t${n}`,
            toolName: 'read',
            output: { type: 'text', value: lines(60, n) },
            providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
          },
        ],
      },
    ]),
  langchain: () => [
    new SystemMessage('Be brief.'),
    ...Array.from({ length: 10 }, (_, n) => [
      new HumanMessage('Read it.'),
      new AIMessage({ content: '', tool_calls: [{ id: `t${n}`, name: 'read', args: {} }] }),
      new ToolMessage({
        content: [{ type: 'text', text: lines(60, n), ...MARK }],
        tool_call_id: `t${n}`,
        artifact: { rows: n },
      }),
    ]).flat(),
    new HumanMessage('Go on.'),
  ],
}

describe.each(Object.entries(MARKED))('frozen messages of %s', (format, make) => {
  it.each(['cascade', 'mask', 'trim-tool-results'])('are compacted by %s', (strategy) => {
    const options = { budget: 4_000, strategy, format: format as FormatId }
    const frozen = compact(deepFreeze(make()), options)
    expect(frozen.changed).toBe(true)
    expect(JSON.stringify(frozen.messages)).toBe(JSON.stringify(compact(make(), options).messages))
  })
})

describe('detected', () => {
  it.each([
    ['anthropic', { type: 'mcp_tool_use', id: 'm', name: 'a', server_name: 's', input: {} }],
    ['anthropic', { type: 'web_fetch_tool_result', tool_use_id: 'm', content: {} }],
    ['anthropic', { type: 'bash_code_execution_tool_result', tool_use_id: 'm', content: {} }],
    ['anthropic', { type: 'compaction', content: 'What happened.' }],
    ['openai-chat', { type: 'refusal', refusal: 'No.' }],
  ])('as %s: an answer with %j', (format, block) => {
    expect(
      chooseDialect([
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [block] },
      ]).id,
    ).toBe(format)
  })

  it.each([
    { type: 'message', role: 'assistant', id: 'm', content: [{ type: 'refusal', refusal: 'No.' }] },
    { type: 'tool_search_output', call_id: 'c', tools: [] },
    { type: 'additional_tools', role: 'developer', tools: [] },
    { type: 'configuration_update', reasoning: { effort: 'low' } },
  ])('as openai-responses: %j', (item) => {
    expect(chooseDialect([{ role: 'user', content: 'Hi' }, item]).id).toBe('openai-responses')
  })

  it('as no message of LangChain', () => {
    const messages = [new HumanMessage('Hi'), { type: 'human', content: 'Hi' }]
    expect(() => compact(messages, { budget: 9, format: 'langchain' })).toThrow(
      'messages[1] is not a message of LangChain.',
    )
  })
})

describe('outputs of the Responses API', () => {
  const outcome = { type: 'exit', exit_code: 0 } as const

  it.each(['cascade', 'mask', 'trim-tool-results', 'extract'])(
    'keep their shape: %s',
    (strategy) => {
      const messages = talk((n): ResponseInputItem[] => [
        { type: 'shell_call', call_id: `s${n}`, action: { commands: ['ls'] } },
        {
          type: 'shell_call_output',
          call_id: `s${n}`,
          output: [{ stdout: lines(60, n), stderr: 'warning', outcome }],
        },
        {
          type: 'computer_call',
          id: `cu${n}`,
          call_id: `c${n}`,
          status: 'completed',
          action: { type: 'screenshot' },
          pending_safety_checks: [],
        },
        {
          type: 'computer_call_output',
          call_id: `c${n}`,
          output: { type: 'computer_screenshot', image_url: PNG },
        },
        {
          type: 'local_shell_call',
          id: `l${n}`,
          call_id: `lc${n}`,
          status: 'completed',
          action: { type: 'exec', command: ['ls'], env: {} },
        },
        { type: 'local_shell_call_output', id: `lc${n}`, output: lines(60, n) },
      ])
      const { messages: out, changed } = compact(messages, { budget: 12_000, strategy })
      expect(changed).toBe(true)
      const calls = new Map<string, number>()
      for (const item of out as ResponseInputItem[]) {
        if (item.type === 'shell_call_output')
          for (const each of item.output)
            expect(each).toEqual({
              stdout: expect.any(String),
              stderr: expect.any(String),
              outcome,
            })
        if (item.type === 'computer_call_output')
          expect(item.output.image_url).toMatch(/^data:image\/png;base64,/)
        if (item.type === 'local_shell_call_output') expect(item.output).toEqual(expect.any(String))
        const id =
          item.type === 'local_shell_call_output' ? item.id : 'call_id' in item && item.call_id
        if (typeof id === 'string') calls.set(id, (calls.get(id) ?? 0) + 1)
      }
      expect([...calls].filter(([, count]) => count !== 2)).toEqual([])
    },
  )

  it.each([
    [[{ type: 'exit', exit_code: 2 }, outcome], { type: 'exit', exit_code: 2 }],
    [[{ type: 'timeout' }, { type: 'exit', exit_code: 1 }, outcome], { type: 'timeout' }],
    [[outcome, outcome], outcome],
  ])('of several commands keep the worst outcome: %j', (outcomes, worst) => {
    const messages = talk((n) => [
      { type: 'shell_call', call_id: `s${n}`, action: { commands: ['ls', 'make'] } },
      {
        type: 'shell_call_output',
        call_id: `s${n}`,
        output: outcomes.map((each) => ({ stdout: lines(60, n), stderr: '', outcome: each })),
      },
    ])
    const { messages: out } = compact<object>(messages, { budget: 6_000, strategy: 'mask' })
    const joined = out.flatMap((item) =>
      'output' in item && Array.isArray(item.output) && item.output.length === 1 ? item.output : [],
    )
    expect(joined.length).toBeGreaterThan(0)
    for (const each of joined) expect(each).toMatchObject({ outcome: worst })
  })

  it('keep the tools that a search found, and settings', () => {
    const tools = [{ type: 'function', name: 'late', description: lines(20, 1) }]
    const kept = [
      { type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: {} },
      { type: 'tool_search_output', call_id: 'c', execution: 'client', tools },
      { type: 'configuration_update', reasoning: { effort: 'low' } },
    ]
    const messages = [
      { role: 'user', content: 'Search.' },
      ...kept,
      ...Array.from({ length: 40 }, (_, n) => ({
        type: 'message',
        role: n % 2 === 0 ? 'assistant' : 'user',
        content: lines(10, n),
      })),
    ]
    const { messages: out } = compact<object>(messages, { budget: 1_500 })
    for (const item of kept) expect(out).toContain(item)
  })
})

describe('documents', () => {
  const text = lines(2_000, 3)

  it.each([
    [
      'a text',
      {
        type: 'document',
        title: 'Log',
        source: { type: 'text', media_type: 'text/plain', data: text },
      },
    ],
    [
      'content',
      {
        type: 'document',
        title: 'Log',
        source: { type: 'content', content: [{ type: 'text', text }] },
      },
    ],
    [
      'a search result',
      { type: 'search_result', title: 'Log', source: 's', content: [{ type: 'text', text }] },
    ],
  ])('that are %s are cut, not left out', (_, block) => {
    const asked = { role: 'user', content: [block, { type: 'text', text: 'Sum it up.' }] }
    const { messages, report } = compact([asked], { budget: 4_000, format: 'anthropic' })
    const said = JSON.stringify(messages)
    for (const part of ['Sum it up.', '[document Log]', 'line 0 of 3', 'line 1999 of 3'])
      expect(said).toContain(part)
    expect(report.after.total).toBeGreaterThan(2_000)
    expect(report.after.total).toBeLessThanOrEqual(4_000)
  })

  it('of a result are cut, not left out', () => {
    const source = { type: 'text', media_type: 'text/plain', data: text }
    const messages = [
      { role: 'user', content: 'Read it.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'read', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't', content: [{ type: 'document', source }] },
        ],
      },
    ]
    const said = JSON.stringify(compact(messages, { budget: 4_000 }).messages)
    expect(said).toContain('line 0 of 3')
    expect(said).toContain('line 1999 of 3')
  })
})
