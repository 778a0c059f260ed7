// The library's `createThreads`: everything has a default, and options are checked.
import type { Committed, CompactionPlan, Refused } from '../compaction/plan.ts'
import type { Strategy } from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import * as option from '../core/options.ts'
import type { Json } from '../core/text/json.ts'
import type { Built } from '../core/view/build.ts'
import { memoryStore } from '../stores/memory/memory.ts'
import { DEFAULT_STRATEGIES } from '../strategies/index.ts'
import { randomIds, systemClock } from '../system.ts'
import {
  type AppendChoices,
  createThreads as createThreadsOn,
  type Threads as StoredThreads,
  type ThreadsOptions,
} from '../threads/threads.ts'
import { wireMessages } from '../wire/anthropic/write.ts'
import { WireNames } from '../wire/names.ts'
import { chatMessages } from '../wire/openai-chat/messages.ts'
import { OPENAI_CHAT } from '../wire/openai-chat/profile.ts'
import { inputItems, OPENAI_RESPONSES } from '../wire/openai-responses/items.ts'

/** `budget` is the target in estimated tokens. */
export type ThreadCompaction = Omit<
  Partial<CompactionPlan>,
  'strategies' | 'acceptableTokens' | 'lastResort' | 'isOverfull' | 'targetTokens'
> & {
  readonly budget?: number | undefined
  /** @deprecated Use `budget`. */
  readonly targetTokens?: number | undefined
}

export interface Threads extends Omit<StoredThreads, 'messages' | 'compact' | 'prepare'> {
  /** The messages for a provider: neutral, or in the named format. */
  messages(threadId: string): Promise<Built>
  messages(threadId: string, format: WireFormat): Promise<WireMessages>
  compact(
    threadId: string,
    strategy: string | Strategy,
    options?: ThreadCompaction,
  ): Promise<Committed | Refused>
  prepare(
    threadId: string,
    strategy: string | Strategy,
    options?: ThreadCompaction,
  ): ReturnType<StoredThreads['prepare']>
}

const CHECKS: option.Checks<ThreadsOptions> = {
  store: option.optional(option.having('append', 'read')),
  clock: option.optional(option.having('now', 'sleep')),
  ids: option.optional(option.having('next')),
  strategies: option.optional(option.listOf(option.strategyObject)),
  reducers: option.optional(option.listOf(option.having('init', 'step'))),
}

const TRIGGERS = ['command', 'tool', 'auto', 'overflow', 'background', 'import'] as const

const COMPACTION_CHECKS: option.Checks<ThreadCompaction> = {
  budget: option.optional(option.positive),
  targetTokens: option.optional(option.positive),
  minTokens: option.optional(option.count),
  trigger: option.optional(option.oneOf(...TRIGGERS)),
  instructions: option.optional(option.text),
  nextPrompt: option.optional(option.text),
  pins: option.optional(option.listOf(option.object)),
  pinning: option.optional(option.object),
  provider: option.optional(option.having('ask')),
  model: option.optional(option.text),
  fastModel: option.optional(option.text),
  form: option.optional(option.oneOf('conversation', 'apart')),
  windowTokens: option.optional(option.positive),
  capacityTokens: option.anything,
  signal: option.optional(option.signal),
  expectedVersion: option.optional(option.count),
  timestamp: option.optional(option.having('toISOString')),
  runId: option.optional(option.text),
  agent: option.anything,
  toolExecutor: option.anything,
  tools: option.optional(option.list),
  thinking: option.anything,
  scratch: option.optional(option.having('get', 'set', 'clear')),
  onProgress: option.optional(option.callback),
  onWarning: option.optional(option.callback),
  settings: option.optional(option.object),
  fallback: option.optional(option.object),
}

const APPEND_CHECKS: option.Checks<AppendChoices> = {
  expectedVersion: option.optional(option.count),
  openCalls: option.optional(option.oneOf('close', 'leave')),
}

/**
 * Threads over a store. Defaults: in memory, the machine's clock, random ids, and all strategies of précis.
 */
export function createThreads(options: Partial<ThreadsOptions> = {}): Threads {
  const listed = isIterable(options?.strategies) && { strategies: [...options.strategies] }
  option.checkOptions('createThreads', options && { ...options, ...listed }, CHECKS)
  const stored = createThreadsOn({
    store: memoryStore(),
    clock: systemClock,
    ids: randomIds,
    strategies: DEFAULT_STRATEGIES,
    ...options,
    ...listed,
  })
  const messages = async (threadId: string, format?: WireFormat) => {
    const built = await stored.messages(threadId)
    return format === undefined ? built : writeFor(format, built)
  }
  return {
    ...stored,
    append: async (threadId, drafts, choices = {}) => {
      option.checkOptions('append', choices, APPEND_CHECKS)
      return stored.append(threadId, drafts, choices)
    },
    messages: messages as Threads['messages'],
    compact: async (threadId, strategy, given) =>
      stored.compact(threadId, strategy, planned('compact', given)),
    prepare: async (threadId, strategy, given) =>
      stored.prepare(threadId, strategy, planned('prepare', given)),
  }
}

function planned(of: string, given: ThreadCompaction = {}): Partial<CompactionPlan> {
  option.checkOptions(of, given, COMPACTION_CHECKS)
  const { budget, targetTokens, ...options } = given
  const tokens = budget ?? targetTokens
  return tokens === undefined ? options : { ...options, targetTokens: tokens }
}

/** Any iterable but a text; some can be read only once. */
function isIterable(value: unknown): value is Iterable<Strategy> {
  return typeof value === 'object' && typeof Object(value)[Symbol.iterator] === 'function'
}

export type WireFormat = 'anthropic' | 'openai-chat' | 'openai-responses'

export interface WireMessages {
  /**
   * The system prompts as one text: `system` of Anthropic, `instructions` of Responses; '' if there are none.
   */
  readonly system: string
  /** Ready to send. For Chat Completions the system prompt is the first one. */
  readonly messages: Json[]
  /** What the API cannot express, and how it was handled. */
  readonly problems: readonly string[]
}

function writeFor(format: WireFormat, { system: prompts, messages }: Built): WireMessages {
  const found = new Set<string>()
  const note = (problem: string) => void found.add(problem)
  const system = prompts.join('\n\n')
  const written = write()
  return { system, messages: written, problems: [...found] }

  function write(): Json[] {
    switch (format) {
      case 'anthropic':
        return wireMessages(messages, note)
      case 'openai-chat': {
        const head = system === '' ? [] : [{ role: 'system', content: system }]
        return [...head, ...chatMessages(messages, OPENAI_CHAT, new WireNames(note), note)]
      }
      case 'openai-responses':
        return [...inputItems(messages, OPENAI_RESPONSES, new WireNames(note), note)]
      default:
        throw new PrecisError('unknown-format', `Unknown format of messages: ${format}.`, {
          where: 'format',
          hint: 'Formats: anthropic, openai-chat, openai-responses.',
        })
    }
  }
}
