// The agent's own `compact` call, in the range form and the whole form, and what follows.
import type { ReplacementRequest } from '../../core/agent/tool.ts'
import { GATE_MIN_TOKENS } from '../../core/edit/gate.ts'
import { errorWords, PrecisError } from '../../core/errors.ts'
import { weightOf } from '../../core/view/context.ts'
import { findRequests } from '../../core/view/last-request.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { targetOf } from '../../core/window/trigger.ts'
import type { Turn } from '../core.ts'
import { waitingIn } from '../inbox/waiting.ts'
import { type Call, failed, record } from '../loop/results.ts'
import { targetWeight, type WindowStatus } from '../loop/window-status.ts'
import type { ContextFile } from '../ports.ts'
import { runCompaction } from './compaction.ts'
import { planFor } from './compaction-settings.ts'

/** Continue with the task, or wait for the user (docs/spec/conflicts.md, C3). */
export type AfterCall = 'continue' | 'wait'

/**
 * When this returns the call is complete: replaced with its range, replaced by a sentence, or answered. If
 * the thread did not change, the agent continues and may retry.
 */
export async function compactByTool(
  turn: Turn,
  seen: WindowStatus,
  call: Call,
): Promise<AfterCall> {
  const { core, desk } = turn
  const { threadId } = desk
  const mode = seen.preset.tool
  if (mode === 'none') throw new PrecisError('internal', 'This thread has no compact tool.')
  core.frames.emit({
    type: 'tool-start',
    threadId,
    callId: call.id,
    name: 'compact',
    subject: mode === 'ranges' ? 'ranges' : 'the whole thread',
  })
  const input = core.ports.compactTool.read(mode, call.arguments)
  if (typeof input === 'string') return refuse(turn, call, input)
  const often = tooOften(turn, seen)
  if (often !== undefined) return refuse(turn, call, often)
  const files = await findFiles(turn, seen, input)
  if (desk.compaction)
    return refuse(turn, call, 'Another compaction of this thread is running; go on without one.')
  const request = await openRequest(turn)
  const strategy = core.ports.compactTool.strategy(input, files, call.id)
  const result = await runCompaction(core, desk, {
    plan: planFor(turn, { preset: seen.preset }, { trigger: 'tool', strategies: [strategy] }),
    message: 'Compacting conversation to save space...',
    model: seen.model,
  })
  if (!result.success) {
    const { end, error } = result
    const aborted = end === 'aborted'
    const outcome = failed(aborted ? 'aborted' : error ? errorWords(error) : 'It failed.')
    await record(turn, call, aborted ? { ...outcome, status: 'aborted' } : outcome)
    return 'continue'
  }
  await closeCall(turn, call)
  const { tokens: leftTokens } = await core.ports.threads.context(threadId)
  desk.ownCompactions = { times: desk.ownCompactions.times + 1, leftTokens }
  const after = afterwards(input)
  if (after === 'wait') await sayThatItWaits(turn, request)
  return after
}

/** Own compactions in one turn without significant growth in between. */
const MOST_IN_A_ROW = 2

/** Why another one is refused; undefined if it may run. A refused call does not count as content. */
function tooOften({ core, desk }: Turn, { state }: WindowStatus): string | undefined {
  const { times, leftTokens } = desk.ownCompactions
  const { items, tokens } = state.context
  const { gateMinTokens = GATE_MIN_TOKENS } = core.settings
  const grown = tokens - (items.last?.tokens ?? 0) - leftTokens
  if (times < MOST_IN_A_ROW || grown >= gateMinTokens) return undefined
  desk.ownCompactions = { times, leftTokens: tokens }
  return `The thread was compacted ${times} times in this turn, and has hardly grown since. Go on with the task; compact again when there is more.`
}

/** The user's last request, if it is in the context. */
async function openRequest({ core, desk }: Turn): Promise<string> {
  const { context, eventAt } = await core.ports.threads.contents(desk.threadId)
  return findRequests(context.items.toArray(), eventAt).shown.at(-1)?.text ?? ''
}

const QUOTED_CHARS = 200

/** Without a continuation the turn ends, although the request may be open; says so unless more was sent. */
async function sayThatItWaits({ core, desk }: Turn, request: string): Promise<void> {
  const { threadId } = desk
  if ((await waitingIn(core, threadId)).length > 0) return
  const asked = request === '' ? '' : ` Your last request: ${cutHead(request, QUOTED_CHARS)}`
  const message = `The agent compacted the thread and named no next step, so it stopped here. Send «continue» to go on.${asked}`
  core.frames.emit({ type: 'notice', threadId, level: 'warning', message })
}

async function refuse(turn: Turn, call: Call, reason: string): Promise<AfterCall> {
  await record(turn, call, failed(reason))
  return 'continue'
}

/** If other calls stood beside it, the call is still there and gets a result. */
async function closeCall(turn: Turn, call: Call): Promise<void> {
  const { core, desk } = turn
  const { open } = await core.ports.threads.context(desk.threadId)
  if (open.has(call.id))
    await record(turn, call, {
      status: 'completed',
      content: [{ type: 'text', text: 'I compacted the thread' }],
    })
  else
    core.frames.emit({
      type: 'tool-end',
      threadId: desk.threadId,
      callId: call.id,
      name: 'compact',
      status: 'completed',
    })
}

function afterwards(input: ReplacementRequest): AfterCall {
  if (input.mode === 'ranges') return 'continue'
  return input.continuation?.trim() ? 'continue' : 'wait'
}

/** The current content of the named files, as far as there is room. */
export async function findFiles(
  { core, desk }: Turn,
  seen: WindowStatus,
  input: ReplacementRequest,
): Promise<readonly ContextFile[]> {
  if (input.mode === 'ranges' || !input.contextFiles?.length) return []
  const { readContextFiles } = core.ports
  const { workspace } = seen.choices
  const { gateMinTokens } = core.settings
  if (readContextFiles)
    return readContextFiles(
      desk.threadId,
      workspace,
      input.contextFiles,
      filesRoom(seen, input, gateMinTokens),
    )
  return input.contextFiles.map((path) => ({ path, error: 'no files can be read here' }))
}

/** Room for the note behind the summary, and for estimation errors. */
const BESIDE_TOKENS = 300
/** Maximum size of files and summary relative to what they replace: a compaction must shrink. */
const SHARE_OF_GONE = 0.6

/** In tokens. Undefined if neither window nor thread sets a limit. */
function filesRoom(
  { state, policy, budget, reading }: WindowStatus,
  { summary, continuation = '' }: Extract<ReplacementRequest, { mode: 'summary' }>,
  minTokens = GATE_MIN_TOKENS,
): number | undefined {
  const { context } = state
  const target = targetOf(policy, budget, undefined)
  const written = estimateTokens(summary) + estimateTokens(continuation) + BESIDE_TOKENS
  const head = weightOf(context) - context.tokens
  const rooms = [
    ...(target === undefined
      ? []
      : [targetWeight({ state, budget, reading }, target) - head - written]),
    ...(context.tokens < minTokens ? [] : [context.tokens * SHARE_OF_GONE - written]),
  ]
  return rooms.length === 0 ? undefined : Math.max(0, Math.floor(Math.min(...rooms)))
}
