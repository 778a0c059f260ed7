// A floor under every summary: adds what it lost, and replaces it by the brief if that is not enough.
import type { Edit, Put } from '../../core/edit/change.ts'
import { isExcuse } from '../../core/edit/excuse.ts'
import { GATE_MIN_TOKENS } from '../../core/edit/gate.ts'
import { checkSummary, saysNothing, withoutHeadings } from '../../core/edit/gate-summary.ts'
import type { Proposal, Strategy, StrategyInput } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import { fieldsIn } from '../../core/text/json.ts'
import { weightOf } from '../../core/view/context.ts'
import { isNewEntry, newEntryAt } from '../../core/view/entry.ts'
import { withCarried } from '../../core/view/request-note.ts'
import { defaultTarget } from '../extract/propose.ts'
import { cappedEntry } from '../ladder/cap-giants.ts'
import { cutUnseen } from '../range.ts'
import {
  briefInstead,
  briefWithin,
  countIn,
  factsIn,
  judgedBy,
  measureSize,
  withNames,
} from './brief-instead.ts'
import { clearlyWorthless, worthless } from './empty-summary.ts'
import { countKept, exactFacts } from './exact-facts.ts'
import { floorText, type Standing, standingAfter, textOfEntry, weigh } from './floor-text.ts'

/**
 * How to handle a poor summary. One requested by précis may be replaced by the brief; one with lists by code
 * is only mended; the agent's own is accepted or refused.
 */
export type SummaryKind = 'replaceable' | 'mended' | 'own'

export function withFloor(strategy: Strategy, kind: SummaryKind = 'replaceable'): Strategy {
  return {
    id: strategy.id,
    async propose(input) {
      const made = await strategy.propose(input)
      const proposal = { ...made, edits: [...made.edits, ...cappedUnseen(made.edits, input)] }
      const at = proposal.edits.findLastIndex(({ put }) => put.some(isSummary))
      if (at < 0) return proposal
      const standing = standingAfter(proposal.edits, input)
      if (weigh(standing.goes) < GATE_MIN_TOKENS) return proposal
      // The gate says why it refuses this one.
      if (kind !== 'own' && checkSummary(proposal, proposal.edits, isExcuse)) return proposal
      const facts = factsIn(standing.goes, input)
      if (kind === 'own') requireWords(standing, judgedBy(standing.goes, undefined, input).facts)
      const maxTokens = factsRoom(input, standing)
      const sameTokens = measureSize(input, standing) + maxTokens + FRAME_TOKENS
      const brief = await briefWithin(input, sameTokens)
      const wanted = factsStanding(brief, input)
      if (kind === 'replaceable') {
        const judged = judgedBy(standing.goes, brief && wanted, input)
        const why = worthless({ written: writtenIn(proposal), ...judged })
        const instead =
          why === undefined ? undefined : await briefFor(input, proposal, { why, sameTokens })
        if (instead) return instead
      }
      const mend = async (moreTokens: number): Promise<Proposal> => {
        const floor = { input, standing, maxTokens: maxTokens + moreTokens, wanted }
        const put = withEntry(proposal.edits[at] as Edit, await floorText(floor))
        return { ...proposal, edits: proposal.edits.with(at, put) }
      }
      if (kind !== 'replaceable') return mend(0)
      return better({ mend, brief, sameTokens, wanted, facts }, standing, input)
    },
  }
}

function writtenIn({ written = [] }: Proposal): string {
  return written.map(({ text }) => text).join('\n')
}

/**
 * Replaces a useless summary: up to the target, and never smaller than the summary would have been, so that
 * the rest is not cut. Undefined if code cannot.
 */
async function briefFor(
  input: StrategyInput,
  { usage, metadata }: Proposal,
  { why, sameTokens }: { readonly why: string; readonly sameTokens: number },
): Promise<Proposal | undefined> {
  const { targetTokens, context } = input
  const aims = [
    targetTokens === undefined ? defaultTarget(context) : Math.max(targetTokens, sameTokens),
    Math.max(sameTokens, Math.floor(weightOf(context) / 2)),
  ]
  for (const aim of aims) {
    const brief = await briefWithin(input, aim)
    if (!brief) continue
    const named = await withNames(brief, input, aim)
    return briefInstead(named, usage, metadata, `the summary is of no use: ${why}`)
  }
  return undefined
}

/** Cuts unread results to head, tail and ref, only if no request could hold them. */
function cappedUnseen(edits: readonly Edit[], input: StrategyInput): Edit[] {
  if (edits.length === 0) return []
  const stays = new Set(standingAfter(edits, input).stays)
  return [...cutUnseen(input)].flatMap(([item, tokens]) => {
    const capped = stays.has(item) ? cappedEntry(item, tokens, input.eventAt) : undefined
    return capped && capped.saved > 0 ? [capped.edit] : []
  })
}

function factsStanding(brief: Proposal | undefined, input: StrategyInput): Set<string> {
  const texts = brief ? standingAfter(brief.edits, input).texts : []
  return new Set(texts.flatMap((text) => [...exactFacts(text)]))
}

