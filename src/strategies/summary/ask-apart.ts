// Asks a model about another conversation as data, in as many parts as its window requires.
import { isExcuse } from '../../core/edit/excuse.ts'
import { saysNothing } from '../../core/edit/gate-summary.ts'
import type { CompactionContext } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import type { AskAnswer, AskRequest, ModelLimits, ModelPort } from '../../core/ports.ts'
import type { ModelRef, TokenUsage } from '../../core/view/content.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { sumUsage, withUsage } from '../../core/window/usage.ts'
import { chunkMessages } from '../fold/render-thread.ts'
import { asProse } from './as-data.ts'
import type { Transcript } from './serialize.ts'
import { GO_ON, SUMMARIZER_SYSTEM } from './summarizer-prompt.ts'

interface ApartRequest {
  readonly provider: ModelPort
  readonly run: CompactionContext
  readonly conversation: ModelRef | undefined
  readonly transcript: Transcript
  /** The summary before the transcript, as data. */
  readonly previous?: string
  readonly prompt: string
  /** Replaces `prompt` if there is a previous summary; default: `prompt` with a remark. */
  readonly updatePrompt?: string
  readonly maxOutputTokens?: number
}

/** The usable share of a window, given estimation errors. */
const TRUSTED = 0.85
const SMALLEST_PART_TOKENS = 256
/** How much a part may exceed its target, as a share of the whole. */
const TOLERANCE = 0.2
const MAX_SHRINKS = 4
/** More requests than expected: announced before they are made. */
const MANY_PARTS = 64

/**
 * One request if the record fits; otherwise one per part, in order, each with the summary so far. A refusal
 * for length makes the parts smaller. Rejects like `checkedAnswer`.
 */
export async function askApart(request: ApartRequest): Promise<AskAnswer> {
  const { provider, run, transcript } = request
  const model = run.fastModel ?? run.model ?? 'default'
  const limits = (await provider.limitsOf?.(model, run.signal)) ?? {}
  const outputTokens = outputRoom(limits, request.maxOutputTokens)
  let roomTokens = partRoom(request, limits, outputTokens)
  let usage: TokenUsage | undefined
  const ask = async (text: string, previous: string | undefined): Promise<AskAnswer> => {
    const answer = await checkedAnswer(
      provider,
      readMessage(request, { text, previous, model, outputTokens }),
    )
    if (answer.usage) usage = sumUsage(usage, answer.usage)
    return answer
  }
  for (let shrinks = 0; ; shrinks += 1) {
    const parts = readParts(transcript, roomTokens)
    if (parts.length > MANY_PARTS)
      run.onWarning?.(`The conversation is summarised in ${parts.length} parts, one request each.`)
    try {
      let answer: AskAnswer | undefined
      for (const [done, part] of parts.entries()) {
        if (parts.length > 1) tellProgress(run, done, parts.length)
        if (answer) requireSummary(answer)
        answer = await ask(part, answer ? asProse(answer.text) : request.previous)
      }
      if (answer) return { ...answer, ...(usage && { usage }) }
      throw new PrecisError('internal', 'There is nothing to summarise.')
    } catch (error) {
      const isTooLong = PrecisError.is(error) && error.code === 'overflow'
      if (!isTooLong || shrinks >= MAX_SHRINKS) throw withUsage(error, usage)
      roomTokens = Math.floor(Math.min(roomTokens, longest(parts)) / 2)
    }
  }
}

/** The gate judges the last answer. Before it, an excuse would replace everything so far. */
function requireSummary({ text }: AskAnswer): void {
  if (isExcuse(text))
    throw new PrecisError('model-failed', 'The model refused to summarise a part of the record.', {
      hint: 'Try again, choose another model, or use a strategy that needs none.',
      details: { ending: 'refused' },
    })
}

function tellProgress(run: CompactionContext, done: number, total: number): void {
  run.onProgress?.({ message: `Summarising part ${done + 1} of ${total}`, done, total })
}

interface Part {
  readonly text: string
  readonly previous: string | undefined
  readonly model: string
  readonly outputTokens: number
}

