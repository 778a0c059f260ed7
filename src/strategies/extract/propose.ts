// Proposes the result of `extract` within a token budget.
import type { Edit, Put } from '../../core/edit/change.ts'
import { irreducible, ownTarget, proposeNothing } from '../../core/edit/irreducible.ts'
import {
  type LogReducer,
  type Proposal,
  type Strategy,
  type StrategyInput,
  stepwise,
} from '../../core/edit/strategy.ts'
import { bearsEntry, type EventAt } from '../../core/log/event.ts'
import { Sequence } from '../../core/log/upcast.ts'
import { type Steps, wait } from '../../core/steps.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import { type Context, weightOf } from '../../core/view/context.ts'
import { findRoot, type Item, newEntryAt, parseEntryId } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { runsOf } from '../../core/view/entry-range.ts'
import { carriedEntry } from '../../core/view/request-note.ts'
import { Digest } from './digest.ts'
import { buildDraft, type Draft } from './draft.ts'
import { buildPlan, isSealed, type Plan } from './plan.ts'
import type { Senses } from './senses.ts'

/** Default target: a fifth, within these limits. */
const DEFAULT_SHARE = 5
const LEAST_TOKENS = 2_000
const MOST_TOKENS = 20_000

/** The share of recent turns; smaller if nothing else would fit. */
const TAIL_SHARES = [0.35, 0.2, 0] as const

/** Head and tail are cut by an estimate, which may be slightly off. */
const LEFT_OVER_SHARE = 0.9
const LEAST_LEFT_TOKENS = 200

/** A model's part of the brief: its text, or first the room for it. */
export type Beside = { readonly prose: string } | { readonly roomTokens: number }

export function digestReducerWith(senses: Senses, name: string): LogReducer<Digest> {
  return {
    name,
    version: 2,
    init: () => new Digest(senses),
    step(digest, event) {
      digest.add(event)
      return digest
    },
  }
}

/** The strategy over this kind of digest. */
export function createExtract(digests: LogReducer<Digest>): Strategy {
  return stepwise({
    id: 'extract',
    *steps(input) {
      const { proposal } = yield* proposeWith(digests, input)
      return proposal
    },
  })
}

/** Rejects with `irreducible` if a given target is out of reach. */
export function* proposeWith(
  digests: LogReducer<Digest>,
  input: StrategyInput,
  beside?: Beside,
): Steps<{ readonly proposal: Proposal; readonly brief?: string }> {
  const { context, eventAt, reduce, pins = [], nextPrompt = '', instructions = '' } = input
  const aim = input.targetTokens ?? defaultTarget(context)
  const tokens = weightOf(context)
  if (tokens <= aim) return { proposal: proposeNothing({ tokens, targetTokens: aim }) }
  const targetTokens = aim - (beside && 'roomTokens' in beside ? beside.roomTokens : 0)
  const digest = reduce ? yield* wait(reduce(digests)) : digestWith(digests, context, eventAt)
  const asked = `${instructions}\n${nextPrompt}`
  const drafted = (tailShare: number, requestTokens?: number) => {
    const asPaste = requestTokens === undefined ? {} : { requestTokens }
    const { run } = input
    const plan = buildPlan({ context, eventAt, pins, run, targetTokens, tailShare, ...asPaste })
    return {
      tailShare,
      plan,
      draft: buildDraft({
        digest,
        plan,
        eventAt,
        pins,
        targetTokens,
        asked,
        summaries: digest.senses.findSummaries(plan.covered, eventAt, beside ? 'of others' : 'all'),
        ...(beside && 'prose' in beside && { prose: beside.prose }),
      }),
    }
  }
  let made = drafted(TAIL_SHARES[0])
  for (const share of TAIL_SHARES.slice(1))
    if (made.draft.tokens > targetTokens) made = drafted(share)
  // With little other content, leftover room goes to the request.
  const left = Math.floor((targetTokens - made.draft.tokens) * LEFT_OVER_SHARE)
  if (made.plan.shortened && left >= LEAST_LEFT_TOKENS) {
    const longer = drafted(made.tailShare, made.plan.shortened.tokens + left)
    if (longer.draft.tokens <= targetTokens) made = longer
  }
  const { plan, draft } = made
  if (draft.tokens > targetTokens && (beside || input.targetTokens !== undefined))
    throw irreducible(
      { context: { ...context, items: Sequence.from(plan.stays) }, eventAt, pins },
      { floor: draft.tokens, budget: targetTokens },
    )
  const edits = draft.tokens < tokens ? findEdits(plan, draft, eventAt) : []
  return {
    proposal: { edits, metadata: { ...draft.counts, ...ownTarget(input, aim) } },
    brief: draft.brief,
  }
}

/** The brief first; the last message and partly shown entries keep their places. */
function findEdits(plan: Plan, { brief, rewritten }: Draft, eventAt: EventAt): Edit[] {
  const { covered, beyond, request, note } = plan
  const edits = rewritten.map(({ edit }) => edit)
  if (covered.length === 0) return edits
  const keptIn = (stretch: readonly Item[]): Put[] => {
    const kept = stretch.filter((item) => item === request || isSealed(item, eventAt))
    return runsOf(kept, eventAt).map((keep) => ({ keep }))
  }
  const put: Put[] = [
    { type: 'USER_MESSAGE', data: brief, label: 'brief' },
    ...(note === undefined ? [] : [carriedEntry(note)]),
    ...keptIn(covered),
  ]
  return [
    { covers: runsOf(covered, eventAt), put },
    // Content beyond a shortened request is in the brief, too.
    ...(beyond.length > 0 ? [{ covers: runsOf(beyond, eventAt), put: keptIn(beyond) }] : []),
    ...edits,
  ]
}

export function defaultTarget(context: Context): number {
  const headTokens = weightOf(context) - context.tokens
  const share = Math.floor(context.tokens / DEFAULT_SHARE)
  return headTokens + Math.max(LEAST_TOKENS, Math.min(MOST_TOKENS, share))
}

/** Rewritten entries count as their originals; of an earlier summary only the text exists. */
export function digestWith(
  digests: LogReducer<Digest>,
  context: Context,
  eventAt: EventAt,
): Digest {
  const digest = digests.init()
  for (const { id } of context.items) {
    const root = parseEntryId(findRoot(id, eventAt))
    if (!root.original) {
      const content = newEntryAt(id, eventAt)?.label === 'pins' ? undefined : contentOf(id, eventAt)
      if (content?.kind === 'user') digest.addSummary(textOfUserContent(content.content), id)
      if (content?.kind === 'answer') digest.addSummary(content.answer.content, id)
      continue
    }
    for (let seq = root.seq; ; seq += 1) {
      const event = eventAt(seq)
      if (event === undefined || (seq > root.seq && bearsEntry(event))) break
      digest.add(event)
    }
  }
  return digest
}
