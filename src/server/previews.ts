// Compactions that were proposed and wait for a decision: kept in memory, the oldest forgotten first.
import type { z } from 'zod'
import type { Agent } from '../agent/agent.ts'
import type { CompactionPreview } from '../agent/preview.ts'
import { weightOf } from '../core/context.ts'
import { PrecisError } from '../core/errors.ts'
import type { CompactionResult } from '../core/frame.ts'
import type { Ids } from '../core/ports.ts'
import { estimateTokens } from '../core/tokens/estimate.ts'
import type { CompactRequest } from '../protocol/client.ts'
import type { previewSchema } from '../protocol/compaction-schemas.ts'
import { textsOf, withTexts } from './preview-texts.ts'
import { previewReport } from './reports.ts'

type WirePreview = z.output<typeof previewSchema>

export interface PreviewPorts {
  readonly agent: Pick<Agent, 'preview' | 'applyPreview'>
  readonly ids: Ids
  readonly limits: { readonly previews: number }
}

interface Kept {
  readonly threadId: string
  readonly preview: CompactionPreview
}

export class Previews {
  readonly #ports: PreviewPorts
  readonly #kept = new Map<string, Kept>()

  constructor(ports: PreviewPorts) {
    this.#ports = ports
  }

  async make(threadId: string, request: CompactRequest, signal: AbortSignal): Promise<WirePreview> {
    const { agent, ids, limits } = this.#ports
    const preview = await agent.preview(threadId, { ...request, signal })
    const previewId = ids.next('prv')
    this.#kept.set(previewId, { threadId, preview })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > limits.previews && oldest !== undefined) this.#kept.delete(oldest)
    return wireOf(previewId, preview)
  }

  /** It is used up by this, unless the texts are none it can take. */
  async apply(
    threadId: string,
    previewId: string,
    texts: Readonly<Record<string, string>>,
  ): Promise<CompactionResult> {
    const { preview } = this.#find(threadId, previewId)
    const proposal = withTexts(preview.prepared.proposal, texts)
    this.#kept.delete(previewId)
    return this.#ports.agent.applyPreview(threadId, preview, proposal)
  }

  drop(threadId: string, previewId: string): void {
    this.#find(threadId, previewId)
    this.#kept.delete(previewId)
  }

  #find(threadId: string, previewId: string): Kept {
    const kept = this.#kept.get(previewId)
    if (kept?.threadId === threadId) return kept
    throw new PrecisError('not-found', `There is no preview ${previewId}.`, {
      where: previewId,
      hint: 'It was applied or dropped, or it is too old: make a new one.',
    })
  }
}

function wireOf(previewId: string, preview: CompactionPreview): WirePreview {
  const { prepared, context, change } = preview
  const { proposal, strategyId, basedOn } = prepared
  const was = { tokens: weightOf(context), by: 'estimated' as const }
  const { fresh } = proposal
  return {
    previewId,
    strategy: strategyId,
    basedOn,
    before: change?.before ?? was,
    after:
      change?.after ??
      (fresh ? { tokens: estimateTokens(fresh.message), by: 'estimated' as const } : {}),
    report: previewReport(preview),
    texts: textsOf(proposal),
  }
}
