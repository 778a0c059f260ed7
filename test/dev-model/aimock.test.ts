// A second opinion on the wire formats: the same calls of the same SDKs against another stand-in.
//
// aimock knows fewer fields than the APIs have (no usage details, no sequence numbers), so ours may
// tell more; what it does send must be there here, with the same type, in the same order of events.
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DevModel, type ScriptedAnswer, startDevModel } from '../../src/dev-model/index.ts'
import { clients, collect, PATH_SCHEMA } from './setup.ts'

const CALLS = [
  { name: 'read_file', arguments: { path: 'a.txt' } },
  { name: 'read_file', arguments: { path: 'b.txt' } },
]
const ANSWERS: Readonly<Record<string, ScriptedAnswer>> = {
  speak: { text: 'Hello there, my friend.' },
  think: { thinking: 'I think so, too.', text: 'Hello there, my friend.' },
  work: { text: 'I will read.', calls: CALLS },
}

const mock = new LLMock({ port: 0 })
let dev: DevModel

beforeAll(async () => {
  for (const [prompt, { text = '', thinking, calls }] of Object.entries(ANSWERS)) {
    const toolCalls = calls?.map((call) => ({ ...call, arguments: JSON.stringify(call.arguments) }))
    mock.onMessage(prompt, {
      content: text,
      ...(thinking !== undefined && { reasoning: thinking }),
      ...(toolCalls !== undefined && { toolCalls }),
    })
  }
  await mock.start()
  const promptOf = (turns: readonly { parts: readonly object[] }[]) => turns[0]?.parts[0]
  dev = await startDevModel({
    script: ({ turns }) => ANSWERS[(promptOf(turns) as { text: string }).text],
  })
})
afterAll(async () => {
  await dev.close()
  await mock.stop()
})

/** The events of one streamed answer, as the SDK of each format gives them out. */
const STREAMS: Readonly<
  Record<string, (url: string, prompt: string) => Promise<readonly object[]>>
> = {
  anthropic: async (url, prompt) =>
    collect(
      await clients(url).anthropic.messages.create({
        model: 'claude-opus-4-5',
        max_tokens: 2_000,
        stream: true,
        ...(prompt === 'think' && { thinking: { type: 'enabled', budget_tokens: 1_024 } }),
        tools: [{ name: 'read_file', input_schema: PATH_SCHEMA }],
        messages: [{ role: 'user', content: prompt }],
      }),
    ),
  chat: async (url, prompt) =>
    collect(
      await clients(url).openai.chat.completions.create({
        model: 'gpt-5',
        stream: true,
        stream_options: { include_usage: true },
        tools: [{ type: 'function', function: { name: 'read_file', parameters: PATH_SCHEMA } }],
        messages: [{ role: 'user', content: prompt }],
      }),
    ),
  responses: async (url, prompt) =>
    collect(
      await clients(url).openai.responses.create({
        model: 'gpt-5',
        stream: true,
        ...(prompt === 'think' && { reasoning: { effort: 'low', summary: 'auto' } }),
        tools: [{ type: 'function', name: 'read_file', parameters: PATH_SCHEMA, strict: false }],
        input: prompt,
      }),
    ),
  ollama: async (url, prompt) =>
    collect(
      await clients(url).ollama.chat({
        model: 'qwen3',
        stream: true,
        think: prompt === 'think',
        tools: [
          {
            type: 'function',
            function: { name: 'read_file', description: '', parameters: PATH_SCHEMA },
          },
        ],
        messages: [{ role: 'user', content: prompt }],
      }),
    ),
}

/** Fields whose value is part of the shape. */
const NAMES = [
  'type',
  'object',
  'role',
  'done',
  'finish_reason',
  'stop_reason',
  'done_reason',
  'status',
]

/** Names and types instead of values; of a list only the first. */
function shapeOf(value: unknown, key = ''): unknown {
  if (NAMES.includes(key)) return value
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => shapeOf(item))
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, shapeOf(each, name)]),
  )
}

/** In how many pieces a text comes is everybody's own affair: what repeats counts once. */
function shapesOf(events: readonly object[]): readonly object[] {
  const shapes = events.map((event) => shapeOf(event) as object)
  return shapes.filter(
    (shape, index) => JSON.stringify(shape) !== JSON.stringify(shapes[index - 1]),
  )
}

/**
 * Where aimock and the original differ: it shows reasoning as DeepSeek does. OpenAI shows none in
 * Chat Completions, and Ollama calls it `thinking`, as the type of the official client has it.
 */
const APART = ['chat think', 'ollama think']

const PAIRS = Object.keys(STREAMS).flatMap((format) =>
  Object.keys(ANSWERS).map((prompt) => [format, prompt] as const),
)

async function bothShapes(format: string, prompt: string) {
  const stream = STREAMS[format]
  const theirs = shapesOf((await stream?.(mock.url, prompt)) ?? [])
  const ours = shapesOf((await stream?.(dev.url, prompt)) ?? [])
  expect(theirs.length).toBeGreaterThan(1)
  return { theirs, ours }
}

describe('the same events, and at least the same fields', () => {
  it.each(PAIRS.filter((pair) => !APART.includes(pair.join(' '))))(
    '%s: %s',
    async (format, prompt) => {
      const { theirs, ours } = await bothShapes(format, prompt)
      expect(ours).toMatchObject(theirs)
    },
  )

  it.each(PAIRS.filter((pair) => APART.includes(pair.join(' '))))(
    '%s: %s, but for the name of the reasoning',
    async (format, prompt) => {
      const { theirs, ours } = await bothShapes(format, prompt)
      expect(JSON.stringify(theirs)).toContain('"reasoning_content"')
      expect(JSON.stringify(ours)).not.toContain('"reasoning_content"')
      expect(JSON.stringify(ours).includes('"thinking"')).toBe(format === 'ollama')
    },
  )
})
