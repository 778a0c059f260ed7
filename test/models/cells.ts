// One cell of the table: a character of model, a preset and a length, compacted as the preset would.
import type { Proposal, Strategy } from '../../src/core/edit/strategy.ts'
import { PrecisError } from '../../src/core/errors.ts'
import { weightOf } from '../../src/core/view/context.ts'
import { estimateTokens } from '../../src/core/window/tokens/estimate.ts'
import { extract } from '../../src/strategies/extract/extract.ts'
import { chunkedFold } from '../../src/strategies/fold/chunked-fold.ts'
import { cascade } from '../../src/strategies/ladder/ladder.ts'
import { checkpointRange, wholeSummary } from '../../src/strategies/ranges/agent-replacements.ts'
import { brief } from '../../src/strategies/summary/brief.ts'
import { freshSession } from '../../src/strategies/summary/fresh-session.ts'
import { aiSummarize, summarize } from '../../src/strategies/summary/whole-summary.ts'
import type { TestLog } from '../generate/test-log.ts'
import { type Character, portOf } from './characters.ts'
import { inputFor, type Planted, sentText } from './planted.ts'

export const WINDOW = 8_000
export const TRIGGER = 0.8 * WINDOW
const TARGET = 0.5 * WINDOW
export const LENGTHS = { 'half a window': 0.5, 'two windows': 2, 'ten windows': 10 } as const

/** What each preset runs: the agent's own call and what comes by itself, or a command. */
export const PRESETS: Readonly<Record<string, (written: string) => readonly Strategy[]>> = {
  range: (summary) => [checkpointRange([{ summary }]), summarize, cascade],
  whole: (summary) => [wholeSummary({ summary, files: [] }), summarize, cascade],
  fold: () => [chunkedFold, cascade],
  log: () => [aiSummarize, cascade],
  fresh: () => [freshSession],
  precis: () => [brief, cascade],
}

interface Cell {
  readonly by: string
  readonly text: string
  readonly tokens: number
}

async function proposed(
  strategy: Strategy,
  log: TestLog,
  character: Character,
  isAuto: boolean,
): Promise<Proposal | undefined> {
  try {
    const run = {
      threadId: log.threadId,
      provider: portOf(character, WINDOW),
      windowTokens: WINDOW,
    }
    const trigger = isAuto ? 'auto' : 'command'
    const target = isAuto ? { targetTokens: TARGET } : {}
    return await strategy.propose(inputFor(log, { run, trigger, ...target }))
  } catch (error) {
    if (PrecisError.is(error)) return undefined
    throw error
  }
}

/** The first strategy that commits below the trigger; undefined where none does. */
export async function compacted(
  { log: whole }: Planted,
  character: Character,
  preset: string,
): Promise<Cell | undefined> {
  const isAuto = weightOf(whole.context) > TRIGGER
  for (const strategy of PRESETS[preset]?.(character.summary(sentText(whole))) ?? []) {
    const log = whole.copy()
    const proposal = await proposed(strategy, log, character, isAuto)
    if (proposal?.fresh) {
      const { message, carried = '', replacedFor } = proposal.fresh
      const text = `${message}\n${carried}`
      const by = replacedFor === undefined ? strategy.id : `${strategy.id}, brief`
      return { by, text, tokens: estimateTokens(text) }
    }
    if (!proposal || log.compact(proposal, isAuto ? 'auto' : 'command') !== undefined) continue
    const tokens = weightOf(log.context)
    if (tokens > TRIGGER) continue
    const isBrief = JSON.stringify(proposal.metadata ?? {}).includes('"replacedBy"')
    return { by: isBrief ? `${strategy.id}, brief` : strategy.id, text: sentText(log), tokens }
  }
  return undefined
}

export async function factsInBrief(
  { log: whole, facts }: Planted,
  targetTokens: number,
): Promise<number> {
  const log = whole.copy()
  try {
    log.compact(await extract.propose(inputFor(log, { trigger: 'command', targetTokens })))
  } catch (error) {
    if (PrecisError.is(error) && error.code === 'irreducible') return 0
    throw error
  }
  return weightOf(log.context) > targetTokens ? 0 : keptOf(facts, sentText(log))
}

export function keptOf(facts: readonly string[], text: string): number {
  return facts.filter((fact) => text.includes(fact)).length
}