function readMessage(request: ApartRequest, part: Part): AskRequest {
  const { run, conversation, prompt, updatePrompt = `${GO_ON}\n\n${prompt}` } = request
  const { text, previous, model, outputTokens } = part
  const said = [
    ...(previous === undefined ? [] : [`<previous-summary>\n${previous}\n</previous-summary>`]),
    `<conversation>\n${text}\n</conversation>`,
    previous === undefined ? prompt : updatePrompt,
  ].join('\n\n')
  return {
    system: SUMMARIZER_SYSTEM,
    messages: [{ role: 'user', parts: [{ type: 'text', text: said }] }],
    model,
    maxOutputTokens: outputTokens,
    ...(conversation && { conversation }),
    ...(run.signal && { signal: run.signal }),
  }
}

/** Tokens of the record in one request, besides the prompt, the summary so far and the answer. */
function partRoom(
  { prompt, updatePrompt = '', previous = '' }: ApartRequest,
  { windowTokens }: ModelLimits,
  outputTokens: number,
): number {
  if (windowTokens === undefined) return Number.POSITIVE_INFINITY
  const told = estimateTokens(`${SUMMARIZER_SYSTEM}${GO_ON}${prompt}${updatePrompt}`)
  const summary = Math.max(outputTokens, estimateTokens(previous))
  const room = Math.floor((windowTokens - outputTokens) * TRUSTED) - told - summary
  return Math.max(SMALLEST_PART_TOKENS, room)
}

function readParts({ text, boundaries }: Transcript, roomTokens: number): string[] {
  const tokens = estimateTokens(text)
  if (tokens <= roomTokens) return [text]
  let chars = Math.max(SMALLEST_PART_TOKENS, Math.floor((text.length / tokens) * roomTokens))
  let parts = cut(text, boundaries, chars)
  // Parts in another script have more tokens for the same length.
  while (longest(parts) > roomTokens && chars > SMALLEST_PART_TOKENS) {
    chars = Math.max(SMALLEST_PART_TOKENS, Math.floor(chars / 2))
    parts = cut(text, boundaries, chars)
  }
  return parts
}

function cut(text: string, boundaries: readonly number[], chars: number): string[] {
  const tolerance = Math.floor(chars * TOLERANCE)
  return chunkMessages(text, boundaries, chars - tolerance, tolerance)
}

function longest(parts: readonly string[]): number {
  return Math.max(...parts.map(estimateTokens))
}

/** Room for a long summary, and for thinking before it. */
const OUTPUT_TOKENS = 16_384
/** An answer takes at most a quarter of a small window. */
const OUTPUT_SHARE = 4

/** The maximum length of a summary, for the model that writes it. */
export function outputRoom(
  { windowTokens, outputTokens }: ModelLimits,
  wanted = OUTPUT_TOKENS,
): number {
  const share = windowTokens === undefined ? wanted : Math.floor(windowTokens / OUTPUT_SHARE)
  return Math.max(1, Math.min(wanted, outputTokens ?? wanted, share))
}

/** For people: stop reasons are named for programs. */
const BROKEN_OFF: Readonly<Record<string, string>> = {
  length: 'The summary was cut off: the answer reached the longest that the model may give',
  tool_use: 'The model called a tool where it was asked for a summary',
  refusal: 'The model refused to write the summary',
}

/** Rejects with `aborted` on the signal, and with `model-failed` on an empty or broken answer. */
export async function checkedAnswer(provider: ModelPort, request: AskRequest): Promise<AskAnswer> {
  const { signal } = request
  if (signal?.aborted) throw aborted()
  const answer = await provider.ask(request)
  if (signal?.aborted) throw aborted()
  const { stopReason, text, usage } = answer
  const details = { ...(usage && { usage }) }
  if (stopReason !== 'end')
    throw new PrecisError(
      'model-failed',
      `${BROKEN_OFF[stopReason] ?? 'The summary did not come to an end'}.`,
      {
        hint: 'Try again, choose another model, or use a strategy that needs none.',
        retryable: stopReason === 'error',
        details: { ...details, ending: stopReason },
      },
    )
  if (saysNothing(text))
    throw new PrecisError('model-failed', 'The model answered with an empty summary.', {
      details: { ...details, ending: 'empty' },
    })
  const { maxOutputTokens = Number.POSITIVE_INFINITY } = request
  if (estimateTokens(text) > TOO_LONG * maxOutputTokens)
    throw new PrecisError('model-failed', 'The model wrote far more than it was allowed to.', {
      details: { ...details, ending: 'too-long' },
    })
  return answer
}

/** Estimates may be off by this; some servers exceed the limit. */
const TOO_LONG = 2

function aborted(): PrecisError {
  return new PrecisError('aborted', 'The summary was aborted; nothing was changed.')
}
