// One preparation for every provider: what it changes, what it leaves alone, and that it changes nothing twice.
import { describe, expect, it } from 'vitest'
import { damage, pngOf } from '../../test/generate/damage.ts'
import { Random } from '../../test/generate/random.ts'
import { generateThread } from '../../test/generate/thread.ts'
import { seeds } from '../../test/scale.ts'
import type { ModelRequest } from '../core/model.ts'
import type { Message, MessagePart } from '../core/view/message.ts'
import { PROFILES } from '../validate/validate.ts'
import { prepareRequest } from './prepare.ts'

const text = (value: string): MessagePart => ({ type: 'text', text: value })
const user = (...parts: readonly MessagePart[]): Message => ({ role: 'user', parts })
const answer = (...parts: readonly MessagePart[]): Message => ({ role: 'assistant', parts })

function request(messages: readonly Message[], tools: readonly string[] = ['read']): ModelRequest {
  return {
    model: 'm',
    system: [],
    messages,
    tools: tools.map((name) => ({ name, description: name, inputSchema: { type: 'object' } })),
    toolChoice: 'auto',
    maxOutputTokens: 100,
    cache: true,
  }
}

const prepared = (messages: readonly Message[], profile = PROFILES.anthropic) =>
  prepareRequest(request(messages), profile, 'anthropic')

const BYTES = Buffer.from(Array.from({ length: 3_000 }, (_, at) => (at * 131) % 253))
const BASE64 = BYTES.toString('base64')
const URL = `data:image/png;base64,${BASE64}`

describe('texts', () => {
  const folded = (part: MessagePart, role: Message['role'] = 'user') =>
    prepared([user(text('x')), { role, parts: [part] }, user(text('y'))]).request.messages[1]
      ?.parts[0]

  it('with long base64 are folded, in words of anybody and in results, under the name of their entry', () => {
    const caption = '[base64 image/png, 4,022 characters, ref e7@4]'
    const ref = { ref: 'e7' }
    expect(folded({ type: 'text', text: `see ${URL} ok`, ...ref })).toMatchObject({
      text: `see ${caption} ok`,
    })
    expect(folded({ type: 'text', text: `see ${URL} ok`, ...ref }, 'assistant')).toMatchObject({
      text: `see ${caption} ok`,
    })
    const { messages } = prepared([
      user(text('x')),
      answer({ type: 'tool_call', id: 'a', name: 'read', arguments: { data: URL } }),
      user({
        type: 'tool_result',
        id: 'a',
        content: [{ type: 'text', text: `see ${URL} ok` }],
        status: 'completed',
        ...ref,
      }),
    ]).request
    expect(messages[2]?.parts[0]).toMatchObject({ content: [{ text: `see ${caption} ok` }] })
    // What a model called with is its own affair: another input would be another call.
    expect(messages[1]?.parts[0]).toMatchObject({ arguments: { data: URL } })
  })

  it('with citations stay as they are: these name places in them', () => {
    const extra = { provider: 'anthropic', fields: { citations: [] } }
    expect(folded({ type: 'text', text: URL, extra }, 'assistant')).toMatchObject({ text: URL })
  })

  it('are folded once for all requests, and how much is said', () => {
    const { request: ready, problems } = prepared([user(text(`${URL} and ${URL}`))])
    expect(problems).toEqual([
      expect.stringMatching(/^2 runs of base64 in texts were folded: \d+ characters/),
    ])
    expect(prepareRequest(ready, PROFILES.anthropic, 'anthropic').problems).toEqual([])
  })
})

