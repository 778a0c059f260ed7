// Every door of the library checks its options at once, also where there is nothing to do: the error names the option
import { HumanMessage } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import * as aiSdk from '../../src/adapters/ai-sdk.ts'
import * as anthropic from '../../src/adapters/anthropic.ts'
import * as langchain from '../../src/adapters/langchain.ts'
import * as mastra from '../../src/adapters/mastra.ts'
import * as openai from '../../src/adapters/openai.ts'
import { compact } from '../../src/compactor/compact.ts'
import { createCompactor } from '../../src/compactor/compactor.ts'
import { immediate } from '../../src/core/edit/strategy.ts'
import { PrecisError } from '../../src/core/errors.ts'
import * as light from '../../src/doors/light.ts'
import { createThreads } from '../../src/doors/threads.ts'
import { memoryStore, openJobs, openSqliteStore, openStore } from '../../src/stores/index.ts'
import { openPostgresStore } from '../../src/stores/postgres/open-postgres.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import { createCascade } from '../../src/strategies/ladder/cascade.ts'
import { createPrune } from '../../src/strategies/prune/prune.ts'

type Door = (options: never) => unknown
type Row = readonly [options: unknown, where: string, code?: string]

const SMALL = [{ role: 'user', content: 'Hello.' }]
const create = async () => ({})
const anthropicClient = {
  messages: { create },
  post: create,
  withOptions: () => ({ ...anthropicClient }),
}
const openaiClient = {
  chat: { completions: { create } },
  responses: { create },
  post: create,
  withOptions: () => ({ ...openaiClient }),
}
const model = async () => 'A summary.'

/** Wrong in the same way wherever a compaction is described. */
const COMPACTION: readonly Row[] = [
  [undefined, 'options'],
  [null, 'options'],
  [42, 'options'],
  [[], 'options'],
  [{ strategy: 'sumarize' }, 'sumarize', 'unknown-strategy'],
  [{ strategy: 'sumarize', model }, 'sumarize', 'unknown-strategy'],
  [{ strategy: 'brief' }, 'model', 'no-model'],
  [{ strategy: {} }, 'strategy'],
  [{ model: 'claude' }, 'model'],
  [{ instructions: 5 }, 'instructions'],
  [{ pins: 'x' }, 'pins'],
  [{ budgte: 5 }, 'budgte'],
]

const COMPACT: readonly Row[] = [
  ...COMPACTION,
  [{ budget: 0 }, 'budget'],
  [{ budget: '8k' }, 'budget'],
  [{ budget: Number.POSITIVE_INFINITY }, 'budget'],
  [{ pins: [5] }, 'pins[0]'],
  [{ pins: [{ role: 'user', content: 'Hello.' }] }, 'pins[0]'],
  [{ signal: 'stop' }, 'signal'],
  [{ nextPrompt: {} }, 'nextPrompt'],
]

const LOOP: readonly Row[] = [
  ...COMPACTION,
  [{ windowTokens: -1 }, 'windowTokens'],
  [{ at: 80 }, 'at'],
  [{ target: 0.9 }, 'target'],
  [{ pins: [SMALL[0]] }, 'pins'],
  [{ refs: 'yes' }, 'refs'],
  [{ store: {}, threadId: 't' }, 'store'],
  [{ threadId: 't' }, 'store'],
  [{ budget: 5 }, 'budget'],
]

const ADAPTER: readonly Row[] = [...LOOP, [{ format: 'anthropic' }, 'format']]
const FORMAT: Row = [{ format: 'xml' }, 'format', 'unknown-format']

const onTopOf = (base: object, door: Door): Door => {
  return (options: never) => door(onTop(base, options) as never)
}

function onTop(base: object, given: unknown): unknown {
  const isFields = typeof given === 'object' && given !== null && !Array.isArray(given)
  return isFields ? { ...base, ...given } : given
}

