// Requests made of any thread are valid, and their cache marks stand where the prefix is stable.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { generateThread } from '../../../test/generate/thread.ts'
import { runs } from '../../../test/scale.ts'
import type { ModelRequest } from '../../core/model.ts'
import type { Json } from '../../core/text/json.ts'
import { buildMessages } from '../../core/view/build.ts'
import type { Message } from '../../core/view/message.ts'
import { PROFILES, validate } from '../../validate/validate.ts'
import { buildWire, type Target } from './body.ts'

const TARGET: Target = { provider: 'anthropic', thinkingStyle: 'adaptive' }
const TOOLS = ['read', 'write'].map((name) => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
}))

function request(messages: readonly Message[], system: readonly string[] = []): ModelRequest {
  return {
    model: 'm',
    system,
    messages,
    tools: TOOLS,
    toolChoice: 'auto',
    maxOutputTokens: 4_000,
    cache: true,
  }
}

/** The context of a random thread, with a question at its end as in every real request. */
function buildContext(
  seed: number,
  steps: number,
): { messages: Message[]; system: readonly string[] } {
  const { log } = generateThread(seed, steps)
  const { messages, system } = buildMessages(log.state.context, log.eventAt)
  const question: Message = { role: 'user', parts: [{ type: 'text', text: 'And now?' }] }
  return { messages: [...messages, question], system }
}

const seeds = fc.integer({ min: 0, max: 1_000_000 })

describe('the body of a request', () => {
  it('breaks no rule, whatever the thread went through', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 0, max: 40 }), (seed, steps) => {
        const { messages, system } = buildContext(seed, steps)
        for (const thinkingStyle of ['adaptive', 'budget'] as const) {
          const wish = { ...request(messages, system), thinking: { budgetTokens: 2_000 } }
          const { body, betas } = buildWire(wish, { ...TARGET, thinkingStyle })
          expect(validate(PROFILES.anthropic, { ...body, betas })).toEqual([])
        }
      }),
      runs(150),
    )
  })
})

describe('cache marks', () => {
  /** Places of the marks, and the body without them. */
  function marksOf(value: Json | undefined, place = ''): string[] {
    if (typeof value !== 'object' || value === null) return []
    const own = 'cache_control' in value ? [place] : []
    return [
      ...own,
      ...Object.entries(value).flatMap(([key, inner]) => marksOf(inner, `${place}.${key}`)),
    ]
  }
  const marked = (messages: readonly Message[], system: readonly string[]) =>
    buildWire(request(messages, system), TARGET).body

  it('stand on the last tool, the last system text and the last two turns of the user', () => {
    const text = (text: string) => ({ type: 'text', text }) as const
    const messages: Message[] = [
      { role: 'user', parts: [text('One')] },
      { role: 'assistant', parts: [text('1')] },
      { role: 'user', parts: [text('Two'), text('and more')] },
      { role: 'assistant', parts: [text('2')] },
      { role: 'user', parts: [text('Three')] },
    ]
    expect(marksOf(marked(messages, ['First', 'Second', '  ']))).toEqual([
      '.system.1',
      '.tools.1',
      '.messages.2.content.1',
      '.messages.4.content.0',
    ])
  })

  it('are four at most, each where the API takes one, and the same for the same request', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 0, max: 30 }), (seed, steps) => {
        const { messages, system } = buildContext(seed, steps)
        const body = marked(messages, system)
        expect(marksOf(body).length).toBeLessThanOrEqual(4)
        expect(validate(PROFILES.anthropic, body).map(({ id }) => id)).not.toContain('VALID-A17')
        expect(marked(messages, system)).toEqual(body)
      }),
      runs(60),
    )
  })

  it('of a longer conversation hold the place that the shorter one wrote, behind the same bytes', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 0, max: 30 }), (seed, steps) => {
        const { messages, system } = buildContext(seed, steps)
        const longer: Message[] = [
          ...messages,
          { role: 'assistant', parts: [{ type: 'text', text: 'So be it.' }] },
          { role: 'user', parts: [{ type: 'text', text: 'Go on.' }] },
        ]
        const before = marked(messages, system)
        const after = marked(longer, system)
        const written = marksOf(before)
          .filter((place) => place.startsWith('.messages'))
          .at(-1)
        expect(marksOf(after)).toContain(written)
        const count = (before.messages as readonly Json[]).length
        const kept = (after.messages as readonly Json[]).slice(0, count)
        expect(kept.map(unmarked)).toEqual((before.messages as readonly Json[]).map(unmarked))
      }),
      runs(60),
    )
  })
})

/** A message as the API reads it: a text alone and a block of it are the same, marks are no content. */
function unmarked(message: Json): Json {
  const { role, content } = message as { role: string; content: string | readonly Json[] }
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return {
    role,
    content: blocks.map((block) => {
      const { cache_control: _mark, ...rest } = block as Record<string, Json>
      return rest
    }),
  }
}