function isSummary(put: Put): boolean {
  return isNewEntry(put) && put.label === 'summary'
}

function withEntry({ covers, put }: Edit, text: string): Edit {
  return { covers, put: withCarried(put, text) }
}

const MOST_FACTS_TOKENS = 4_000
/** Share of what is removed, and of what a target leaves. */
const GOES_SHARE = 6
const TARGET_SHARE = 0.5
/** Share of removed content including a note: it must shrink. */
const MOST_AGAIN = 0.9
/** For the note, the status, and estimation errors. */
const FRAME_TOKENS = 150

export function factsRoom(input: StrategyInput, standing: Standing): number {
  const { goes, tokens } = standing
  const { targetTokens = Number.POSITIVE_INFINITY } = input
  const left = targetTokens - measureSize(input, standing) - FRAME_TOKENS
  // An earlier note consists of facts: the next one must not lose most of them by being a share of it.
  const noted = weigh(goes.filter(({ id }) => newEntryAt(id, input.eventAt)?.label === 'carried'))
  const still = weigh(goes) * MOST_AGAIN - tokens - 2 * FRAME_TOKENS
  const shorter = Math.max(weigh(goes) / 2 - tokens, Math.min(noted, still))
  const share = Math.max(weigh(goes) / GOES_SHARE, noted)
  const most = Math.min(MOST_FACTS_TOKENS, share, left * TARGET_SHARE)
  return Math.floor(Math.max(0, Math.min(most, Math.max(shorter, 0) + FRAME_TOKENS)))
}

/** The agent can act on this at once: its context is still complete. */
function requireWords({ goes, entries }: Standing, facts: ReadonlySet<string>): void {
  const texts = entries.filter(isSummary).map(textOfEntry)
  const isEmpty = texts.some((text) => saysNothing(withoutHeadings(text)) || isExcuse(text))
  const lacks = isEmpty ? undefined : clearlyWorthless(texts.join('\n'), facts)
  if (isEmpty || lacks !== undefined)
    throw new PrecisError(
      'invalid-input',
      `The summary says nothing of the ${weigh(goes)} tokens that it would replace${lacks === undefined ? '' : `: ${lacks}`}.`,
      {
        where: 'summary',
        hint: 'Write down the task, what was decided and done, the names of files, and what comes next; then call compact again.',
      },
    )
}

interface Choice {
  /** The summary with its losses beside it, within this much more room. */
  readonly mend: (moreTokens: number) => Promise<Proposal>
  readonly brief: Proposal | undefined
  readonly sameTokens: number // the brief's limit
  readonly wanted: ReadonlySet<string> // what the brief keeps
  readonly facts: ReadonlySet<string> // of what is removed
}

/** The mended summary, or the brief if that keeps more exact facts in the same size. */
async function better(
  { mend, brief, sameTokens, wanted, facts: all }: Choice,
  standing: Standing,
  input: StrategyInput,
): Promise<Proposal> {
  const count = async (moreTokens: number) => {
    const mended = await mend(moreTokens)
    return { mended, facts: countFacts({ mended, wanted }, all, input) }
  }
  let tried = await count(0)
  const isPoorer = () => tried.facts.kept < tried.facts.inBrief
  // A few facts do not justify losing a summary: the brief had room for a note it may not need.
  if (brief && isPoorer() && spareTokens(input, standing) > FRAME_TOKENS)
    tried = await count(FRAME_TOKENS)
  const { mended, facts } = tried
  const metadata = { ...fieldsIn(mended.metadata), facts }
  if (!brief || !isPoorer()) return { ...mended, metadata }
  const named = await withNames(brief, input, sameTokens)
  return briefInstead(named, mended.usage, metadata, poorer(facts))
}

/** What the target leaves beside the summary and its facts. */
function spareTokens(input: StrategyInput, standing: Standing): number {
  const { targetTokens = Number.POSITIVE_INFINITY } = input
  return targetTokens - measureSize(input, standing) - factsRoom(input, standing) - FRAME_TOKENS
}

/** Exact facts of what is removed: total, kept, and kept by a brief. */
function countFacts(
  { mended, wanted }: Pick<Choice, 'wanted'> & { readonly mended: Proposal },
  facts: ReadonlySet<string>,
  input: StrategyInput,
): FactCounts {
  const kept = countKept(facts, standingAfter(mended.edits, input).texts)
  return { of: facts.size, kept, inBrief: countIn(facts, wanted) }
}

interface FactCounts {
  readonly [name: string]: number
  readonly of: number
  readonly kept: number
  readonly inBrief: number
}

/** The same for a brief with a model's part, compared with code's brief of equal size. */
export async function factsBeside(mended: Proposal, targetTokens: number, input: StrategyInput) {
  const { goes } = standingAfter(mended.edits, input)
  const wanted = factsStanding(await briefWithin(input, targetTokens), input)
  return countFacts({ mended, wanted }, factsIn(goes, input), input)
}

export function poorer({ kept, inBrief, of }: FactCounts): string {
  return `the summary kept ${kept} of ${of} exact facts, and a brief of its size ${inBrief}`
}
