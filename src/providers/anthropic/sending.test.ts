// From any request to one that Anthropic takes: names, tools, thinking and the window, with a strict server.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pngOf } from '../../../test/generate/damage.ts'
import { type CollectedAnswer, collectAnswer, type ModelRequest } from '../../core/model.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import { type DevModel, startDevModel } from '../../dev-model/index.ts'
import type { ScriptedAnswer } from '../../dev-model/reply.ts'
import type { Profile } from '../../validate/rule.ts'
import { PROFILES } from '../../validate/validate.ts'
import { pausesKept } from '../contract/fixture-server.ts'
import { type AnthropicOptions, anthropicProvider } from './provider.ts'

const MODEL = 'claude-fable-5-1'
const READ = { name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } }

let server: DevModel
beforeEach(async () => {
  server = await startDevModel()
})
afterEach(() => server.close())

/** A provider, and requests to it; each answer comes from the script. */
function conversation(options: Partial<AnthropicOptions> = {}) {
  const { clock } = pausesKept()
  const provider = anthropicProvider({
    apiKey: 'test',
    baseUrl: server.url,
    clock,
    profileOf: () => PROFILES.anthropic,
    ...options,
  })
  const ask = (request: Partial<ModelRequest>, answer: ScriptedAnswer = { text: 'Well.' }) => {
    server.script([answer])
    return collectAnswer(
      `anthropic/${MODEL}`,
      provider.stream({
        model: MODEL,
        system: ['Be brief.'],
        messages: [user('Look')],
        tools: [READ],
        toolChoice: 'auto',
        maxOutputTokens: 1_000,
        cache: true,
        ...request,
      }),
    )
  }
  return { ask, provider }
}

const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })
const called = (name: string): Message => ({
  role: 'assistant',
  parts: [{ type: 'tool_call', id: 't1', name, arguments: { path: 'a' } }],
})
const answered = (id = 't1'): Message => ({
  role: 'user',
  parts: [{ type: 'tool_result', id, content: [{ type: 'text', text: 'A' }], status: 'completed' }],
})

/** An answer as it goes back into the messages. */
function readMessage({ answer, calls }: CollectedAnswer): Message {
  const parts = (answer.parts ?? []).flatMap((part): MessagePart[] => {
    if (part.type !== 'tool_call') return [part]
    return calls
      .filter(({ id }) => id === part.callId)
      .map((call) => ({ type: 'tool_call', ...call }))
  })
  return { role: 'assistant', parts }
}

function lastBody(): Record<string, unknown> & { messages: readonly Message[] } {
  const body = server.requests.at(-1)?.body
  return body as unknown as Record<string, unknown> & { messages: readonly Message[] }
}

