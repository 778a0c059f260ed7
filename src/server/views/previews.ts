// Compactions that were proposed and wait for a decision: kept here and with their thread, the oldest forgotten first.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Agent } from '../../agent/agent.ts'
import type { PreviewedProposal } from '../../agent/compaction/preview.ts'
import type { ProposalRecord } from '../../compaction/plan.ts'
import type { RunResult } from '../../core/agent/frame.ts'
import type { Scratch } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Clock, Ids, Store } from '../../core/ports.ts'
import type { Json } from '../../core/text/json.ts'
import { type Context, calibrationOf, weightOf } from '../../core/view/context.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { readContext } from '../../core/window/usage.ts'
import type { StrategyRequest, ViewDiff } from '../../protocol/client.ts'
import type { previewSchema } from '../../protocol/compaction-schemas.ts'
import { threadScratch } from '../../threads/compaction-progress.ts'
import type { Threads } from '../../threads/threads.ts'
import { aroundPreview, computeDiff, previewReport } from './diff.ts'
import { tokenScale } from './entry-places.ts'
import { readTexts, withTexts } from './preview-texts.ts'

type WirePreview = z.output<typeof previewSchema>

export interface PreviewPorts {
  readonly agent: Pick<Agent, 'preview' | 'applyPreview'>
  readonly threads: Pick<Threads, 'context'>
  readonly store: Pick<Store, 'append' | 'info' | 'snapshot'>
  readonly clock: Clock
  readonly ids: Ids
  readonly limits: { readonly previews: number }
}

interface Kept {
  readonly threadId: string
  readonly preview: PreviewedProposal
}

/** Longer ones are known only to the process that has made them. */
const LONGEST_STORED = 1_000_000
const OLDEST_MS = 24 * 3_600_000

/** As it is kept with its thread: what another process needs to apply it. */
const storedSchema = z.object({
  atMs: z.number(),
  entries: z.string(), // a hash of the entries that it was made for
  prepared: z.looseObject({ proposal: z.looseObject({ edits: z.array(z.unknown()) }) }),
})

export class Previews {
  readonly #ports: PreviewPorts
  readonly #kept = new Map<string, Kept>()

  constructor(ports: PreviewPorts) {
    this.#ports = ports
  }

  async make(
    threadId: string,
    request: StrategyRequest,
    signal: AbortSignal,
  ): Promise<WirePreview> {
    const { agent, ids, limits } = this.#ports
    const preview = await agent.preview(threadId, { ...request, signal })
    const previewId = ids.next('prv')
    this.#kept.set(previewId, { threadId, preview })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > limits.previews && oldest !== undefined) this.#kept.delete(oldest)
    await this.#store(threadId, previewId, preview)
    return buildWire(previewId, preview)
  }

  /** It is used up by this, unless the texts are none it can take. */
  async apply(
    threadId: string,
    previewId: string,
    texts: Readonly<Record<string, string>>,
  ): Promise<RunResult> {
    const { preview } = await this.#find(threadId, previewId)
    const proposal = withTexts(preview.prepared.proposal, texts)
    await this.#forget(threadId, previewId)
    return this.#ports.agent.applyPreview(threadId, preview, proposal)
  }

  /** Only the process that has made it knows what it was made of. */
  async diff(threadId: string, previewId: string): Promise<ViewDiff> {
    const { preview } = await this.#find(threadId, previewId)
    const around = aroundPreview(preview)
    if (around) return computeDiff(around)
    throw new PrecisError('not-found', `The preview ${previewId} has no diff here.`, {
      where: previewId,
      hint: 'It starts a new thread, or another process made it. Create a new preview.',
    })
  }

  async drop(threadId: string, previewId: string): Promise<void> {
    await this.#find(threadId, previewId)
    await this.#forget(threadId, previewId)
  }

  async #find(threadId: string, previewId: string): Promise<Kept> {
    const kept = this.#kept.get(previewId)
    const stored = await this.#scratch(threadId).get(readKey(previewId))
    // Used up by another process: what is kept here counts no more.
    if (kept?.threadId === threadId && stored !== null) return kept
    const read = storedSchema.safeParse(stored)
    if (read.success && this.#ports.clock.now().getTime() - read.data.atMs <= OLDEST_MS)
      return { threadId, preview: await this.#restored(threadId, read.data) }
    throw new PrecisError('not-found', `There is no preview ${previewId}.`, {
      where: previewId,
      hint: 'It was applied, dropped or has expired. Create a new preview.',
    })
  }

  /** To be applied, not to be looked at: whoever looks has seen what the other process has shown. */
  async #restored(
    threadId: string,
    { prepared, entries }: z.output<typeof storedSchema>,
  ): Promise<PreviewedProposal> {
    const context = await this.#ports.threads.context(threadId)
    const made = prepared as unknown as ProposalRecord
    if (made.proposal.fresh && computeHash(context) !== entries)
      throw new PrecisError('gate-refused', 'The conversation has changed: the preview is stale.', {
        hint: 'Create a new preview.',
        details: { reason: 'stale' },
      })
    return { prepared: made, context, eventAt: () => undefined, pins: [] }
  }

  async #store(
    threadId: string,
    previewId: string,
    { prepared, context }: PreviewedProposal,
  ): Promise<void> {
    const atMs = this.#ports.clock.now().getTime()
    const text = JSON.stringify({ atMs, entries: computeHash(context), prepared })
    if (text.length > LONGEST_STORED) return
    await this.#scratch(threadId).set(readKey(previewId), JSON.parse(text) as Json)
  }

  async #forget(threadId: string, previewId: string): Promise<void> {
    this.#kept.delete(previewId)
    await this.#scratch(threadId).set(readKey(previewId), null)
  }

  #scratch(threadId: string): Scratch {
    return threadScratch(this.#ports.store, threadId)
  }
}

function readKey(previewId: string): string {
  return `preview:${previewId}`
}

function computeHash({ items }: Context): string {
  const ids = items.toArray().map(({ id }) => id)
  return createHash('sha256').update(ids.join()).digest('hex')
}

function buildWire(previewId: string, preview: PreviewedProposal): WirePreview {
  const { prepared, context, change } = preview
  const { proposal, strategyId, basedOn } = prepared
  const { text: report, figures } = previewReport(preview)
  return {
    previewId,
    strategy: strategyId,
    basedOn,
    before: readContext(context, calibrationOf(context)),
    after: change ? estimated(figures?.after) : estimated(sizeWith(context, proposal.fresh)),
    report,
    ...(figures && { figures: structuredClone(figures) as WirePreview['figures'] & object }),
    texts: readTexts(proposal),
  }
}

function estimated(tokens: number | undefined): WirePreview['after'] {
  return tokens === undefined ? {} : { tokens, by: 'estimated' }
}

/** Of the thread that would be opened: its message, and what is sent beside it as now. */
function sizeWith(context: Context, fresh: { readonly message: string } | undefined) {
  if (!fresh) return undefined
  const { overheadTokens = 0 } = calibrationOf(context)
  const head = weightOf(context) - context.tokens
  return tokenScale(context)(head + estimateTokens(fresh.message)) + overheadTokens
}
