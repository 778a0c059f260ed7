// Proposed compactions that wait for a decision, kept here and in their thread; the oldest are dropped first.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Agent } from '../../agent/agent.ts'
import type { PreviewedProposal } from '../../agent/compaction/preview.ts'
import type { ProposalRecord } from '../../compaction/plan.ts'
import type { RunResult } from '../../core/agent/frame.ts'
import type { Edit, EntryLabel, NewEntry, Put } from '../../core/edit/change.ts'
import type { FreshStart, Proposal, Scratch } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Clock, Ids, Store } from '../../core/ports.ts'
import type { Json } from '../../core/text/json.ts'
import { textOfUserContent } from '../../core/view/content.ts'
import { type Context, calibrationOf, weightOf } from '../../core/view/context.ts'
import { isNewEntry } from '../../core/view/entry.ts'
import { readContext } from '../../core/window/reading.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import type { PreviewText, StrategyRequest, ViewDiff } from '../../protocol/client.ts'
import type { previewSchema } from '../../protocol/compaction-schemas.ts'
import { threadScratch } from '../../threads/compaction-progress.ts'
import type { Threads } from '../../threads/threads.ts'
import { computeDiff } from './diff.ts'
import { tokenScale } from './entry-places.ts'
import { aroundPreview, previewReport } from './reports.ts'

type WirePreview = z.output<typeof previewSchema>

export interface PreviewPorts {
  readonly agent: Pick<Agent, 'preview' | 'applyPreview'>
  readonly threads: Pick<Threads, 'context'>
  readonly store: Pick<Store, 'append' | 'info' | 'snapshot'>
  readonly clock: Clock
  readonly ids: Ids
  readonly limits: { readonly previews: number }
}

interface PreviewRecord {
  readonly threadId: string
  readonly preview: PreviewedProposal
}

/** Longer ones exist only in the process that made them. */
const LONGEST_STORED = 1_000_000
const OLDEST_MS = 24 * 3_600_000

/** The stored form: what another process needs to apply it. */
const storedSchema = z.object({
  atMs: z.number(),
  entries: z.string(), // a hash of the entries it was made for
  prepared: z.looseObject({ proposal: z.looseObject({ edits: z.array(z.unknown()) }) }),
})

export class Previews {
  readonly #ports: PreviewPorts
  readonly #kept = new Map<string, PreviewRecord>()

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

  /** Consumes the preview, unless the texts are invalid. */
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

  /** Only the process that made it has its sources. */
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

  async #find(threadId: string, previewId: string): Promise<PreviewRecord> {
    const kept = this.#kept.get(previewId)
    const stored = await this.#scratch(threadId).get(readKey(previewId))
    // Another process consumed it; ignore the copy kept here.
    if (kept?.threadId === threadId && stored !== null) return kept
    const read = storedSchema.safeParse(stored)
    if (read.success && this.#ports.clock.now().getTime() - read.data.atMs <= OLDEST_MS)
      return { threadId, preview: await this.#restored(threadId, read.data) }
    throw new PrecisError('not-found', `There is no preview ${previewId}.`, {
      where: previewId,
      hint: 'It was applied, dropped or has expired. Create a new preview.',
    })
  }

  /** For applying only: the other process has shown it. */
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

/** The size of the thread that would open: its message and the parts sent with it as now. */
function sizeWith(context: Context, fresh: { readonly message: string } | undefined) {
  if (!fresh) return undefined
  const { overheadTokens = 0 } = calibrationOf(context)
  const head = weightOf(context) - context.tokens
  return tokenScale(context)(head + estimateTokens(fresh.message)) + overheadTokens
}

/** Texts written for the conversation. The others stand for tool output, and people must not change them. */
const WRITTEN: ReadonlySet<EntryLabel> = new Set(['summary', 'brief', 'continuation'])
const FRESH_KEY = 'fresh'

function readTexts({ edits, fresh }: Proposal): PreviewText[] {
  if (fresh)
    return [
      { key: FRESH_KEY, label: 'summary', text: fresh.summary, isEditable: canEditFresh(fresh) },
    ]
  return edits.flatMap((edit, at) =>
    edit.put.flatMap((put, place) => {
      const text = isNewEntry(put) ? readText(put) : undefined
      if (!isNewEntry(put) || text === undefined) return []
      return [{ key: textKey(at, place), label: put.label, text, isEditable: canEdit(put) }]
    }),
  )
}

/** The proposal with edited texts. A person's text is accepted without the checks for a model's text. */
function withTexts(proposal: Proposal, texts: Readonly<Record<string, string>>): Proposal {
  const known = new Map(readTexts(proposal).map((text) => [text.key, text]))
  const changed = Object.entries(texts).filter(([key, text]) => known.get(key)?.text !== text)
  for (const [key, text] of changed) requireEditable(key, text, known.get(key))
  if (changed.length === 0) return proposal
  const { written: _, stopReason: __, ...rest } = proposal
  const given = new Map(changed)
  return {
    ...rest,
    ...(proposal.fresh && { fresh: withSummary(proposal.fresh, given.get(FRESH_KEY)) }),
    edits: proposal.edits.map((edit, at) => withEdit(edit, at, given)),
  }
}

function withEdit(edit: Edit, at: number, given: ReadonlyMap<string, string>): Edit {
  const put = edit.put.map((each, place): Put => {
    const text = given.get(textKey(at, place))
    return text === undefined || !isNewEntry(each) ? each : withText(each, text)
  })
  return { ...edit, put }
}

function requireEditable(key: string, text: string, known: PreviewText | undefined): void {
  if (!known)
    throw new PrecisError('invalid-input', `The preview has no text ${key.slice(0, 100)}.`, {
      where: 'texts',
      hint: 'Use the keys of its `texts`.',
    })
  if (!known.isEditable)
    throw new PrecisError('invalid-input', `The text ${key} cannot be changed.`, {
      where: 'texts',
      hint: 'Omit it: only texts with `isEditable` can be changed.',
    })
  if (!/[^\p{C}\p{Z}]/u.test(text))
    throw new PrecisError('invalid-input', `The text ${key} would be empty.`, {
      where: 'texts',
      hint: 'Send a text, or drop the preview.',
    })
}

function textKey(edit: number, place: number): string {
  return `${edit}.${place}`
}

function readText(entry: NewEntry): string | undefined {
  switch (entry.type) {
    case 'USER_MESSAGE':
      return textOfUserContent(entry.data)
    case 'AGENT_MESSAGE':
      return entry.data.content
    case 'SYSTEM_REMINDER':
      return entry.data
    case 'TOOL_RESULT':
      return (entry.data.shown ?? entry.data.content).map(({ text = '' }) => text).join('\n')
  }
}

function canEdit({ label, type, data, native }: NewEntry): boolean {
  if (!WRITTEN.has(label) || native) return false
  if (type === 'USER_MESSAGE') return typeof data === 'string'
  return type === 'AGENT_MESSAGE' && data.parts === undefined
}

function withText(entry: NewEntry, text: string): NewEntry {
  if (entry.type === 'USER_MESSAGE') return { ...entry, data: text }
  if (entry.type === 'AGENT_MESSAGE') return { ...entry, data: { ...entry.data, content: text } }
  return entry
}

/** The message contains the summary once, between its tags. */
function canEditFresh({ message, summary }: FreshStart): boolean {
  return summary !== '' && message.split(summary).length === 2
}

function withSummary(fresh: FreshStart, text: string | undefined): FreshStart {
  if (text === undefined) return fresh
  const message = fresh.message.split(fresh.summary).join(text)
  return { message, summary: text, unverified: [] }
}
