// The agent calls `compact`: the range form and the whole form, and what happens afterwards.
import type { ReplacementRequest } from '../../core/agent/tool.ts'
import { GATE_MIN_TOKENS } from '../../core/edit/gate.ts'
import { PrecisError } from '../../core/errors.ts'
import { weightOf } from '../../core/view/context.ts'
import { findRequests } from '../../core/view/last-request.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { targetOf } from '../../core/window/trigger.ts'
import type { Turn } from '../core.ts'
import { waitingIn } from '../inbox/waiting.ts'
import { type Call, failed, readReason, record } from '../loop/results.ts'
import { targetWeight, type WindowStatus } from '../loop/window-status.ts'
import type { ContextFile } from '../ports.ts'
import { runCompaction } from './compaction.ts'
import { planFor } from './compaction-settings.ts'

/** Goes on with the task, or waits for the user (docs/spec/conflicts.md, C3). */
export type AfterCall = 'continue' | 'wait'

/**
 * The call has its end when this returns: it is gone with what was replaced, or a sentence stands in
 * its place, or it has a result. Without a change of the thread the agent goes on and can try again.
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
    const outcome = failed(aborted ? 'aborted' : error ? readReason(error) : 'It failed.')
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

/** In one turn, of a thread that is hardly longer than the last one left it. */
const MOST_IN_A_ROW = 2

/** Why not once more; undefined where there is something to compact. A refused call is nothing to compact. */
function tooOften({ core, desk }: Turn, { state }: WindowStatus): string | undefined {
  const { times, leftTokens } = desk.ownCompactions
  const { items, tokens } = state.context
  const { gateMinTokens = GATE_MIN_TOKENS } = core.settings
  const grown = tokens - (items.last?.tokens ?? 0) - leftTokens
  if (times < MOST_IN_A_ROW || grown >= gateMinTokens) return undefined
  desk.ownCompactions = { times, leftTokens: tokens }
  return `The thread was compacted ${times} times in this turn, and has hardly grown since. Go on with the task; compact again when there is more.`
}

/** What the user asked for last, as long as it is in the context. */
async function openRequest({ core, desk }: Turn): Promise<string> {
  const { context, eventAt } = await core.ports.threads.contents(desk.threadId)
  return findRequests(context.items.toArray(), eventAt).shown.at(-1)?.text ?? ''
}

const QUOTED_CHARS = 200

/** Without a next step the turn is over, and the request may still be open; unless more was said meanwhile. */
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

/** Where other calls stood beside it, the call is still there and gets a result like them. */
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

/** The files that it names, as they are now, as far as there is room for them. */
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

/** For the note behind the summary, and errors of the estimate. */
const BESIDE_TOKENS = 300
/** Of what goes, files and summary may take so much: a compaction makes a thread smaller. */
const SHARE_OF_GONE = 0.6

/** In tokens. Undefined where neither the window nor the length of the thread sets a limit. */
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
