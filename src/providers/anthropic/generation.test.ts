// Claude models that nobody listed, by their names, at a server that refuses what a generation does not take.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { composedWith } from '../../../test/flows/composed.ts'
import { collectAnswer } from '../../core/model.ts'
import { type DevModel, startDevModel } from '../../dev-model/index.ts'

let server: DevModel
beforeAll(async () => {
  server = await startDevModel()
})
afterAll(() => server.close())

describe('a Claude model', () => {
  it.each([
    ['claude-sonnet-4-20250514', 'enabled', true],
    ['claude-opus-4-1', 'enabled', true],
    ['claude-opus-4-1-20250805', 'enabled', true],
    ['claude-sonnet-4-5-20250929', 'enabled', true],
    ['claude-3-7-sonnet-latest', 'enabled', true],
    ['claude-3-5-sonnet-20241022', undefined, true],
    ['claude-3-opus-20240229', undefined, true],
    ['claude-instant-1.2', undefined, true],
    ['claude-opus-4-9', 'adaptive', false],
    ['claude-opus-7', 'adaptive', false],
    ['claude-opus-4-10', 'adaptive', false],
    ['claude-next', 'adaptive', false],
  ])('%s is asked to think as its generation takes it', async (model, type, prefill) => {
    const opened = composedWith(server)
    const resolved = await (await opened.models()).resolve(`anthropic/${model}`)
    expect(resolved.profile).toMatchObject({ prefill, preservedThinking: !prefill })
    await collectAnswer(
      resolved.ref,
      resolved.provider.stream({
        model,
        system: [],
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
        tools: [],
        toolChoice: 'auto',
        maxOutputTokens: 4_000,
        thinking: { effort: 'low', budgetTokens: 1_024 },
        cache: false,
      }),
    )
    const { thinking } = (server.requests.at(-1)?.body ?? {}) as { thinking?: { type: string } }
    expect(thinking?.type).toBe(type)
    await opened.close()
  })
})
