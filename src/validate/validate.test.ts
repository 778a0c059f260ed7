// Validation as a whole: the right rules for a profile, in a fixed order, for any JSON, in linear time.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assistant, everyKind, result, text, use, user } from '../../test/anthropic-examples.ts'
import { runs } from '../../test/scale.ts'
import type { Json } from '../core/text/json.ts'
import type { Exchange, Profile, Violation } from './rule.ts'
import { PROFILES, validate } from './validate.ts'

const profiles: readonly Profile[] = Object.values(PROFILES)
const readIds = (violations: readonly Violation[]) => violations.map(({ id }) => id)

describe('validate', () => {
  it.each([undefined, {}, 'anthropic', { messages: [] }])(
    'says what a profile is, not %j',
    (given) => {
      const refused = { code: 'invalid-input', hint: expect.stringContaining('PROFILES.anthropic') }
      expect(() => validate(given as never, {})).toThrow(expect.objectContaining(refused))
    },
  )

  it('asks the rules of the profile’s wire, and of its backend', () => {
    expect(readIds(validate(PROFILES.anthropic, {}))).toEqual(['VALID-A1'])
    expect(validate(PROFILES.anthropic, everyKind)).toEqual([])
    const blank = { tools: [{ name: 'read' }], messages: [user([text(' ')])] }
    expect(readIds(validate(PROFILES.bedrock, blank))).toEqual(['VALID-A9', 'VALID-O2'])
    const chat = { messages: [user('hi'), assistant('')] }
    expect(readIds(validate(PROFILES['openai-chat'], chat))).toEqual(['VALID-C4'])
    const output = { type: 'function_call_output', call_id: 'a', output: 'ok' }
    expect(readIds(validate(PROFILES['openai-responses'], { input: [output] }))).toEqual([
      'VALID-R1',
    ])
    const model = { role: 'model', parts: [{ text: 'hi' }] }
    expect(
      readIds(validate(PROFILES.gemini, { contents: [model, { ...model, role: 'user' }] })),
    ).toEqual(['VALID-G1'])
  })

  it('holds requests to the role rules of the strict reading', () => {
    const request = {
      messages: [assistant('hello'), user('a'), user('b'), assistant(''), user('c')],
    }
    const found = validate(PROFILES.anthropic, request).map(({ id, where }) => `${where} ${id}`)
    expect(found).toEqual([
      'messages[0] VALID-A2',
      'messages[2] VALID-A3',
      'messages[3].content VALID-A1',
    ])
  })

  it('reports in the order of the places, then of the rules', () => {
    const messages = Array.from({ length: 12 }, () => user(''))
    const request = { max_tokens: 1, tools: [{ name: '?' }], messages }
    const places = validate(PROFILES.anthropic, request).map(({ where }) => where)
    const numbers = places.flatMap((place) => /messages\[(\d+)/.exec(place)?.[1] ?? []).map(Number)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(places.at(-1)).toBe('tools[0].name')
    const twice = { messages: [user('a'), user([thought, { type: 'text' }])] }
    expect(validate(PROFILES.anthropic, twice).map(({ id, where }) => [where, id])).toEqual([
      ['messages[1]', 'VALID-A3'],
      ['messages[1].content[0]', 'VALID-A12'],
      ['messages[1].content[1].text', 'VALID-A9'],
    ])
  })

  it('never throws and always says the same, for any JSON at all', () => {
    const value = fc.jsonValue({ stringUnit: 'binary' }) as fc.Arbitrary<Json>
    fc.assert(
      fc.property(value, value, value, (request, before, answer) => {
        for (const profile of profiles) checkSound(profile, request, [{ request: before, answer }])
      }),
      runs(500),
    )
    for (const odd of [undefined, Number.NaN, () => 1]) {
      for (const profile of profiles) expect(() => validate(profile, odd)).not.toThrow()
    }
  })

  it('never throws for a valid request with something broken in it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ORIGINALS),
        fc.array(mutation, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...profiles),
        (original, mutations, profile) => {
          const request = mutations.reduce<Json>(mutate, structuredClone(original))
          checkSound(profile, request, EARLIER)
          checkSound(profile, original, [{ request, answer: request }, ...EARLIER])
        },
      ),
      runs(1_500),
    )
  })

  it('survives values that are deeper than any stack', () => {
    let deep: Json = 'end'
    for (let depth = 0; depth < 100_000; depth += 1) deep = { content: [deep], type: 'tool_result' }
    const request = {
      messages: [deep, { role: 'user', content: [deep] }],
      system: deep,
      tools: [deep],
    }
    for (const profile of profiles) {
      expect(() =>
        validate(profile, request, { earlier: [{ request, answer: deep }] }),
      ).not.toThrow()
    }
  })

  it('reads a request in proportion to its size, with and without history', () => {
    for (const earlierOf of [() => [], findHistory]) {
      const reads = (size: number) => {
        const [request, count] = counted(longRequest(size))
        validate(PROFILES.anthropic, request, { earlier: earlierOf(size) })
        return count()
      }
      expect(reads(400)).toBeLessThan(reads(200) * 2.1)
    }
  })
})

