// What `compact` and a compactor give back is accepted by the providers: all strategies, on random conversations
import { describe, expect, it } from 'vitest'
import { compact } from '../../src/compactor/compact.ts'
import { createCompactor } from '../../src/compactor/compactor.ts'
import { PrecisError } from '../../src/core/errors.ts'
import type { Json } from '../../src/core/text/json.ts'
import type { Exchange } from '../../src/validate/rule.ts'
import { PROFILES, validate } from '../../src/validate/validate.ts'
import { generateMessages } from '../generate/message-arrays.ts'
import { seeds } from '../scale.ts'

const FORMATS = ['anthropic', 'openai-chat', 'openai-responses'] as const
type Format = (typeof FORMATS)[number]

const WITHOUT_MODEL = ['cascade', 'extract', 'prune', 'trim-tool-results', 'mask', 'drop-turns']
const WITH_MODEL = [
  'brief',
  'summarize',
  'ai-summarize',
  'keep-recent',
  'whole-summary',
  'fresh-session',
]
const SUMMARY = [
  '## Goal\nRepair the build.',
  '## Constraints & Preferences\n- none',
  '## Progress\n### Done\n- [x] files were read\n### In Progress\n- [ ] none\n### Blocked\n- none',
  '## Key Decisions\n- none',
  '## Next Steps\n1. Go on.',
  '## Critical Context\n- none',
].join('\n\n')

const tools = ['read', 'run', 'write'].map((name) => ({ name, input_schema: { type: 'object' } }))

/** Rules that the messages break. Several messages of one role in a row are merged by the providers. */
function broken(
  format: Format,
  messages: readonly object[],
  original: readonly object[] = messages,
): string[] {
  const last = messages.at(-1) as { role?: string } | undefined
  const isAnswered = format === 'anthropic' && last?.role === 'assistant'
  const list = isAnswered ? [...messages, { role: 'user', content: 'Go on.' }] : messages
  const request =
    format === 'openai-responses'
      ? { model: 'm', input: list }
      : format === 'anthropic'
        ? { model: 'm', max_tokens: 100, messages: list, tools }
        : { model: 'm', messages: list }
  const profile = { ...PROFILES[format], strict: false }
  const plain: unknown = JSON.parse(JSON.stringify(request))
  const earlier = format === 'openai-responses' ? answersOf(original) : []
  return validate(profile, plain, { earlier }).map(({ id, message }) => `${id} ${message}`)
}

/**
 * Answers in a row that were not so before, for backends that merge nothing (VALID-A3). Messages of the user may follow
 * each other: each stays the same object, and the API merges them.
 */
function answersInRow(messages: readonly object[], original: readonly object[]): string[] {
  return messages.flatMap((message, index) => {
    const before = messages[index - 1] ?? {}
    if (!isAnswer(message) || !isAnswer(before)) return []
    const [at, atBefore] = [original.indexOf(message), original.indexOf(before)]
    return at >= 0 && atBefore >= 0 && at === atBefore + 1 ? [] : [`messages[${index}]`]
  })
}

function isAnswer(message: object): boolean {
  const { role, getType } = message as { role?: string; getType?: () => string }
  return (getType?.call(message) ?? role) === (getType ? 'ai' : 'assistant')
}

/** The answers of a conversation, as the server remembers them: it knows which items had reasoning. */
function answersOf(items: readonly object[]): Exchange[] {
  const answers: object[][] = [[]]
  for (const item of items) {
    const { type, role } = item as { type?: string; role?: string }
    if (role === 'assistant' || type === 'reasoning' || type === 'function_call')
      answers.at(-1)?.push(item)
    else answers.push([])
  }
  return answers.map((output) => ({ request: {}, answer: { output } as unknown as Json }))
}

async function tryTo<T>(run: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await run()
  } catch (error) {
    if (PrecisError.is(error)) return undefined // no way below the budget, or nothing to do
    throw error
  }
}

describe.each(FORMATS)('messages of %s', (format) => {
  it.each(WITHOUT_MODEL)('are valid after %s', async (strategy) => {
    await expectValid(strategy)
  })

  it.each(WITH_MODEL)('are valid after %s', async (strategy) => {
    await expectValid(strategy, async () => SUMMARY)
  })

  async function expectValid(strategy: string, model?: () => Promise<string>): Promise<void> {
    let compacted = 0
    // What a model writes is the same each time: fewer conversations show as much of it.
    for (const seed of seeds(model ? 10 : 20)) {
      const { messages } = generateMessages(format, seed)
      const before = broken(format, messages)
      const whole = compact(messages, { budget: 1e9, format }).report.before.total
      for (const share of [0.7, 0.3]) {
        const options = { budget: Math.floor(whole * share), strategy, format }
        const made = await tryTo(() =>
          model ? compact(messages, { ...options, model }) : compact(messages, options),
        )
        if (!made?.changed) continue
        compacted += 1
        const after = broken(format, made.messages, messages).filter(
          (each) => !before.includes(each),
        )
        expect(after, `seed ${seed}, to ${share}`).toEqual([])
        if (format !== 'openai-responses')
          expect(answersInRow(made.messages, messages), `seed ${seed}, to ${share}`).toEqual([])
      }
    }
    expect(compacted).toBeGreaterThan(0)
  }

  it('are valid at each step of a loop', async () => {
    for (const seed of seeds(8)) {
      const { messages } = generateMessages(format, seed, 14)
      const compactor = createCompactor({ windowTokens: 6_000, format })
      for (let count = 1; count <= messages.length; count += 1) {
        const given = messages.slice(0, count)
        if (broken(format, given).length > 0) continue // a call that has no result yet
        const fitted = await tryTo(() => compactor.fit(given))
        if (fitted)
          expect(broken(format, fitted.messages, given), `seed ${seed}, ${count}`).toEqual([])
      }
    }
  })
})

/** Their providers merge what follows in one role; templates of models at home want answers that alternate. */
it.each(['ai-sdk', 'langchain'] as const)('answers of %s alternate as before', async (format) => {
  let compacted = 0
  for (const seed of seeds(10, 4)) {
    const { messages } = generateMessages(format, seed)
    const whole = compact(messages, { budget: 1e9, format }).report.before.total
    for (const strategy of WITHOUT_MODEL) {
      const budget = Math.floor(whole * 0.3)
      const made = await tryTo(() => compact(messages, { budget, strategy, format }))
      if (!made?.changed) continue
      compacted += 1
      expect(answersInRow(made.messages, messages), `seed ${seed}, ${strategy}`).toEqual([])
    }
  }
  expect(compacted).toBeGreaterThan(WITHOUT_MODEL.length)
})
