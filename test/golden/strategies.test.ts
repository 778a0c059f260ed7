// Golden: what the strategies without a model make of the samples and of random threads, at several budgets.
import { describe, it } from 'vitest'
import type { Proposal, Strategy } from '../../src/core/edit/strategy.ts'
import type { PinData } from '../../src/core/log/event.ts'
import { weightOf } from '../../src/core/view/context.ts'
import { contentOf } from '../../src/core/view/entry-content.ts'
import { dropTurns } from '../../src/strategies/drop-turns.ts'
import { extract } from '../../src/strategies/extract/extract.ts'
import { cascade } from '../../src/strategies/ladder/ladder.ts'
import { mask } from '../../src/strategies/mask.ts'
import { createPrune, PRUNE_NAMES, prune } from '../../src/strategies/prune/prune.ts'
import { trimToolResults } from '../../src/strategies/trim.ts'
import type { TestLog } from '../generate/test-log.ts'
import { generateThread } from '../generate/thread.ts'
import { digestOf, expectGolden, settledOf } from './golden.ts'
import { prunable } from './prunable.ts'
import { itemLine, openSample, SAMPLES, seeds } from './subjects.ts'

const STRATEGIES = [extract, cascade, prune, trimToolResults, mask, dropTurns]
/** So many new entries are shown, the others as digests. */
const SHOWN = 3
const BUDGETS = [0.6, 0.3, 0.1] as const

interface Choices {
  readonly targetTokens?: number
  readonly pins?: readonly PinData[]
}

async function proposed(strategy: Strategy, log: TestLog, choices: Choices = {}) {
  const { context, eventAt, reduce, threadId } = log
  const settled = await settledOf(
    strategy.propose({
      context,
      eventAt,
      run: { threadId },
      trigger: 'command',
      reduce,
      nextPrompt: 'Go on with the failing test.',
      ...choices,
    }),
  )
  return 'threw' in settled ? settled : { ...settled, ...committed(log, settled, choices) }
}

/** What the gate makes of it: the entries that are new, as they read, and the rest as a digest. */
function committed(log: TestLog, proposal: Proposal, { pins = [] }: Choices) {
  const copy = log.copy()
  for (const pin of pins) copy.append([{ type: 'PIN', data: pin }], 'leave')
  const refused = copy.compact(proposal)
  if (refused !== undefined) return { edits: proposal.edits, refused }
  const seq = copy.context.version
  const items = copy.context.items.toArray()
  return {
    edits: proposal.edits.length,
    closes: proposal.closes,
    tokens: weightOf(copy.context),
    entries: digestOf(items.map(itemLine)),
    put: items
      .filter(({ id }) => id.startsWith(`c${seq}.`))
      .map((item, at) => {
        const content = contentOf(item.id, copy.eventAt)
        const { id, kind, tokens } = item
        const line = `${id} ${kind} ${tokens}`
        return at < SHOWN ? { [line]: linesOf(content) } : `${line} ${digestOf(content)}`
      }),
  }
}

/** Texts of several lines as lines, up to a number: the rest counts in the digest of the whole. */
function linesOf(content: unknown): unknown {
  const text = JSON.stringify(content)
  const lines = text.split('\\n')
  if (lines.length < 4) return content
  return [...lines.slice(0, 12), `${lines.length} lines, ${digestOf(text)}`]
}

describe('strategies without a model', () => {
  it.each(SAMPLES)('on the sample %s', async (name) => {
    const { log } = await openSample(name)
    const weight = weightOf(log.context)
    const users = log.context.items.toArray().filter(({ kind }) => kind === 'user')
    const pins: PinData[] = [
      { pinId: 'pin_1', text: 'Never push to main.' },
      { pinId: 'pin_2', entries: users.slice(0, 1).map(({ id }) => id) },
    ]
    for (const strategy of STRATEGIES) {
      const rows: Record<string, unknown> = { free: await proposed(strategy, log) }
      for (const share of BUDGETS)
        rows[share] = await proposed(strategy, log, { targetTokens: Math.floor(weight * share) })
      rows.pinned = await proposed(strategy, log, { targetTokens: Math.floor(weight * 0.4), pins })
      await expectGolden(`strategies-${strategy.id}-${name}`, rows)
    }
  })

  it.each(seeds(5))('all of them on random thread %i', async (seed) => {
    const { log } = generateThread(seed + 300, 30)
    const targetTokens = Math.floor(weightOf(log.context) * 0.4)
    const rows: Record<string, unknown> = {}
    for (const strategy of STRATEGIES)
      rows[strategy.id] = await proposed(strategy, log, { targetTokens })
    await expectGolden(`strategies-thread-${seed}`, rows)
  })

  it('in short on many random threads', async () => {
    const lines: string[] = []
    for (const seed of seeds(25)) {
      const { log } = generateThread(seed + 800, 14)
      const weight = weightOf(log.context)
      for (const strategy of [cascade, dropTurns, extract]) {
        const targetTokens = Math.floor(weight * (seed % 2 === 0 ? 0.7 : 0.35))
        const made = await proposed(strategy, log, { targetTokens })
        const how = 'threw' in made ? String(made.threw) : JSON.stringify(made.edits)
        lines.push(`${seed} ${strategy.id}: ${weight} to ${targetTokens}, ${how} ${digestOf(made)}`)
      }
    }
    await expectGolden('strategies-in-short', lines)
  })

  it.each(PRUNE_NAMES)('prune by %s', async (name) => {
    await expectGolden(`strategies-prune-${name}`, await proposed(createPrune([name]), prunable()))
  })
})
