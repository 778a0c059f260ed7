// One answer of a small talk: what is sent back of it, and the calls that cannot be read.
import { describe, expect, it } from 'vitest'
import type { ModelFrame, ModelRequest } from '../core/model.ts'
import { converse } from './model-port.ts'
import type { ModelRegistry } from './registry.ts'

const USAGE = { promptTokens: 5, completionTokens: 2, totalTokens: 7 }
const END: ModelFrame = { type: 'end', stopReason: 'tool_use', usage: USAGE }

/** A registry of one model that answers with these frames. */
function answering(...frames: ModelFrame[]) {
  const requests: ModelRequest[] = []
  const registry = {
    resolve: async (name?: string) => ({
      ref: `test/${name ?? 'none'}`,
      model: 'm',
      info: { outputTokens: 500 },
      provider: {
        id: 'test',
        async *stream(request: ModelRequest) {
          requests.push(request)
          yield* frames
        },
      },
    }),
  }
  return { requests, registry: registry as unknown as Pick<ModelRegistry, 'resolve'> }
}

const ASKED = {
  system: 'be small',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'go' }] }],
  tools: [{ name: 'edl', description: 'edits', inputSchema: { type: 'object' } }],
  model: 'fast',
} as const

describe('an answer with calls', () => {
  it('is given back whole, thinking and text and calls where they stood', async () => {
    const { registry, requests } = answering(
      {
        type: 'part',
        part: { type: 'thinking', thinking: 'hm', signature: 's', model: 'test/fast' },
      },
      { type: 'call', id: '1', name: 'edl', arguments: { script: 'a' } },
      { type: 'part', part: { type: 'text', text: 'and' } },
      { type: 'call', id: '2', name: 'get_file', arguments: {} },
      END,
    )
    const answer = await converse(registry, ASKED)
    expect(answer).toMatchObject({
      stopReason: 'tool_use',
      usage: { ...USAGE, model: 'test/fast' },
    })
    expect(answer.message.parts).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 's', model: 'test/fast' },
      { type: 'tool_call', id: '1', name: 'edl', arguments: { script: 'a' } },
      { type: 'text', text: 'and' },
      { type: 'tool_call', id: '2', name: 'get_file', arguments: {} },
    ])
    expect(answer.calls.map(({ id }) => id)).toEqual(['1', '2'])
    expect(requests[0]).toMatchObject({ maxOutputTokens: 500, toolChoice: 'auto' })
  })

  it('that cannot be read has a problem to be told, and a place to be answered at [FOLD-45]', async () => {
    const { registry } = answering(
      { type: 'broken-call', id: '1', name: 'edl', text: '{"script": "fi' },
      END,
    )
    const { calls, message } = await converse(registry, ASKED)
    expect(calls).toEqual([
      { id: '1', name: 'edl', arguments: {}, problem: expect.stringContaining('not valid JSON') },
    ])
    expect(message.parts).toEqual([{ type: 'tool_call', id: '1', name: 'edl', arguments: {} }])
  })

  it('to a prompt that was not read whole is none', async () => {
    const { registry } = answering({ ...END, overflow: 'the server read less' } as ModelFrame)
    await expect(converse(registry, ASKED)).rejects.toMatchObject({ code: 'overflow' })
  })
})