describe('a request', () => {
  it('comes back as it is where nothing is wrong with it', () => {
    const messages = [user(text('x')), answer(text('y')), user(text('z'))]
    const { request: ready, problems } = prepared(messages)
    expect(problems).toEqual([])
    expect(ready.messages).toBe(messages)
  })

  it('offers of tools with one name the first, and that is said', () => {
    const given = request([user(text('x'))], ['read', 'write', 'read', 'read'])
    const tools = given.tools.map((tool, index) => ({ ...tool, description: `${index}` }))
    const ready = prepareRequest({ ...given, tools }, PROFILES.anthropic, 'anthropic')
    expect(ready.request.tools.map(({ description }) => description)).toEqual(['0', '1'])
    expect(ready.problems).toEqual(['tools: 3 are called read; only the first is offered'])
    expect(prepareRequest(ready.request, PROFILES.anthropic, 'anthropic').problems).toEqual([])
  })

  it('that says nothing is left to the rules', () => {
    expect(prepared([]).request.messages).toEqual([])
  })

  it('has no message joined, opened or closed that its writer looks after', () => {
    const messages = [answer(text('x')), user(text('y')), user(text('z'))]
    expect(prepared(messages).request.messages).toBe(messages)
  })

  it('tells each reason once, with its first place and how many more there are', () => {
    const call = (id: string): Message[] => [
      answer({ type: 'tool_call', id, name: 'mcp.read', arguments: {} }),
      user({ type: 'tool_result', id, content: [], status: 'completed' }),
    ]
    const { problems } = prepared([user(text('x')), ...call('a'), ...call('b')])
    expect(problems).toEqual([
      'messages[1].parts[0] and 1 more: the tool name "mcp.read" became mcp_read',
    ])
  })

  it('says of thinking that was left out whose it was, once for all of it', () => {
    const thought = answer(
      { type: 'thinking', thinking: 't', signature: 's', model: 'anthropic/claude' },
      text('b'),
    )
    const history = [user(text('a')), thought, user(text('c')), thought, user(text('d'))]
    const { problems } = prepareRequest(request(history), PROFILES.anthropic, 'dev')
    expect(problems).toEqual([
      'Thinking was left out: it is by anthropic/claude, and only anthropic can read it.',
    ])
  })

  it('for a server of another name takes that server’s parts, and not those of the original', () => {
    const native = (provider: string): MessagePart => ({
      type: 'native',
      provider,
      value: { type: 'compaction', content: `of ${provider}`, signature: 's' },
    })
    const sent = (provider: string) =>
      prepareRequest(request([user(native(provider), text('x'))]), PROFILES.anthropic, 'dev')
        .request.messages[0]?.parts[0]
    expect(sent('dev')).toMatchObject({ type: 'native', provider: 'anthropic' })
    expect(sent('anthropic')).toMatchObject({ type: 'text' })
  })

  it('keeps thinking behind what was repaired: it was made behind the repaired words', () => {
    const thinking = { type: 'thinking', thinking: 't', signature: 's' } as const
    const { messages } = prepared([
      user(text('a\ud83d')),
      answer({ ...thinking, model: 'anthropic/m' }, text('b')),
      user(text('c')),
    ]).request
    expect(messages[1]?.parts[0]).toMatchObject(thinking)
  })
})

const TARGETS = [
  'anthropic',
  'anthropic-legacy',
  'openai-chat',
  'mistral',
  'openai-responses',
] as const
const SEEDS = seeds(120, 12)

describe.each(TARGETS)('any history, for %s', (target) => {
  const profile = PROFILES[target]
  const prepare = (messages: readonly Message[]) =>
    prepareRequest(request(messages, ['read', 'mcp.read']), profile, 'anthropic')

  it('is prepared once: preparing it again changes nothing', () => {
    for (const seed of SEEDS) {
      const ready = prepare(broken(seed)).request
      const again = prepareRequest(ready, profile, 'anthropic')
      expect(again.problems, `seed ${seed}`).toEqual([])
      expect(again.request.messages, `seed ${seed}`).toEqual(ready.messages)
    }
  })

  it('starts as it did when more is said', () => {
    for (const seed of SEEDS) {
      const messages = [...broken(seed), user(text('And?'))]
      const longer = [...messages, answer(text('So.')), user(text('Go on.'))]
      const before = prepare(messages).request.messages
      const after = prepare(longer).request.messages
      expect(after.slice(0, before.length), `seed ${seed}`).toEqual(before)
    }
  })
})

describe('images of a long conversation', () => {
  it('go in batches: what was sent stays as it was, but for a few times', () => {
    const image: MessagePart = {
      type: 'image',
      media: { mimeType: 'image/png', data: pngOf(100, 100) },
    }
    const messages: Message[] = []
    let before: readonly Message[] = []
    let rewrites = 0
    for (let count = 0; count < 300; count += 1) {
      messages.push(user(text(`look ${count}`), image), answer(text('seen')))
      const sent = prepared([...messages, user(text('go on'))]).request.messages.slice(0, -1)
      const kept = sent.slice(0, before.length)
      if (JSON.stringify(kept) !== JSON.stringify(before)) rewrites += 1
      const images = sent.flatMap(({ parts }) => parts).filter(({ type }) => type === 'image')
      expect(images.length).toBeLessThanOrEqual(100)
      before = sent
    }
    // Two hundred too many, twenty-five at a time.
    expect(rewrites).toBe(8)
  })
})

function broken(seed: number): Message[] {
  const { messages } = generateThread(seed, 20).log.build()
  return damage(messages, new Random(seed)).messages.filter(
    (message): message is Message => message.role !== 'system',
  )
}
