// A floor under every summary: what it lost is put beside it, and where that is not enough the brief takes its place.
import type { Edit, Put } from '../core/change.ts'
import type { TokenUsage } from '../core/content.ts'
import { weightOf } from '../core/context.ts'
import { isNewEntry } from '../core/entry.ts'
import { asPrecisError, PrecisError } from '../core/errors.ts'
import { GATE_MIN_TOKENS } from '../core/gate.ts'
import { checkSummary } from '../core/gate-summary.ts'
import type { Json } from '../core/json.ts'
import { carriedEntry } from '../core/last-request.ts'
import { beforeContinuation } from '../core/pins.ts'
import { isFields } from '../core/repair/as-text.ts'
import type { Proposal, Strategy, StrategyInput } from '../core/strategy.ts'
import { isExcuse, saysNothing, withoutHeadings } from '../core/worthless-text.ts'
import { countKept, exactFacts } from './exact-facts.ts'
import { extract } from './extract/extract.ts'
import {
  floorText,
  type Standing,
  saidIn,
  standingAfter,
  textOfEntry,
  weigh,
} from './floor-text.ts'

/**
 * What may be done about a poor summary. One that précis asked for gives way to the brief; one with lists of
 * its own that code has written is only mended; one that the agent wrote is taken or refused.
 */
export type SummaryKind = 'replaceable' | 'mended' | 'own'

export function withFloor(strategy: Strategy, kind: SummaryKind = 'replaceable'): Strategy {
  return {
    id: strategy.id,
    async propose(input) {
      const proposal = await strategy.propose(input)
      const at = proposal.edits.findLastIndex(({ put }) => put.some(isSummary))
      if (at < 0) return proposal
      const standing = standingAfter(proposal.edits, input)
      if (weigh(standing.goes) < GATE_MIN_TOKENS) return proposal
      // The gate says why it refuses this one.
      if (kind !== 'own' && checkSummary(proposal, proposal.edits)) return proposal
      if (kind === 'own') requireWords(standing)
      const text = await floorText({ input, standing, maxTokens: factsRoom(input, standing) })
      const edits = proposal.edits.with(at, withEntry(proposal.edits[at] as Edit, text))
      const mended = { ...proposal, edits }
      return kind === 'replaceable' ? better(mended, standing, input) : mended
    },
  }
}

function isSummary(put: Put): boolean {
  return isNewEntry(put) && put.label === 'summary'
}

function withEntry({ covers, put }: Edit, text: string): Edit {
  return { covers, put: beforeContinuation(put, [carriedEntry(text)]) }
}

const MOST_FACTS_TOKENS = 4_000
/** Of what goes, and of what a target leaves. */
const GOES_SHARE = 6
const TARGET_SHARE = 0.5
/** For the note, what is answered, and errors of the estimate. */
const FRAME_TOKENS = 150

function factsRoom(input: StrategyInput, { goes, tokens }: Standing): number {
  const { context, targetTokens = Number.POSITIVE_INFINITY } = input
  const left = targetTokens - (weightOf(context) - context.tokens) - tokens - FRAME_TOKENS
  const shorter = weigh(goes) / 2 - tokens
  const most = Math.min(MOST_FACTS_TOKENS, weigh(goes) / GOES_SHARE, left * TARGET_SHARE)
  return Math.floor(Math.max(0, Math.min(most, Math.max(shorter, 0) + FRAME_TOKENS)))
}

/** The agent can act on this at once: it has everything still before it. */
function requireWords({ goes, entries }: Standing): void {
  const bad = entries.find(({ type, label, ...entry }) => {
    if (label !== 'summary') return false
    const text = textOfEntry({ type, label, ...entry } as (typeof entries)[number])
    return saysNothing(withoutHeadings(text)) || isExcuse(text)
  })
  if (bad)
    throw new PrecisError(
      'invalid-input',
      `The summary says nothing of the ${weigh(goes)} tokens that it would replace.`,
      {
        where: 'summary',
        hint: 'Write down the task, what was decided and done, the names of files, and what comes next; then call compact again.',
      },
    )
}

/** The mended summary, or the brief where that keeps more exact facts in the same number of tokens. */
async function better(
  mended: Proposal,
  { goes }: Standing,
  input: StrategyInput,
): Promise<Proposal> {
  const { context, eventAt, run } = input
  const facts = new Set(goes.flatMap(({ id }) => [...exactFacts(saidIn(id, eventAt))]))
  const after = standingAfter(mended.edits, input)
  const headTokens = weightOf(context) - context.tokens
  const kept = countKept(facts, after.texts)
  const brief = await briefWithin(input, headTokens + after.tokens)
  const inBrief = brief ? countKept(facts, standingAfter(brief.edits, input).texts) : 0
  const metadata = { ...fieldsIn(mended.metadata), facts: { of: facts.size, kept, inBrief } }
  if (!brief || kept >= inBrief) return { ...mended, metadata }
  run.onWarning?.(
    `The summary kept ${kept} of ${facts.size} exact facts and the brief ${inBrief}: the brief takes its place.`,
  )
  return briefInstead(brief, mended.usage, metadata)
}

/** The brief where there is no summary to commit. */
export async function proposeBrief(
  input: StrategyInput,
  usage: TokenUsage | undefined,
  metadata: Json,
): Promise<Proposal> {
  return briefInstead(await extract.propose(input), usage, metadata)
}

/** What the summary cost stays on the bill. */
function briefInstead(
  { edits, metadata: made }: Proposal,
  usage: TokenUsage | undefined,
  metadata: Json,
): Proposal {
  return {
    edits,
    metadata: { ...fieldsIn(made), ...fieldsIn(metadata), replacedBy: extract.id },
    ...(usage && { usage }),
  }
}

/** Undefined where code finds no way to so few tokens. */
async function briefWithin(
  input: StrategyInput,
  targetTokens: number,
): Promise<Proposal | undefined> {
  try {
    const brief = await extract.propose({ ...input, targetTokens })
    return brief.edits.length > 0 ? brief : undefined
  } catch (thrown) {
    const error = asPrecisError(thrown)
    if (error.code !== 'irreducible') throw error
    return undefined
  }
}

function fieldsIn(metadata: Json | undefined): { readonly [key: string]: Json } {
  return isFields(metadata) ? metadata : {}
}
