// The brief that replaces a summary: code's own lines, followed by exact names none of them has.
import type { Put } from '../../core/edit/change.ts'
import type { Proposal, StrategyInput } from '../../core/edit/strategy.ts'
import { asPrecisError } from '../../core/errors.ts'
import { fieldsIn, type Json } from '../../core/text/json.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import { weightOf } from '../../core/view/context.ts'
import { isNewEntry } from '../../core/view/entry.ts'
import { findRequests } from '../../core/view/last-request.ts'
import { textIn } from '../../core/view/request-note.ts'
import { extract } from '../extract/extract.ts'
import { defaultTarget } from '../extract/propose.ts'
import { countKept, exactFacts } from './exact-facts.ts'
import { listNames, type Standing, saidIn, standingAfter } from './floor-text.ts'

/** The brief if there is no summary to commit. */
export async function proposeBrief(
  input: StrategyInput,
  usage: TokenUsage | undefined,
  metadata: Json,
  why: string,
): Promise<Proposal> {
  const brief = await extract.propose(input)
  return briefInstead(await withNames(brief, input), usage, metadata, why)
}

/** The summary's cost stays billed. */
export function briefInstead(
  { edits, metadata: made }: Proposal,
  usage: TokenUsage | undefined,
  metadata: Json | undefined,
  why: string,
): Proposal {
  return {
    edits,
    metadata: {
      ...fieldsIn(made),
      ...fieldsIn(metadata),
      replacedBy: extract.id,
      replacedFor: why,
    },
    ...(usage && { usage }),
  }
}

/** Undefined if code cannot get that small. */
export async function briefWithin(
  input: StrategyInput,
  targetTokens: number | undefined,
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

/** If lines have this share of the facts, names are not worth the recent turns they cost. */
const MOST_KEPT = 0.5
/** Share of a brief. */
const NAMES_SHARE = 0.25
const MOST_NAMES_TOKENS = 4_000
/** For the heading and estimation errors. */
const SPARE_TOKENS = 30

/**
 * A poor summary has its lost names beside it, and the brief that replaces it must not have fewer. Its lines
 * are whole sentences, so if much is gone they get three quarters of the tokens, and names by entry the rest.
 */
export async function withNames(
  full: Proposal,
  input: StrategyInput,
  targetTokens = input.targetTokens ?? defaultTarget(input.context),
): Promise<Proposal> {
  const before = standingAfter(full.edits, input)
  const facts = factsIn(before.goes, input)
  if (countKept(facts, before.texts) >= facts.size * MOST_KEPT) return full
  const shorten = (tokens: number) => briefWithin(input, tokens)
  return namesBeside(full, input, { targetTokens, share: NAMES_SHARE, shorten })
}

/** Adds the brief's lost names to a shorter one, if that has more of them. */
export async function namesBeside(
  full: Proposal,
  input: StrategyInput,
  {
    targetTokens,
    share,
    shorten,
  }: {
    readonly targetTokens: number
    readonly share: number // of the target
    shorten(targetTokens: number): Promise<Proposal | undefined>
  },
): Promise<Proposal> {
  const before = standingAfter(full.edits, input)
  const facts = factsIn(before.goes, input)
  const kept = countKept(facts, before.texts)
  const room = Math.min(MOST_NAMES_TOKENS, Math.floor(targetTokens * share))
  const shorter = await shorten(targetTokens - room)
  if (!shorter) return full
  const standing = standingAfter(shorter.edits, input)
  const wanted = new Set(before.texts.flatMap((text) => [...exactFacts(text)]))
  const names = listNames({ input, standing, wanted }, standing.texts, room - SPARE_TOKENS)
  const edits = shorter.edits.map((edit) => ({
    ...edit,
    put: edit.put.map((put) => namedIn(put, names)),
  }))
  const after = standingAfter(edits, input)
  const isBetter = countKept(facts, after.texts) > kept
  return isBetter && measureSize(input, after) <= targetTokens ? { ...shorter, edits } : full
}

function namedIn(put: Put, names: readonly string[]): Put {
  if (!isNewEntry(put) || put.label !== 'brief' || put.type !== 'USER_MESSAGE') return put
  return { ...put, data: [textIn(put), '## Names', ...names].join('\n') }
}

/** Facts of what is removed, as the user and agent said them. */
export function factsIn(goes: Standing['goes'], { eventAt }: StrategyInput): Set<string> {
  return new Set(goes.flatMap(({ id }) => [...exactFacts(saidIn(id, eventAt))]))
}

/** How to judge a summary: requests are carried beside it, so one that only repeats them says nothing. */
export function judgedBy(
  goes: Standing['goes'],
  wanted: ReadonlySet<string> | undefined,
  input: StrategyInput,
): { readonly facts: ReadonlySet<string>; readonly inBrief: number } {
  const { shown } = findRequests(input.context.items.toArray(), input.eventAt)
  const asked = new Set(shown.flatMap(({ id, isCarried }) => (isCarried ? [] : [id])))
  const facts = factsIn(
    goes.filter(({ id }) => !asked.has(id)),
    input,
  )
  // If code cannot get that small, all facts count.
  return { facts, inBrief: wanted ? countIn(facts, wanted) : facts.size }
}

export function countIn(facts: ReadonlySet<string>, kept: ReadonlySet<string>): number {
  return [...facts].filter((fact) => kept.has(fact)).length
}

/** Including system prompts. */
export function measureSize({ context }: StrategyInput, { tokens }: Standing): number {
  return weightOf(context) - context.tokens + tokens
}
