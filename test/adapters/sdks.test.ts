// The adapters for the SDKs of Anthropic and OpenAI, with those SDKs, against the strict stand-in
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as anthropic from '../../src/adapters/anthropic.ts'
import * as openai from '../../src/adapters/openai.ts'
import { compact } from '../../src/compactor/compact.ts'
import { createCompactor } from '../../src/compactor/compactor.ts'
import { type DevModel, startDevModel } from '../../src/dev-model/index.ts'
import { fileText, WINDOW_TOKENS } from './tool-loop.ts'

let standIn: DevModel
const SUMMARY = [
  '## Goal\nRead all files.',
  '## Constraints & Preferences\n- none',
  '## Progress\n### Done\n- [x] files 0 to 9 were read\n### In Progress\n- [ ] none\n### Blocked\n- none',
  '## Key Decisions\n- none',
  '## Next Steps\n1. Read the rest.',
  '## Critical Context\n- none',
].join('\n\n')

beforeAll(async () => {
  standIn = await startDevModel({
    models: ['claude-test', 'gpt-test'],
    script: () => ({ text: SUMMARY }),
  })
})
afterAll(() => standIn.close())

/** What was sent last. */
function sent(): { readonly messages?: unknown[]; readonly input?: unknown[] } {
  return standIn.requests.at(-1)?.body as never
}

describe('precis/anthropic', () => {
  const client = () => new Anthropic({ apiKey: 'any', baseURL: standIn.url, maxRetries: 0 })
  const history: Anthropic.MessageParam[] = Array.from({ length: 60 }, (_, n) => ({
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: n % 2 === 0 ? fileText(n) : `Read ${n}.`,
  }))
  const body = {
    model: 'claude-test',
    max_tokens: 100,
    messages: [...history, { role: 'user' as const, content: 'And?' }],
  }

  it('sends messages that fit, created and streamed', async () => {
    const fitting = anthropic.withCompaction(client(), { windowTokens: WINDOW_TOKENS })
    const answer = await fitting.messages.create(body)
    expect(answer.content[0]).toMatchObject({ type: 'text' })
    const first = sent().messages
    expect(first?.length).toBeLessThan(body.messages.length)
    expect(first?.at(-1)).toEqual(body.messages.at(-1))
    const stream = fitting.messages.stream(body)
    expect((await stream.finalMessage()).role).toBe('assistant')
    expect(sent().messages).toEqual(first)
    expect(fitting.compactor.recall('line 3 of file 0')).toContain('file 0')
  })

  it('books what was counted on the conversation that it was counted for', async () => {
    const asked: unknown[] = []
    const compactor = {
      ...createCompactor<object>({ windowTokens: WINDOW_TOKENS }),
      fit: async (messages: readonly object[], usage?: unknown) => {
        asked.push(usage)
        return { messages: [...messages], changed: false, losses: [], reading: {} }
      },
    }
    const counts: ((usage: object) => void)[] = []
    const fetch = () =>
      new Promise<Response>((resolve) =>
        counts.push((usage) => resolve(Response.json({ content: [], usage }))),
      )
    const raw = new Anthropic({ apiKey: 'any', baseURL: standIn.url, maxRetries: 0, fetch })
    const fitting = anthropic.withCompaction(raw, compactor as never)
    const say = async (...texts: string[]) => {
      const messages = texts.map((content, n) => ({
        role: n % 2 ? ('assistant' as const) : ('user' as const),
        content,
      }))
      await fitting.messages.create({ ...body, messages })
    }
    const [alice, bob] = [say('I am Alice.'), say('I am Bob.')]
    await expect.poll(() => counts.length).toBe(2)
    counts[1]?.({ input_tokens: 2 })
    await bob
    counts[0]?.({ input_tokens: 1 })
    await alice
    void say('I am Bob.', 'Hi.', 'And?')
    void say('I am Alice.', 'Hi.', 'And?')
    void say('I am Carol.', 'Hi.', 'And?')
    await expect.poll(() => asked.length).toBe(5)
    const none = undefined
    expect(asked).toEqual([none, none, { input_tokens: 2 }, { input_tokens: 1 }, none])
  })

  it('writes a summary with the client of the caller', async () => {
    const model = anthropic.anthropicModel(client(), { model: 'claude-test' })
    const { report, messages } = await compact(body.messages, { budget: 6_000, model })
    expect(report.strategyId).toBe('brief')
    expect(JSON.stringify(messages)).toContain('files 0 to 9 were read')
  })

  it('offers recall as a tool', async () => {
    const compactor = createCompactor<object>({ windowTokens: WINDOW_TOKENS, refs: true })
    await compactor.fit(body.messages)
    const { tool, run } = anthropic.recallTool(compactor)
    const plain = client()
    await plain.messages.create({
      ...body,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [
        {
          ...tool,
          input_schema: { ...tool.input_schema, required: [...tool.input_schema.required] },
        },
      ],
    })
    expect(run({ query: 'line 3 of file 2' })).toContain('file 2')
    expect(run({ query: 'e9999' })).toContain('nothing under the ref')
  })
})

describe('precis/openai', () => {
  const client = () => new OpenAI({ apiKey: 'any', baseURL: `${standIn.url}/v1`, maxRetries: 0 })
  const history: OpenAI.ChatCompletionMessageParam[] = Array.from({ length: 60 }, (_, n) =>
    n % 2 === 0
      ? { role: 'user', content: fileText(n) }
      : { role: 'assistant', content: `Read ${n}.` },
  )

  it('sends messages that fit, to both APIs, also where they stream', async () => {
    const fitting = openai.withCompaction(client(), { windowTokens: WINDOW_TOKENS })
    const messages = [...history, { role: 'user' as const, content: 'And?' }]
    const answer = await fitting.chat.completions.create({ model: 'gpt-test', messages })
    expect(answer.choices[0]?.message.content).toContain('Goal')
    const first = sent().messages
    expect(first?.length).toBeLessThan(messages.length)
    const stream = await fitting.chat.completions.create({
      model: 'gpt-test',
      messages,
      stream: true,
    })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toContain('Goal')
    expect(sent().messages).toEqual(first)
    const input = messages as OpenAI.Responses.EasyInputMessage[]
    await fitting.responses.create({ model: 'gpt-test', input })
    expect(sent().input?.length).toBeLessThan(messages.length)
    await fitting.responses.create({ model: 'gpt-test', input: 'Hello!' })
  })

  it('writes a summary with the client of the caller', async () => {
    const model = openai.openaiModel(client(), { model: 'gpt-test' })
    const { report } = await compact(history, { budget: 6_000, model })
    expect(report.strategyId).toBe('brief')
  })

  it('offers recall as a tool', async () => {
    const compactor = createCompactor<object>({ windowTokens: WINDOW_TOKENS, refs: true })
    await compactor.fit(history)
    for (const { recallTool } of [openai, anthropic])
      expect(() => recallTool(undefined as never)).toThrow(
        '`compactor` must have a method `recall`',
      )
    const { chatTool, run } = openai.recallTool(compactor)
    expect(run('line 3 of file 0')).toContain('file 0') // no JSON: words
    await client().chat.completions.create({
      model: 'gpt-test',
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [
        {
          ...chatTool,
          function: { ...chatTool.function, parameters: { ...chatTool.function.parameters } },
        },
      ],
    })
    expect(run('{"query":"line 3 of file 2"}')).toContain('file 2')
  })
})
