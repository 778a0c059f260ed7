// Every conversation on every wire: what the providers' rules say of the requests that are written.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { generateThread } from '../../test/generate/thread.ts'
import { runs } from '../../test/scale.ts'
import type { ModelRequest } from '../core/model.ts'
import { type Fields, isFields, type Json } from '../core/text/json.ts'
import type { Message } from '../core/view/message.ts'
import type { Profile } from '../validate/rule.ts'
import { PROFILES, validate } from '../validate/validate.ts'
import { GEMINI, writeGemini } from './gemini/write.ts'
import { OLLAMA, writeOllama } from './ollama/write.ts'
import { type ChatProfile, COMPATIBLE_CHAT, OPENAI_CHAT } from './openai-chat/profile.ts'
import { writeChat } from './openai-chat/write.ts'
import { OPENAI_RESPONSES } from './openai-responses/items.ts'
import { writeResponses } from './openai-responses/write.ts'

const PNG = 'iVBORw0KGgo='

const TOOLS = ['read', 'bash', 'edit'].map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}))

function readRequest(system: readonly string[], messages: readonly Message[]): ModelRequest {
  return {
    model: 'some-model',
    system,
    messages,
    tools: TOOLS,
    toolChoice: 'auto',
    maxOutputTokens: 1_000,
    cache: true,
  }
}

interface Wire {
  readonly profile: Profile
  write(request: ModelRequest, note: (problem: string) => void): Fields
}

function chat(profile: ChatProfile, rules: Profile): Wire {
  return { profile: rules, write: (request, note) => writeChat(request, profile, note).body }
}

/** A profile of the writer, and the strictest of the rules that it is written for. */
const WIRES: Readonly<Record<string, Wire>> = {
  'chat completions': chat(OPENAI_CHAT, PROFILES['openai-chat']),
  'compatible servers': chat(COMPATIBLE_CHAT, { ...PROFILES['openai-chat'], strict: true }),
  mistral: chat({ ...COMPATIBLE_CHAT, backend: 'mistral' }, PROFILES.mistral),
  deepseek: chat({ ...COMPATIBLE_CHAT, backend: 'deepseek' }, PROFILES.deepseek),
  'deepseek itself': chat(
    { ...COMPATIBLE_CHAT, strict: false, backend: 'deepseek' },
    { ...PROFILES.deepseek, strict: false },
  ),
  kimi: chat({ ...COMPATIBLE_CHAT, backend: 'deepseek' }, PROFILES.kimi),
  qwen: chat({ ...COMPATIBLE_CHAT, backend: 'qwen' }, PROFILES.qwen),
  responses: {
    profile: PROFILES['openai-responses'],
    write: (request, note) => writeResponses(request, OPENAI_RESPONSES, note).body,
  },
  gemini: {
    profile: { ...PROFILES.gemini, strict: true },
    write: (request, note) => writeGemini(endingWithUser(request), GEMINI, note).body,
  },
}

/** Where an answer cannot be begun for the model, nothing is asked until the user speaks. */
function endingWithUser(request: ModelRequest): ModelRequest {
  const { messages } = request
  if (messages.at(-1)?.role === 'user') return request
  return {
    ...request,
    messages: [...messages, { role: 'user', parts: [{ type: 'text', text: 'Go on.' }] }],
  }
}

