// A long session through each SDK: what the stand-in answers is always accepted when it comes back.
import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import { MODEL, PATH_SCHEMA, setUp, words } from './setup.ts'

const PROMPTS = [
  'hello',
  'read a.txt',
  'read a.txt\nread b.txt\nread c.txt',
  'hello', // the same words again: the same answer, in another place
  'read a.txt, then read b.txt',
  'What is the answer?',
  'read a.txt',
]
const CONTENT = 'The answer is 42.\nMore lines follow.'
const MAX_ROUNDS = 5

describe('a session with tool rounds and thinking', () => {
  it('Anthropic: every request is accepted, and its bill adds up to its count', async () => {
    const { anthropic, dev } = await setUp({ minCacheTokens: 100 })
    const messages: Anthropic.MessageParam[] = []
    const params = {
      model: MODEL,
      system: words(150),
      tools: [{ name: 'read_file', input_schema: PATH_SCHEMA }],
      thinking: { type: 'enabled' as const, budget_tokens: 1_024 },
      cache_control: { type: 'ephemeral' as const },
      messages,
    }
    let cached = 0
    for (const prompt of PROMPTS) {
      messages.push({ role: 'user', content: prompt })
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const { input_tokens: counted } = await anthropic.messages.countTokens(params)
        const answer = await anthropic.messages
          .stream({ ...params, max_tokens: 4_096 })
          .finalMessage()
        const { usage } = answer
        const [read, written] = [usage.cache_read_input_tokens, usage.cache_creation_input_tokens]
        expect((read ?? 0) + (written ?? 0) + usage.input_tokens).toBe(counted)
        // Everything that was sent last time is read from the cache now.
        expect(read).toBe(cached)
        cached = counted
        messages.push({ role: 'assistant', content: answer.content })
        if (answer.stop_reason !== 'tool_use') break
        const results = answer.content.flatMap((block) =>
          block.type === 'tool_use'
            ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: CONTENT }]
            : [],
        )
        messages.push({ role: 'user', content: results })
      }
    }
    expect(JSON.stringify(messages.at(-3))).toContain('tool_use')
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })

  it('Chat Completions: every request is accepted', async () => {
    const { openai, dev } = await setUp()
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: 'Be brief.' }]
    const tools: OpenAI.ChatCompletionFunctionTool[] = [
      { type: 'function', function: { name: 'read_file', parameters: PATH_SCHEMA } },
    ]
    for (const prompt of PROMPTS) {
      messages.push({ role: 'user', content: prompt })
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const { choices } = await openai.chat.completions.create({ model: MODEL, messages, tools })
        const message = choices[0]?.message
        if (message === undefined) throw new Error('no message')
        messages.push(message)
        if (message.tool_calls === undefined) break
        for (const { id } of message.tool_calls) {
          messages.push({ role: 'tool', tool_call_id: id, content: CONTENT })
        }
      }
    }
    expect(JSON.stringify(messages)).toMatch(/From my context: [^"]*The answer is 42/)
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })

  it.each([true, false])('Responses: every request is accepted, stored: %s', async (store) => {
    const { openai, dev } = await setUp()
    const items: ResponseInputItem[] = []
    let previous: string | undefined
    let fresh: ResponseInputItem[] = []
    for (const prompt of PROMPTS) {
      fresh.push({ role: 'user', content: prompt })
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        items.push(...fresh)
        const answer = await openai.responses.create({
          model: MODEL,
          store,
          input: store ? fresh : items,
          ...(store && previous !== undefined && { previous_response_id: previous }),
          tools: [{ type: 'function', name: 'read_file', parameters: PATH_SCHEMA, strict: false }],
          reasoning: { effort: 'low' },
          include: ['reasoning.encrypted_content'],
        })
        items.push(...(answer.output as ResponseInputItem[]))
        previous = answer.id
        fresh = answer.output.flatMap((item) =>
          item.type === 'function_call'
            ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: CONTENT }]
            : [],
        )
        if (fresh.length === 0) break
      }
    }
    expect(JSON.stringify(items)).toMatch(/From my context: [^"]*The answer is 42/)
    expect(dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  })
})
