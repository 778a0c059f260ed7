// The entries of the registry: names, keys, addresses and rules.
import { describe, expect, it } from 'vitest'
import { pausesKept, startFixtureServer } from '../contract/fixture-server.ts'
import { REQUEST } from '../contract.ts'
import { OLLAMA_ENTRY, OPENAI, OPENAI_CHAT_ENTRIES } from '../entries.ts'
import { createRegistry, type ModelSettings } from '../registry.ts'

const entries = [OPENAI, ...OPENAI_CHAT_ENTRIES, OLLAMA_ENTRY]

function buildRegistry(settings: ModelSettings = {}) {
  return createRegistry({ entries, settings, environment: {}, clock: pausesKept().clock })
}

describe('entries', () => {
  it('have names of their own', () => {
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length)
  })

  it.each([
    ['openai', 'OPENAI_API_KEY'],
    ['openai-chat', 'OPENAI_API_KEY'],
    ['openrouter', 'OPENROUTER_API_KEY'],
    ['mistral', 'MISTRAL_API_KEY'],
    ['deepseek', 'DEEPSEEK_API_KEY'],
    ['kimi', 'MOONSHOT_API_KEY'],
    ['qwen', 'DASHSCOPE_API_KEY'],
  ])('%s wants %s before anything is sent', async (id, variable) => {
    const { provider } = await buildRegistry().resolve(`${id}/m`)
    const reading = provider.stream(REQUEST)[Symbol.asyncIterator]().next()
    await expect(reading).rejects.toMatchObject({
      code: 'auth-failed',
      hint: expect.stringContaining(variable),
    })
  })

  it.each(['lmstudio', 'compatible', 'ollama', 'openai', 'mistral'])(
    '%s needs no key at an address of one’s own',
    async (id) => {
      const server = await startFixtureServer()
      await server.close() // nobody listens there any more
      const settings = { providers: { [id]: { baseUrl: `${server.url}/v1` } } }
      const { provider } = await buildRegistry(settings).resolve(`${id}/m`)
      const reading = provider.stream(REQUEST)[Symbol.asyncIterator]().next()
      await expect(reading).rejects.toMatchObject({
        code: 'unreachable',
        hint: expect.stringContaining(`providers.${id}.baseUrl`),
      })
    },
  )

  it.each([
    ['openai', { wire: 'openai-responses' }],
    ['openai-chat', { wire: 'openai-chat', strict: false }],
    ['lmstudio', { wire: 'openai-chat', strict: true }],
    ['mistral', { wire: 'openai-chat', strict: true, backend: 'mistral' }],
    ['kimi', { wire: 'openai-chat', strict: true, backend: 'deepseek' }],
    ['ollama', { wire: 'openai-chat', strict: true }],
  ])('%s is checked by the rules of its wire', async (id, expected) => {
    expect((await buildRegistry().resolve(`${id}/m`)).profile).toMatchObject(expected)
  })
})