describe('tools', () => {
  it('get legal names, the same whatever was called first, and calls come back by their own [VALID-A7]', async () => {
    const tools = ['mcp.server/tool', 'mcp/server.tool', 'mcp_server_tool'].map((name) => ({
      ...READ,
      name,
    }))
    const { ask } = conversation()
    const wire = ['mcp_server_tool_2', 'mcp_server_tool_3', 'mcp_server_tool']
    const namesSent = () => (lastBody().tools as readonly { name: string }[]).map((t) => t.name)
    const first = await ask({ tools }, { calls: wire.map((name) => ({ name, arguments: {} })) })
    expect(first.calls.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    expect(namesSent()).toEqual(wire)
    await ask({ tools, messages: [user('Look'), called('mcp/server.tool'), answered()] })
    expect(namesSent()).toEqual(wire)
    expect(JSON.stringify(lastBody().messages)).toContain('"name":"mcp_server_tool_3"')
  })

  it('that are not offered leave their calls and results as text, and that is said [VALID-A8]', async () => {
    const { repairs } = await conversation().ask({
      tools: [],
      messages: [user('Look'), called('read'), answered()],
    })
    const said = JSON.stringify(lastBody().messages)
    expect(said).toContain('[call of read: {\\"path\\":\\"a\\"}]')
    expect(said).toContain('[result of read]\\nA')
    expect(repairs).toEqual([
      'messages[1].parts[0]: the request defines no tools; the tool_call became text',
      'messages[2].parts[0]: the request defines no tools; the tool_result became text',
    ])
  })
})

describe('a history that is already broken', () => {
  it('is repaired before it is sent, and how is said', async () => {
    const broken: Message[] = [
      { role: 'assistant', parts: [{ type: 'text', text: 'Hi \ud83d' }] },
      answered('nowhere'),
      { role: 'user', parts: [{ type: 'text', text: ' \n' }] },
      called('read'),
      { role: 'assistant', parts: [{ type: 'text', text: 'Well' }] },
    ]
    const { repairs } = await conversation().ask({ messages: broken })
    expect(repairs.map((problem) => problem.replace(/; .*/, ''))).toEqual([
      'messages[0].parts[0]: half a character',
      'messages[1].parts[0]: no call nowhere right before it',
      'messages[3].parts[0]: the call t1 has no result',
      'messages[4]: the last message is an answer',
    ])
  })

  it('is left alone where nothing is wrong with it, blanks aside', async () => {
    const blank: Message = {
      role: 'assistant',
      parts: [{ type: 'text', text: '\n\n' }, ...called('read').parts],
    }
    const { repairs } = await conversation().ask({
      messages: [user('Look'), user('there'), blank, answered()],
    })
    expect(repairs).toEqual([])
  })
})

describe('thinking of models that bind it to what stands before it', () => {
  const thought: ScriptedAnswer = {
    thinking: 'Hm.',
    text: 'Reading.',
    calls: [{ name: 'read', arguments: { path: 'a' } }],
  }
  const isDropAsked = () => JSON.stringify(lastBody().thinking ?? '').includes('drop_block')
  const open = async () => {
    const { ask } = conversation()
    const first = await ask({}, thought)
    const messages = [user('Look'), readMessage(first), answered(first.calls[0]?.id)]
    return { ask, messages }
  }

  it('goes back as it is while nothing has changed, and nobody is asked to drop it', async () => {
    const { ask, messages } = await open()
    const second = await ask({ messages }, { ...thought, text: 'More.' })
    expect(isDropAsked()).toBe(false)
    await ask({ messages: [...messages, readMessage(second), answered(second.calls[0]?.id)] })
    expect(isDropAsked()).toBe(false)
    expect(JSON.stringify(lastBody().messages).match(/"thinking":"Hm."/g)).toHaveLength(2)
  })

  const CHANGES: readonly (readonly [string, Partial<ModelRequest>])[] = [
    ['the system prompt', { system: ['Be long.'] }],
    ['the tools', { tools: [READ, { ...READ, name: 'write' }] }],
  ]
  it.each(CHANGES)(
    'is dropped by the provider once %s changed, and that is said [VALID-A13]',
    async (_, change) => {
      const { ask, messages } = await open()
      const { repairs } = await ask({ messages, ...change })
      expect(isDropAsked()).toBe(true)
      expect(repairs).toEqual([expect.stringContaining('thinking behind a changed past (1)')])
    },
  )

  it('is dropped by the provider once a message before it changed, and fits again when that is undone', async () => {
    const { ask, messages } = await open()
    await ask({ messages: [user('Look here'), ...messages.slice(1)] })
    expect(isDropAsked()).toBe(true)
    await ask({ messages })
    expect(isDropAsked()).toBe(false)
  })

  it('stops the request where the caller forbids to ask, by rule and place [VALID-A22, NEED-02]', async () => {
    const { ask, messages } = await open()
    const before = server.requests.length
    const stale = {
      messages: [user('Look here'), ...messages.slice(1)],
      dropStaleThinking: false,
    }
    await expect(ask(stale)).rejects.toMatchObject({
      code: 'invalid-request',
      where: 'messages[1].content[0]',
      details: { rule: 'VALID-A22' },
    })
    const later = { ...stale, messages: [...stale.messages, readMessage(DONE), user('More')] }
    await expect(ask(later)).rejects.toMatchObject({ details: { rule: 'VALID-A13' } })
    expect(server.requests).toHaveLength(before)
  })
  const DONE: CollectedAnswer = {
    answer: { content: 'Done.', parts: [{ type: 'text', text: 'Done.' }], calls: [] },
    calls: [],
    brokenCalls: [],
    repairs: [],
  }

  it('is dropped by the provider where another process saw it being made', async () => {
    const { messages } = await open()
    await conversation().ask({ messages })
    expect(isDropAsked()).toBe(true)
    expect(server.requests.at(-1)?.headers['anthropic-beta']).toContain('thinking-binding')
  })

  it('is not sent, and its open round told as text, where it cannot be asked for [VALID-A22]', async () => {
    const { messages } = await open()
    const { ask } = conversation({ thinkingStyleOf: () => 'none' })
    const { repairs } = await ask({ messages })
    expect(lastBody().messages).toHaveLength(1)
    expect(JSON.stringify(lastBody().messages)).toContain('[call of read')
    expect(repairs.join()).toContain('an open tool round cannot be sent without its thinking')
  })

  describe('with a signature that the server does not take', () => {
    /** A round that this server never saw: as after a move to another account, or back from a backup. */
    const forged = async () => {
      const { ask, messages } = await open()
      const parts = messages[1]?.parts.map((part): MessagePart => {
        if (part.type === 'thinking') return { ...part, signature: 'none-of-theirs' }
        return part.type === 'tool_call' ? { ...part, id: 't1' } : part
      })
      return {
        ask,
        messages: [user('Look'), { role: 'assistant', parts }, answered()] as Message[],
      }
    }
    const thoughtSent = () => JSON.stringify(lastBody().messages).includes('"thinking"')

    it('is left out of a second request, its open round told as text, and that is said [VALID-A12]', async () => {
      const { ask, messages } = await forged()
      const before = server.requests.length
      const { answer, repairs } = await ask({ messages })
      expect(answer.content).toBe('Well.')
      expect(server.requests).toHaveLength(before + 2)
      expect(thoughtSent()).toBe(false)
      expect(JSON.stringify(lastBody().messages)).toContain('[call of read')
      expect(repairs).toEqual([
        expect.stringContaining('refused the signature of earlier thinking'),
        expect.stringContaining('an open tool round cannot be sent without its thinking'),
      ])
    })

    it('leaves a finished round as it is, and is asked about again in the next request', async () => {
      const { ask, messages } = await forged()
      const later = [...messages, readMessage(DONE), user('More')]
      const { repairs } = await ask({ messages: later })
      expect(lastBody().messages).toHaveLength(5)
      expect(thoughtSent()).toBe(false)
      expect(repairs).toHaveLength(1)
    })

    it('is left out of what is counted, too', async () => {
      const { messages } = await forged()
      const tokens = await conversation().provider.countTokens?.({
        model: MODEL,
        system: [],
        messages,
        tools: [READ],
        toolChoice: 'auto',
        maxOutputTokens: 10,
        cache: false,
      })
      expect(tokens).toBeGreaterThan(0)
      expect(thoughtSent()).toBe(false)
    })

    it('is told as refused where the caller wants nothing dropped', async () => {
      const { ask, messages } = await forged()
      await expect(ask({ messages, dropStaleThinking: false })).rejects.toMatchObject({
        message: expect.stringContaining('Invalid `signature` in `thinking` block'),
      })
    })
  })

  it('is left as it is for models that do not bind it', async () => {
    const legacy = { ...PROFILES['anthropic-legacy'], prefill: false }
    const { messages } = await open()
    const { ask } = conversation({ profileOf: () => legacy })
    for (const dropStaleThinking of [undefined, true]) {
      const wish = dropStaleThinking === undefined ? {} : { dropStaleThinking }
      await ask({ messages, model: 'claude-fable-5', ...wish })
      expect(isDropAsked()).toBe(false)
      expect(JSON.stringify(lastBody().messages)).toContain('"thinking":"Hm."')
    }
  })
})

describe('the body', () => {
  it('keeps its size by the age of its images, some at once and then none for a while [VALID-A18]', async () => {
    const profile = { ...PROFILES.anthropic, requestBytes: 160_000 }
    await server.close()
    server = await startDevModel({ profiles: { anthropic: profile } })
    const { ask } = conversation({ profileOf: () => profile })
    const image: MessagePart = {
      type: 'image',
      media: { mimeType: 'image/png', data: `${pngOf(10, 10)}${'A'.repeat(10_000)}` },
    }
    const sent: number[] = []
    for (let count = 10; count <= 22; count += 1) {
      const parts = Array.from({ length: count }, () => image)
      await ask({ messages: [{ role: 'user', parts }] })
      sent.push(JSON.stringify(lastBody().messages).match(/iVBORw0KGgo/g)?.length ?? 0)
    }
    expect(sent).toEqual([10, 11, 12, 13, 10, 11, 12, 13, 10, 11, 12, 13, 10])
  })
})

describe('the window', () => {
  const asking = (words: number, profile: Partial<Profile> = {}) =>
    conversation({
      profileOf: () => ({ ...PROFILES.anthropic, windowTokens: 10_000, ...profile }),
    }).ask({ messages: [user('word '.repeat(words))] })

  it('stops what cannot fit, as an overflow and before it is sent [VALID-A19]', async () => {
    await expect(asking(30_000)).rejects.toMatchObject({
      code: 'overflow',
      details: { rule: 'VALID-A19' },
    })
    await expect(asking(18_500)).rejects.toMatchObject({ code: 'overflow' })
    expect(server.requests).toHaveLength(0)
  })

  it('stops nothing that an estimate alone is against', async () => {
    await asking(11_000)
    await asking(18_500, { stopsAtWindow: true })
    expect(server.requests).toHaveLength(2)
  })

  it('stops nobody who only counts', async () => {
    const { provider } = conversation({
      profileOf: () => ({ ...PROFILES.anthropic, windowTokens: 1_000 }),
    })
    const tokens = await provider.countTokens?.({
      model: MODEL,
      system: [],
      messages: [user('word '.repeat(30_000))],
      tools: [],
      toolChoice: 'auto',
      maxOutputTokens: 10,
      cache: false,
    })
    expect(tokens).toBeGreaterThan(20_000)
  })
})