const toBudget = (door: Door) => onTopOf({ budget: 1_000_000 }, door)
const toWindow = (door: Door) => onTopOf({ windowTokens: 1_000_000 }, door)
const threads = createThreads()
const threadId = await threads.create({}, [{ type: 'USER_MESSAGE', data: 'Hello.' }])
const compactor = createCompactor({ windowTokens: 1_000_000 })
await compactor.fit(SMALL)

const DOORS: Readonly<Record<string, readonly [Door, readonly Row[]]>> = {
  compact: [toBudget((options) => compact(SMALL, options)), [...COMPACT, FORMAT]],
  'compact of precis/light': [
    toBudget((options) => light.compact(SMALL, options)),
    [...COMPACT, FORMAT, [{ strategy: 'prune' }, 'prune', 'unknown-strategy']],
  ],
  createCompactor: [toWindow(createCompactor), [...LOOP, FORMAT]],
  'createCompactor of precis/light': [toWindow(light.createCompactor), [...LOOP, FORMAT]],
  'prepareStep of precis/ai-sdk': [toWindow(aiSdk.prepareStep), ADAPTER],
  'compactionMiddleware of precis/ai-sdk': [toWindow(aiSdk.compactionMiddleware), ADAPTER],
  'compactionMiddleware of precis/langchain': [toWindow(langchain.compactionMiddleware), ADAPTER],
  'compactMessages of precis/langchain': [
    toBudget((options) => langchain.compactMessages([new HumanMessage('Hello.')], options)),
    [...COMPACT, [{ format: 'anthropic' }, 'format']],
  ],
  'compactionProcessor of precis/mastra': [toWindow(mastra.compactionProcessor), ADAPTER],
  'withCompaction of precis/anthropic': [
    toWindow((options) => anthropic.withCompaction(anthropicClient, options)),
    ADAPTER,
  ],
  'anthropicModel of precis/anthropic': [
    (options) => anthropic.anthropicModel(anthropicClient, options),
    [
      [undefined, 'options'],
      [{}, 'model'],
      [{ model: 'claude', maxTokens: 5 }, 'maxTokens'],
    ],
  ],
  'clients of precis/anthropic': [
    (client) => anthropic.withCompaction(client, { windowTokens: 9 }),
    [
      [undefined, 'client'],
      [openaiClient, 'client'],
    ],
  ],
  'withCompaction of precis/openai': [
    toWindow((options) => openai.withCompaction(openaiClient, options)),
    ADAPTER,
  ],
  'withCompaction of precis/openai, with a compactor': [
    (options) => openai.withCompaction(openaiClient, options),
    [[compactor, 'options']],
  ],
  'openaiModel of precis/openai': [
    (options) => openai.openaiModel(openaiClient, options),
    [
      [undefined, 'options'],
      [{ model: 5 }, 'model'],
      [{ model: 'gpt', temperature: 1 }, 'temperature'],
    ],
  ],
  'clients of precis/openai': [
    (client) => openai.withCompaction(client, { windowTokens: 9 }),
    [
      [undefined, 'client'],
      [anthropicClient, 'client'],
    ],
  ],
  createThreads: [
    createThreads,
    [
      [null, 'options'],
      [{ stores: memoryStore() }, 'stores'],
      [{ store: 'sqlite:x.db' }, 'store'],
      [{ clock: Date }, 'clock'],
      [{ ids: () => 'x' }, 'ids'],
      [{ strategies: 'cascade' }, 'strategies'],
      [{ strategies: ['cascade'] }, 'strategies'],
      [{ strategies: new Set([5]) }, 'strategies'],
      [{ reducers: [{}] }, 'reducers'],
    ],
  ],
  'threads.compact': [
    (options) => threads.compact(threadId, 'cascade', options),
    [
      [null, 'options'],
      [{ budget: 0 }, 'budget'],
      [{ targetTokens: -5 }, 'targetTokens'],
      [{ bugdet: 5 }, 'bugdet'],
      [{ trigger: 'manual' }, 'trigger'],
      [{ provider: 'claude' }, 'provider'],
      [{ instructions: 7 }, 'instructions'],
    ],
  ],
  'threads.prepare': [
    (options) => threads.prepare(threadId, 'cascade', options),
    [[{ bugdet: 5 }, 'bugdet']],
  ],
  'threads.append': [
    (choices) => threads.append(threadId, [{ type: 'USER_MESSAGE', data: 'x' }], choices),
    [
      [{ expectVersion: 3 }, 'expectVersion'],
      [{ expectedVersion: -1 }, 'expectedVersion'],
      [{ openCalls: 'keep' }, 'openCalls'],
    ],
  ],
  createCascade: [
    createCascade,
    [
      [undefined, 'rungs'],
      [{ strategy: DEFAULT_STRATEGIES[0] }, 'rungs'],
      [[DEFAULT_STRATEGIES[0]], 'id'],
      [[{ strategy: 'prune' }], 'strategy'],
      [[{ strategy: DEFAULT_STRATEGIES[0], isLossy: 1 }], 'isLossy'],
    ],
  ],
  createPrune: [
    createPrune,
    [
      ['progress', 'names'],
      [[5], 'names'],
      [['progres'], 'progres'],
    ],
  ],
  immediate: [
    immediate,
    [
      [undefined, 'id'],
      [{ proposeNow: () => ({ edits: [] }) }, 'id'],
      [{ id: 'mine', propose: () => ({ edits: [] }) }, 'proposeNow'],
    ],
  ],
  openStore: [
    (options) => openStore('memory:', options),
    [
      [null, 'options'],
      [{ mustexist: true }, 'mustexist'],
      [{ mustExist: 'yes' }, 'mustExist'],
      [{ cwd: 5 }, 'cwd'],
    ],
  ],
  openSqliteStore: [
    (options) => openSqliteStore('x.db', options),
    [[{ busyTimeout: 5 }, 'busyTimeout']],
  ],
  openPostgresStore: [
    (options) => openPostgresStore('postgres://127.0.0.1/x', options),
    [[{ poolSize: 5 }, 'poolSize']],
  ],
  openJobs: [
    (options) => openJobs('memory:', memoryStore(), options),
    [[{ jobsAtOnse: 5 }, 'jobsAtOnse']],
  ],
  'compactor.fit, its usage': [
    (usage) => compactor.fit(SMALL, usage),
    [
      [5, 'usage'],
      ['many', 'usage'],
    ],
  ],
  'compactor.fit, its signal': [
    (signal) => compactor.fit(SMALL, undefined, signal),
    [[{ abort: true }, 'signal']],
  ],
  'compactor.pin': [
    (pin) => compactor.pin(pin),
    [
      [undefined, 'pin'],
      [5, 'pin'],
    ],
  ],
  'compactor.on': [(event) => compactor.on(event, () => undefined), [['compactions', 'event']]],
  'compactor.recall': [
    (options) => compactor.recall('Hello', options),
    [
      [{ offset: -1 }, 'offset'],
      [{ limit: 0 }, 'limit'],
      [{ page: 2 }, 'page'],
    ],
  ],
}

describe.each(Object.entries(DOORS))('%s', (_, [door, rows]) => {
  it.each(rows)('refuses %o and names %s', async (options, where, code = 'invalid-input') => {
    const error = await thrownBy(() => door(options as never))
    expect(PrecisError.is(error) && [error.code, error.where], String(error)).toEqual([code, where])
  })
})

it('takes every strategy that there is, by its id', () => {
  for (const { id } of DEFAULT_STRATEGIES) {
    expect(() => createCompactor({ windowTokens: 9, strategy: id, model })).not.toThrow()
    expect(() => light.createCompactor({ windowTokens: 9, strategy: id, model })).not.toThrow()
  }
})

it('takes strategies that can be read only once', () => {
  const { strategyIds } = createThreads({ strategies: DEFAULT_STRATEGIES.values() })
  expect(strategyIds()).toEqual(DEFAULT_STRATEGIES.map(({ id }) => id))
})

async function thrownBy(run: () => unknown): Promise<unknown> {
  try {
    await run()
  } catch (error) {
    return error
  }
  return undefined
}