const thought = { type: 'thinking', thinking: 'Hm.', signature: 's1' }
const block = { type: 'compaction', content: 'They spoke.', signature: 'c1' }
const ORIGINALS = [
  everyKind,
  {
    ...everyKind,
    messages: [
      assistant([block]),
      user('hi'),
      assistant([thought, use('a')]),
      user([result('a')]),
      { role: 'system', content: 'be brief' },
    ],
  },
] as unknown as readonly Json[]
const EARLIER = [
  {
    request: { ...everyKind, compaction: {} },
    answer: { content: [block], stop_reason: 'compaction' },
  },
  { request: { messages: [user('hi')] }, answer: assistant([thought, use('a')]) },
] as unknown as readonly Exchange[]

/** The same twice, with ids, places and words. */
function checkSound(profile: Profile, request: Json, earlier: readonly Exchange[]): void {
  const found = validate(profile, request, { earlier, requestTokens: 10 })
  expect(validate(profile, structuredClone(request), { earlier, requestTokens: 10 })).toEqual(found)
  for (const { id, where, message } of found) {
    expect(id).toMatch(/^VALID-[A-Z]\d+$/)
    expect(where).not.toBe('')
    expect(message).not.toBe('')
  }
}

/** Which of all values, and what becomes of it. */
const mutation = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('replace', 'remove', 'repeat', 'swap'),
  by: fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom(
      'user',
      'assistant',
      'system',
      'tool_use',
      'tool_result',
      'thinking',
      'text',
      'a',
    ),
  ) as fc.Arbitrary<Json>,
})
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never

function mutate(value: Json, { at, how, by }: Mutation): Json {
  const holders: { holder: Json[] | Record<string, Json>; key: string }[] = []
  const waiting: Json[] = [value]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue
    for (const [key, item] of Object.entries(next)) {
      holders.push({ holder: next as Record<string, Json>, key })
      waiting.push(item)
    }
  }
  const { holder, key } = holders[at % holders.length] ?? { holder: [], key: '0' }
  if (!Array.isArray(holder)) {
    if (how === 'remove') delete holder[key]
    else holder[key] = by
    return value
  }
  const index = Number(key)
  const item = holder[index] ?? null
  if (how === 'remove') holder.splice(index, 1)
  else if (how === 'repeat') holder.splice(index, 0, structuredClone(item))
  else if (how === 'swap') holder.splice(0, 2, holder[1] ?? null, holder[0] ?? null)
  else holder[index] = by
  return value
}

/** Rounds with thinking, parallel calls, results and marks. */
function longRequest(rounds: number): Json {
  const messages = Array.from({ length: rounds }, (_, index) => [
    assistant([
      { ...thought, signature: `s${index}` },
      text('so'),
      use(`a${index}`),
      use(`b${index}`),
    ]),
    user([result(`a${index}`, [text('ok')]), result(`b${index}`)]),
  ])
  return {
    tools: [{ name: 'read', input_schema: {} }],
    messages: [user('hi'), ...messages.flat()],
  } as never
}

/** A dozen of the requests that led there. */
function findHistory(rounds: number): Exchange[] {
  const { messages, ...rest } = longRequest(rounds) as { messages: readonly Json[] }
  return Array.from({ length: 12 }, (_, index) => ({
    request: { ...rest, messages: messages.slice(0, 2 * index + 1) },
    answer: messages[2 * index + 1] ?? null,
  }))
}

/** The same value, with a counter of fields and items read. */
function counted(value: Json): readonly [Json, () => number] {
  let reads = 0
  const wrap = (each: unknown): unknown =>
    typeof each !== 'object' || each === null
      ? each
      : new Proxy(each, {
          get(target, key, receiver) {
            reads += 1
            return wrap(Reflect.get(target, key, receiver))
          },
        })
  return [wrap(value) as Json, () => reads]
}
