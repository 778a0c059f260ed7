// `chunked-fold`: a small agent edits a running summary chunk by chunk, and the summary replaces the thread.
import type { NewEntry } from '../../core/edit/change.ts'
import { CONTINUE_AFTER_FOLD } from '../../core/edit/continue-prompt.ts'
import { isExcuse } from '../../core/edit/excuse.ts'
import { checkSummary, saysNothing } from '../../core/edit/gate-summary.ts'
import type { Proposal, Strategy, StrategyInput } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import { Sequence } from '../../core/log/upcast.ts'
import type { ModelPort } from '../../core/ports.ts'
import { buildWithWriters, conversationModel } from '../../core/view/build.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import { weightOf } from '../../core/view/context.ts'
import { runsOf } from '../../core/view/entry-range.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { sumUsage, withUsage } from '../../core/window/usage.ts'
import { weigh } from '../range.ts'
import { asProse } from '../summary/as-data.ts'
import { noModel } from '../summary/ask-for-summary.ts'
import { proposeBrief } from '../summary/brief-instead.ts'
import { checkAgainstSource, readSource, withNote } from '../summary/checks.ts'
import { withFloor } from '../summary/floor.ts'
import { type WholeRange, wholeRange } from '../whole-range.ts'
import { type FoldedSummary, foldChunks } from './chunks.ts'
import type { FoldTask } from './fold-agent.ts'
import { planFold } from './plan.ts'
import { foldPrompt } from './prompt.ts'
import { type RenderedThread, renderThreadToMarkdown } from './render-thread.ts'

/** Limit of the user's next message and instructions. */
const MAX_ASIDE_CHARS = 8_000
/** A summary must be shorter than this share of its source. */
const SHORTER = 0.7

export const chunkedFold: Strategy = withFloor({
  id: 'chunked-fold',
  async propose(input) {
    const { run } = input
    const range = wholeRange(input)
    const rendered = renderRange(input, range)
    // Gaps and results without calls have no text.
    if (rendered.markdown.trim() === '') {
      run.onWarning?.('There is nothing to fold in this thread.')
      return { edits: [] }
    }
    const { provider } = run
    const converse = provider?.converse?.bind(provider)
    if (!provider || !converse) throw noModel('chunked-fold requires a model that can call tools')
    let usage: TokenUsage | undefined
    const spend = (more: TokenUsage) => {
      usage = sumUsage(usage, more)
    }
    try {
      const fold = { input, range, rendered }
      const folded = await foldWith(provider, converse, fold, spend)
      const proposal = buildProposal(input, range, folded, usage)
      // A refusal is not part of a summary: the gate reports it and nothing changes.
      return isIncomplete(folded) && !checkSummary(proposal, proposal.edits, isExcuse)
        ? await briefFor(input, folded, usage)
        : proposal
    } catch (thrown) {
      // The next run must not reuse a failed summary.
      if (PrecisError.is(thrown) && thrown.code === 'model-failed' && !thrown.retryable)
        await run.scratch?.clear()
      throw withUsage(thrown, usage)
    }
  },
})

/** With the end missing, or more than one chunk, the summary would be misleading. */
function isIncomplete({ chunks, unchangedChunks }: FoldedSummary): boolean {
  return chunks > 1 && (unchangedChunks.length > 1 || unchangedChunks.includes(chunks))
}

async function briefFor(
  input: StrategyInput,
  { chunks, unchangedChunks, leftChunks }: FoldedSummary,
  usage: TokenUsage | undefined,
): Promise<Proposal> {
  const missing = `${unchangedChunks.length + leftChunks} of ${chunks} chunks are not in the summary`
  return proposeBrief(input, usage, { chunks, unchangedChunks }, missing)
}

interface ToFold {
  readonly input: StrategyInput
  readonly range: WholeRange
  readonly rendered: RenderedThread
}

async function foldWith(
  provider: ModelPort,
  converse: FoldTask['converse'],
  { input, range, rendered }: ToFold,
  onUsage: (usage: TokenUsage) => void,
): Promise<FoldedSummary> {
  const { context, eventAt, run } = input
  const model = run.fastModel ?? run.model ?? 'fast'
  const conversation = conversationModel(context, eventAt)
  const asides = findAsides(input)
  const plan = planFold({
    rendered,
    limits: (await provider.limitsOf?.(model, run.signal)) ?? {},
    promptTokens: estimateTokens(
      foldPrompt({
        ...asides,
        chunk: '',
        number: 2,
        total: 2,
        fence: '',
        maxSummaryChars: 0,
        allowanceChars: 0,
        again: 'unchanged',
      }),
    ),
    summaryTokens: longestSummary(input, range),
  })
  return foldChunks({
    plan,
    run,
    ...asides,
    request: {
      model,
      maxOutputTokens: plan.maxOutputTokens,
      ...(conversation && { conversation }),
      ...(run.signal && { signal: run.signal }),
    },
    converse,
    onUsage,
  })
}

function renderRange({ context, eventAt }: StrategyInput, { covered }: WholeRange): RenderedThread {
  const part = { ...context, items: Sequence.from(covered), open: new Set<string>() }
  const { messages, writers } = buildWithWriters(part, eventAt)
  return renderThreadToMarkdown(messages, writers)
}

type Asides = Pick<StrategyInput, 'nextPrompt' | 'instructions'>

function findAsides({ nextPrompt, instructions }: StrategyInput): Asides {
  return {
    ...(nextPrompt?.trim() && { nextPrompt: cutHead(nextPrompt, MAX_ASIDE_CHARS) }),
    ...(instructions !== undefined && { instructions: cutHead(instructions, MAX_ASIDE_CHARS) }),
  }
}

/** In tokens: below the target with everything that stays, and clearly shorter than its source. */
function longestSummary(input: StrategyInput, { covered, kept }: WholeRange): number {
  const { context, targetTokens = Number.POSITIVE_INFINITY } = input
  // Unread results are cut to half of it.
  const staying = weightOf(context) - context.tokens + Math.min(weigh(kept), targetTokens / 2)
  return Math.floor(Math.min((targetTokens - staying) * SHORTER, weigh(covered) * SHORTER))
}

function buildProposal(
  { context, eventAt, instructions, nextPrompt }: StrategyInput,
  { covered, continues }: WholeRange,
  { summary, chunks, reusedChunks, unchangedChunks }: FoldedSummary,
  usage: TokenUsage | undefined,
): Proposal {
  const source = readSource(context, eventAt, instructions, nextPrompt)
  const checked = checkAgainstSource(asProse(summary), source, 'disarmed')
  const { text, unverified, stripped } = checked
  if (saysNothing(text))
    throw new PrecisError('model-failed', 'The model has written nothing into the summary.', {
      hint: 'Try again, choose another model as models.fast, or type /strategy cascade and then /compact.',
    })
  const put: NewEntry[] = [
    {
      type: 'USER_MESSAGE',
      data: `<conversation-summary>\n${withNote(checked)}\n</conversation-summary>`,
      label: 'summary',
    },
  ]
  if (continues)
    put.push({ type: 'USER_MESSAGE', data: CONTINUE_AFTER_FOLD, label: 'continuation' })
  return {
    edits: [{ covers: runsOf(covered, eventAt), put }],
    metadata: {
      chunks,
      reusedChunks,
      unchangedChunks,
      summaryLength: text.length,
      ...(unverified.length > 0 && { unverified }),
      ...(stripped > 0 && { inventedRequests: stripped }),
    },
    stopReason: 'end',
    written: [{ text }],
    ...(usage && { usage }),
  }
}