/** What a long life leaves behind: a summary first, foreign thinking, an aborted call, images. */
const CONVERSATION: readonly Message[] = [
  { role: 'assistant', parts: [{ type: 'text', text: 'Summary: the tests of the parser fail.' }] },
  {
    role: 'user',
    parts: [
      { type: 'text', text: 'Look at this.' },
      { type: 'image', media: { mimeType: 'image/png', data: PNG } },
      { type: 'document', media: { mimeType: 'text/plain', text: 'notes', title: 'n.txt' } },
      { type: 'document', media: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
      { type: 'system_reminder', text: 'be brief' },
      { type: 'checkpoint', id: 'abc123' },
    ],
  },
  {
    role: 'assistant',
    parts: [
      { type: 'thinking', thinking: 'hm', signature: 's', model: 'anthropic/claude' },
      { type: 'redacted_thinking', data: 'x', model: 'anthropic/claude' },
      { type: 'native', provider: 'anthropic', value: { type: 'server_tool_use', id: 's1' } },
      { type: 'text', text: 'I read both.' },
      { type: 'tool_call', id: 'toolu.1:with/odd signs', name: 'read', arguments: { path: 'a' } },
      { type: 'tool_call', id: `call_${'x'.repeat(90)}`, name: 'mcp.files/read', arguments: 'b' },
    ],
  },
  {
    role: 'user',
    parts: [
      {
        type: 'tool_result',
        id: 'toolu.1:with/odd signs',
        content: [
          { type: 'text', text: 'half \ud83d' },
          { type: 'image', data: PNG, mimeType: 'image/png' },
        ],
        status: 'completed',
      },
      { type: 'tool_result', id: `call_${'x'.repeat(90)}`, content: [], status: 'failed' },
      { type: 'text', text: 'Stop.' },
    ],
  },
  {
    role: 'assistant',
    parts: [{ type: 'tool_call', id: 'call_1', name: 'bash', arguments: { command: 'ls' } }],
  },
  {
    role: 'user',
    parts: [
      {
        type: 'tool_result',
        id: 'call_1',
        content: [{ type: 'text', text: 'The call was interrupted and has no result.' }],
        status: 'aborted',
      },
    ],
  },
  { role: 'user', parts: [{ type: 'text', text: 'Go on.' }] },
  // Rounds repeat their ids, and the last one is still open.
  {
    role: 'assistant',
    parts: [
      { type: 'text', text: 'Again.' },
      { type: 'tool_call', id: 'call_1', name: 'bash', arguments: { command: 'pwd' } },
    ],
  },
]

const ignore = () => undefined

describe.each(Object.entries(WIRES))('%s', (_name, { profile, write }) => {
  it('takes a conversation of another provider [VALID-C1] [VALID-C2] [VALID-C3] [VALID-C6] [VALID-C7] [VALID-R1] [VALID-R2] [VALID-R4] [VALID-G1] [VALID-G2] [VALID-G3] [VALID-G4] [VALID-G5]', () => {
    const body = write(readRequest(['You are careful.', 'So be it.'], CONVERSATION), ignore)
    expect(validate(profile, body)).toEqual([])
  })

  it('takes every beginning and every end of it', () => {
    for (let start = 0; start < CONVERSATION.length; start += 1)
      for (let end = start + 1; end <= CONVERSATION.length; end += 1) {
        const body = write(readRequest([], CONVERSATION.slice(start, end)), ignore)
        expect(validate(profile, body), `messages ${start} to ${end}`).toEqual([])
      }
  })

  it('takes what random threads with compactions and undo build', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 25 }), (seed, steps) => {
        const { system, messages } = generateThread(seed, steps).log.build()
        if (messages.length === 0) return
        const body = write(readRequest(system, messages), ignore)
        expect(validate(profile, body)).toEqual([])
        expect(loneHalves(body)).toEqual([])
      }),
      runs(60),
    )
  })

  it('writes the same bytes for the same beginning, however much follows', () => {
    const long = readList(write(readRequest(['s'], CONVERSATION), ignore))
    const short = readList(write(readRequest(['s'], CONVERSATION.slice(0, 4)), ignore))
    expect(long.slice(0, 3)).toEqual(short.slice(0, 3))
  })
})

/** Ollama publishes no rules; these are those of its templates and of its decoder. */
describe('ollama', () => {
  it('takes what random threads build', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 25 }), (seed, steps) => {
        const { system, messages } = generateThread(seed, steps).log.build()
        const { body } = writeOllama(readRequest(system, messages), OLLAMA, ignore)
        checkOllama(readList(body))
        expect(loneHalves(body)).toEqual([])
      }),
      runs(60),
    )
  })

  it('takes a conversation of another provider', () => {
    const { body } = writeOllama(readRequest(['Be careful.'], CONVERSATION), OLLAMA, ignore)
    checkOllama(readList(body))
  })
})

function checkOllama(messages: readonly Fields[]): void {
  let waiting: Json[] = []
  messages.forEach((message, index) => {
    const before = messages[index - 1]?.role
    expect(typeof message.content).toBe('string')
    if (message.role === 'tool') {
      expect(waiting.shift()).toBe(message.tool_call_id)
      return
    }
    expect(waiting).toEqual([])
    if (message.role === 'user') expect(before).not.toBe('user')
    if (message.role === 'system') expect(index).toBe(0)
    if (message.role !== 'assistant') return
    expect(before === undefined || before === 'system').toBe(false)
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : []
    for (const call of calls) expect(isFields(call.function.arguments)).toBe(true)
    waiting = calls.map((call: Fields) => call.id ?? null)
    expect(message.content === '' && calls.length === 0).toBe(false)
  })
  expect(waiting).toEqual([])
}

function readList({ messages, input, contents }: Fields): readonly Fields[] {
  return (messages ?? input ?? contents ?? []) as readonly Fields[]
}

/** Half characters: JSON escapes nothing else in this way, also in the JSON text of arguments. */
function loneHalves(value: Json): string[] {
  return JSON.stringify(value).match(/\\u[dD][89a-fA-F]/g) ?? []
}
