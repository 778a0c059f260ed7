// `/compact` in presets whose agent compacts: asks it to call `compact`, and the call is the proposal.
import type { ReplacementRequest } from '../../core/agent/tool.ts'
import { billedAnswer } from '../../core/billed-answer.ts'
import type { ReportFallback } from '../../core/edit/report.ts'
import type { Proposal, Strategy, StrategyInput } from '../../core/edit/strategy.ts'
import { errorWords, PrecisError } from '../../core/errors.ts'
import { type Built, buildMessages } from '../../core/view/build.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import { weightOf } from '../../core/view/context.ts'
import type { Message } from '../../core/view/message.ts'
import { sumUsage, withUsage } from '../../core/window/usage.ts'
import type { Turn } from '../core.ts'
import { retryTeller } from '../loop/answer.ts'
import { requestFor } from '../loop/request.ts'
import { count, rangeLines } from '../loop/window-fill.ts'
import type { WindowStatus } from '../loop/window-status.ts'
import { findFiles } from './compact-call.ts'

const TRIES = 2
const IDS = { ranges: 'checkpoint-range', summary: 'whole-summary' } as const

/**
 * Neither the request nor the answer is logged, since both would have to be removed again. Their cost is
 * recorded with the compaction.
 */
export function askAgent(turn: Turn, seen: WindowStatus): Strategy {
  const mode = seen.preset.tool
  if (mode === 'none') throw new PrecisError('internal', 'This thread has no compact tool.')
  return {
    id: IDS[mode],
    async propose(input) {
      if (input.context.items.toArray().every((item) => item.kind === 'gap')) return { edits: [] }
      const { signal = turn.signal } = input.run
      return proposeByAgent({ ...turn, signal: signal as AbortSignal }, seen, mode, input)
    },
  }
}

async function proposeByAgent(
  turn: Turn,
  seen: WindowStatus,
  mode: ReplacementRequest['mode'],
  input: StrategyInput,
): Promise<Proposal> {
  let usage: TokenUsage | undefined
  let complaint: Complaint | undefined
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const answer = await askOnce(turn, seen, input, complaint?.toAgent).catch((thrown: unknown) => {
      throw withUsage(asTooLong(thrown), usage)
    })
    if (answer.usage) usage = sumUsage(usage, answer.usage)
    const proposal = await proposalFrom(turn, seen, mode, input, answer).catch(
      (thrown: unknown) => {
        throw withUsage(thrown, usage)
      },
    )
    if (!('toAgent' in proposal)) return { ...proposal, ...(usage && { usage }) }
    complaint = proposal
  }
  throw new PrecisError(
    'model-failed',
    `The agent did not compact the thread: ${complaint?.toUser ?? NOT_CALLED.toUser}`,
    {
      hint: 'Try again, or type /strategy summarize and then /compact.',
      details: { ...(usage && { usage }) },
    },
  )
}

const TOO_LONG = 'The conversation is too long for its model: the agent cannot be asked.'

/** Why another strategy runs instead of asking the agent. */
export function tooLongToAsk(mode: ReplacementRequest['mode']): ReportFallback {
  return { from: IDS[mode], reason: TOO_LONG }
}

/** The provider's own hint would be to compact, which was just tried. */
function asTooLong(thrown: unknown): unknown {
  if (!PrecisError.is(thrown) || thrown.code !== 'overflow') return thrown
  return new PrecisError('overflow', TOO_LONG, {
    hint: 'Type /strategy summarize and then /compact: it is summarised in parts.',
    cause: thrown,
  })
}

/** What is wrong with the agent's call, worded for the agent and for the user. */
interface Complaint {
  readonly toAgent: string
  readonly toUser: string
}

const NOT_CALLED: Complaint = {
  toAgent: 'You did not call the tool.',
  toUser: 'it did not call its `compact` tool.',
}

/** An incomplete call does not count. */
const CUT_OFF: Complaint = {
  toAgent: 'Your answer was cut off before the call was complete. Write a shorter summary.',
  toUser: 'its answer was cut off before its call was complete.',
}

function refusedCall(toAgent: string, message = toAgent): Complaint {
  return { toAgent, toUser: `its call was refused. ${message}` }
}

async function proposalFrom(
  turn: Turn,
  seen: WindowStatus,
  mode: ReplacementRequest['mode'],
  input: StrategyInput,
  { called, isCutOff }: AgentReply,
): Promise<Proposal | Complaint> {
  const { compactTool } = turn.core.ports
  if (called === undefined) return isCutOff ? CUT_OFF : NOT_CALLED
  const read = compactTool.read(mode, called)
  if (typeof read === 'string') return refusedCall(read)
  const wanted = withoutContinuation(read)
  const strategy = compactTool.strategy(wanted, await findFiles(turn, seen, wanted))
  try {
    return await strategy.propose(input)
  } catch (thrown) {
    if (PrecisError.is(thrown) && thrown.code !== 'aborted')
      return refusedCall(errorWords(thrown), thrown.message)
    throw thrown
  }
}

interface AgentReply {
  readonly called: Parameters<Turn['core']['ports']['compactTool']['read']>[1] | undefined
  readonly isCutOff: boolean
  readonly usage?: TokenUsage
}

async function askOnce(
  turn: Turn,
  seen: WindowStatus,
  input: StrategyInput,
  complaint: string | undefined,
): Promise<AgentReply> {
  const built = buildMessages(input.context, input.eventAt)
  const text = requestText(input, seen, built, complaint)
  const asked = requestFor(seen, built, turn.signal, message(text))
  const request = { ...asked, onRetry: retryTeller(turn) }
  const { model } = seen
  const { answer, calls, usage } = await billedAnswer(model.ref, model.provider, request)
  const call = calls.find(({ name }) => name === 'compact')
  const isCutOff = answer.stopReason === 'length'
  return { called: call?.arguments, isCutOff, ...(usage && { usage }) }
}

/** The target for a thread that is not too large, as a share of it. */
const SHARE = 0.3
/** Smaller threads need no target. */
const LEAST_TOKENS = 1_000

function requestText(
  { context, instructions, nextPrompt, targetTokens }: StrategyInput,
  { preset }: WindowStatus,
  built: Built,
  complaint: string | undefined,
): string {
  const tokens = weightOf(context)
  const target = Math.min(targetTokens ?? tokens, Math.max(LEAST_TOKENS, tokens * SHARE))
  const sizes = preset.tool === 'ranges' ? rangeLines(context, built) : []
  return [
    'Compact this conversation now: call your `compact` tool, and do nothing else.',
    [
      `The conversation has about ${count(tokens)} tokens.`,
      ...(tokens > LEAST_TOKENS ? [`Aim for at most ${count(target)} afterwards.`] : []),
      'Whatever your summary leaves out is gone from your view, the current request of the user included.',
    ].join(' '),
    ...(sizes.length === 0 ? [] : [sizes.join('\n')]),
    ...(instructions === undefined ? [] : [`The user adds: ${instructions}`]),
    ...(nextPrompt === undefined
      ? []
      : [
          `The next message of the user, so that you keep what it needs (do not answer it now, and do not put it into the summary):\n${nextPrompt.replace(/^/gm, '> ')}`,
        ]),
    ...(complaint === undefined ? [] : [`Your last attempt did not work: ${complaint}`]),
  ].join('\n\n')
}

function message(text: string): Message {
  return { role: 'user', parts: [{ type: 'text', text }] }
}

/** The user decides what comes next, not the agent. */
function withoutContinuation(input: ReplacementRequest): ReplacementRequest {
  if (input.mode === 'ranges') return input
  const { continuation: _, ...rest } = input
  return rest
}
