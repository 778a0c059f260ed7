// Golden: what the strategies that ask a model send to it, and what they make of its answers.
import { describe, it } from 'vitest'
import type { CompactionContext, StrategyInput } from '../../src/core/edit/strategy.ts'
import type { AskRequest, ConverseRequest, ModelLimits, ModelPort } from '../../src/core/ports.ts'
import { weightOf } from '../../src/core/view/context.ts'
import { chunkedFold } from '../../src/strategies/fold/chunked-fold.ts'
import { chunkMessages, renderThreadToMarkdown } from '../../src/strategies/fold/render-thread.ts'
import { checkpointRange, wholeSummary } from '../../src/strategies/ranges/agent-replacements.ts'
import { brief } from '../../src/strategies/summary/brief.ts'
import { exactFacts } from '../../src/strategies/summary/exact-facts.ts'
import { freshSession } from '../../src/strategies/summary/fresh-session.ts'
import { keepRecent } from '../../src/strategies/summary/keep-recent.ts'
import { serializeConversation } from '../../src/strategies/summary/serialize.ts'
import {
  aiSummarize,
  summarize,
  wholeSummaryByModel,
} from '../../src/strategies/summary/whole-summary.ts'
import { Random } from '../generate/random.ts'
import { randomReplacements } from '../generate/ranges.ts'
import type { TestLog } from '../generate/test-log.ts'
import { generateThread } from '../generate/thread.ts'
import { digestOf, expectGolden, settledOf } from './golden.ts'
import { messageLines, openSample, SAMPLES, seeds } from './subjects.ts'

const STRATEGIES = [
  brief,
  summarize,
  aiSummarize,
  keepRecent,
  wholeSummaryByModel,
  chunkedFold,
  freshSession,
]
/** More edits are told by their digest. */
const MOST_EDITS = 5
const USAGE = { promptTokens: 90, completionTokens: 10, totalTokens: 100 }

type Asked = AskRequest | ConverseRequest

const NAMES = 30

/** The first exact names that it was sent: a summary without any would give way to the brief. */
function namesIn({ messages }: AskRequest): string {
  const said = messages
    .slice(0, -1)
    .flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')))
  return [...exactFacts(said.join('\n'))].slice(0, NAMES).join(', ')
}

/** Answers under the headings that it is asked for; names one file that nobody mentioned. */
function scripted(limits: ModelLimits = {}): ModelPort & { readonly asked: Asked[] } {
  const asked: Asked[] = []
  return {
    asked,
    limitsOf: async () => limits,
    async ask(request) {
      asked.push(request)
      const last = request.messages.at(-1)?.parts.at(-1)
      const headings = last?.type === 'text' ? (last.text.match(/^#+ .+$/gm) ?? []) : []
      const worked = [...headings, 'Summary:'].map(
        (heading) => `${heading}\nThey worked on src/invented.ts and on the parser.`,
      )
      const text = [...worked, namesIn(request)].join('\n\n')
      return { text, stopReason: 'end', usage: USAGE }
    },
    async converse(request) {
      asked.push(request)
      if (request.messages.length > 1) {
        const message = { role: 'assistant', parts: [{ type: 'text', text: 'Done.' }] } as const
        return { message, calls: [], stopReason: 'end', usage: USAGE }
      }
      const script = `file /summary.md\ninsert_after <<X\nPart ${asked.length}, src/invented.ts.\nX`
      const call = { id: `call_${asked.length}`, name: 'edl', arguments: { script } }
      const message = { role: 'assistant', parts: [{ type: 'tool_call', ...call }] } as const
      return { message, calls: [call], stopReason: 'tool_use', usage: USAGE }
    },
  }
}

function requestLines({ system, messages, signal, ...rest }: Asked) {
  const lines = messageLines(messages)
  const { tools, within, ...facts } = { tools: undefined, within: undefined, ...rest }
  const shown = lines.length < 4 ? lines : [...lines.slice(0, 1), digestOf(lines), lines.at(-1)]
  return {
    ...facts,
    hasSignal: signal !== undefined,
    system,
    asked: digestOf({ tools, within }),
    count: lines.length,
    shown,
  }
}

const RUNS: Readonly<Record<string, Partial<CompactionContext>>> = {
  'as it is': {},
  apart: {
    form: 'apart',
    fastModel: 'fast',
    windowTokens: 200_000,
    signal: new AbortController().signal,
  },
  'in the conversation': {
    form: 'conversation',
    model: 'large',
    tools: [{ name: 'read', description: 'Reads.', inputSchema: {} }],
    thinking: { effort: 'low' },
  },
}
const LIMITS: readonly ModelLimits[] = [
  {},
  { windowTokens: 12_000, outputTokens: 2_000 },
  { windowTokens: 3_000, outputTokens: 500 },
]

async function answered(log: TestLog, at: number, more: Partial<StrategyInput> = {}) {
  const rows: Record<string, unknown> = {}
  const { context, eventAt, threadId } = log
  for (const strategy of STRATEGIES) {
    for (const [name, run] of Object.entries(RUNS)) {
      const provider = scripted(LIMITS[at % LIMITS.length])
      const progress: string[] = []
      const proposal = await settledOf(
        strategy.propose({
          context,
          eventAt,
          trigger: 'command',
          ...more,
          run: {
            threadId,
            provider,
            onProgress: ({ message, done, total }) => progress.push(`${done}/${total} ${message}`),
            onWarning: (message) => progress.push(message),
            ...run,
          },
        }),
      )
      const committed = 'threw' in proposal ? undefined : log.copy().gate(proposal)
      const refusal = committed && !committed.ok ? committed.refusal : undefined
      const requests = provider.asked.map(requestLines)
      rows[`${strategy.id}, ${name}`] = {
        requests:
          requests.length < 4 ? requests : [requests[0], digestOf(requests), requests.at(-1)],
        progress: progress.length < 5 ? progress : digestOf(progress),
        proposal:
          'edits' in proposal && proposal.edits.length > MOST_EDITS ? digestOf(proposal) : proposal,
        refusal,
      }
    }
  }
  return rows
}

describe('strategies that ask a model', () => {
  it.each(SAMPLES)('on the sample %s', async (name) => {
    const { log } = await openSample(name)
    const more = {
      instructions: 'Mind the tests.',
      nextPrompt: 'Go on.',
      targetTokens: Math.floor(weightOf(log.context) * 0.5),
    }
    await expectGolden(`asking-${name}`, await answered(log, SAMPLES.indexOf(name), more))
  })

  it.each(seeds(3))('on random thread %i', async (seed) => {
    const { log } = generateThread(seed + 400, 20)
    await expectGolden(`asking-thread-${seed}`, await answered(log, seed))
  })

  it('serialize and render a conversation', async () => {
    const rows = seeds(8).map((seed) => {
      const { log } = generateThread(seed + 500, 12)
      const transcript = serializeConversation(log.context.items.toArray(), log.eventAt)
      const { messages } = log.build()
      const rendered = renderThreadToMarkdown(messages)
      const chunks = chunkMessages(rendered.markdown, rendered.messageBoundaries, 900, 200)
      return { seed, transcript, rendered, chunks: chunks.map(({ length }) => length) }
    })
    await expectGolden('asking-transcripts', rows)
  })

  it('replace what the agent itself names', async () => {
    const rows: unknown[] = []
    for (const seed of seeds(25)) {
      const random = new Random(seed)
      const { log } = generateThread(seed + 600, 14)
      const { context, eventAt, threadId } = log
      const checkpoints = log.events.flatMap((event) =>
        event.type === 'CHECKPOINT' ? [event.data.id] : [],
      )
      const replacements = randomReplacements(checkpoints, random)
      const [open] = context.open
      const closes = seed % 3 === 0 ? 'call_nowhere' : open
      const input = { context, eventAt, run: { threadId }, trigger: 'tool' } as const
      const files = [
        { path: 'a.ts', content: 'const a = 1' },
        { path: 'b.ts', error: 'not found' },
      ]
      const whole = { summary: seed % 5 === 0 ? ' ' : 'All of it.', files, continuation: 'Go on.' }
      rows.push({
        seed,
        replacements,
        ranges: await settledOf(checkpointRange(replacements, closes).propose(input)),
        whole: await settledOf(wholeSummary(whole, closes).propose(input)),
      })
    }
    await expectGolden('asking-by-agent', rows)
  })
})
