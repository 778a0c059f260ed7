// Runs an answer's calls, in parallel where allowed, and logs each result at once.
import { type ApprovalPolicy, judge } from '../../core/agent/approval.ts'
import type { Tool, ToolOutcome } from '../../core/agent/tool.ts'
import { asPrecisError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import { escapeHidden } from '../../core/text/visible.ts'
import { type AfterCall, compactByTool } from '../compaction/compact-call.ts'
import { type Turn, traced } from '../core.ts'
import { unlessAborted } from '../inbox/thread-lease.ts'
import type { ApprovalQuestion } from '../ports.ts'
import { ABORTED, type Call, failed, record, text } from './results.ts'
import type { WindowStatus } from './window-status.ts'

/**
 * Runs them all, `compact` last, because no results may be outstanding then. Afterwards every call has a
 * result, or the compaction replaced it. Aborted calls have a result that says so.
 */
export async function runCalls(
  turn: Turn,
  seen: WindowStatus,
  calls: readonly Call[],
): Promise<AfterCall | undefined> {
  const isCompact = ({ name }: Call) => name === 'compact' && seen.preset.tool !== 'none'
  const tools = new Map(seen.tools.map((tool) => [tool.name, tool]))
  for (const batch of batches(
    calls.filter((call) => !isCompact(call)),
    tools,
    turn,
  ))
    await Promise.all(batch.map((call) => runCall(turn, tools.get(call.name), call, seen)))
  const [compact, ...others] = calls.filter(isCompact)
  for (const call of others)
    await record(
      turn,
      call,
      failed('compact was called more than once in this answer; call it once.'),
    )
  return compact && compactByTool(turn, seen, compact)
}

/** Adjacent calls that may run in parallel, up to the limit; the others alone. */
function batches(
  calls: readonly Call[],
  tools: ReadonlyMap<string, Tool>,
  { core }: Turn,
): Call[][] {
  const found: Call[][] = []
  let isOpen = false
  for (const call of calls) {
    const isParallel = tools.get(call.name)?.isParallel ?? true
    const last = found.at(-1)
    if (isOpen && isParallel && last && last.length < core.limits.parallelTools) last.push(call)
    else found.push([call])
    isOpen = isParallel
  }
  return found
}

async function runCall(
  turn: Turn,
  tool: Tool | undefined,
  call: Call,
  { tools }: WindowStatus,
): Promise<void> {
  if (tool === undefined) {
    const known = tools.map(({ name }) => name).join(', ')
    return record(turn, call, failed(`There is no tool ${call.name}. Tools: ${known}.`))
  }
  if (turn.signal.aborted) return record(turn, call, ABORTED)
  const outcome = await traced('precis.tool', { tool: call.name }, () =>
    readOutcome(turn, tool, call),
  )
  await record(turn, call, outcome)
}

/** Time for an aborted tool to end and to report what it did. */
const GRACE_MS = 2_000

async function readOutcome(turn: Turn, tool: Tool, call: Call): Promise<ToolOutcome> {
  const { core, desk, signal } = turn
  const { threadId } = desk
  const callId = call.id
  try {
    const subject = escapeHidden(tool.subjectOf(call.arguments))
    const problem = tool.problemOf?.(call.arguments)
    if (problem !== undefined) return failed(problem)
    const target = tool.targetOf?.(call.arguments)
    const asked = approve(turn, tool, callId, call.arguments, target)
    const verdict = await unlessAborted(signal, asked)
    const { seen } = verdict
    if (!verdict.allowed)
      return signal.aborted ? ABORTED : { status: 'denied', content: text(verdict.reason) }
    core.frames.emit({ type: 'tool-start', threadId, callId, name: call.name, subject })
    const running = tool.run(call.arguments, {
      threadId,
      callId,
      signal,
      ...(target !== undefined && { target }),
      ...(seen !== undefined && { seen }),
      onProgress: (said) =>
        core.frames.emit({ type: 'tool-progress', threadId, callId, text: said }),
    })
    return await unlessAborted(signal, running, GRACE_MS)
  } catch (thrown) {
    // Tools must not reject; one that does must not break the thread.
    if (signal.aborted) return ABORTED
    return failed(`${call.name} failed: ${asPrecisError(thrown).message}`)
  }
}

/** Whether a call may run: by rule or by asking. The log records question and answer. */
type Verdict =
  | { readonly allowed: true; readonly seen?: string }
  | { readonly allowed: false; readonly reason: string; readonly seen?: never }

const ASK_FIRST: ApprovalPolicy = { mode: 'ask', allow: ['read:*'], deny: [], readOnly: false }

async function approve(
  turn: Turn,
  tool: Tool,
  callId: string,
  input: Json,
  target?: string,
): Promise<Verdict> {
  const { name, effect } = tool
  const written = tool.subjectOf(input)
  const policy = turn.core.settings.approval ?? ASK_FIRST
  // A path is judged as written and as resolved; the stricter verdict counts.
  const judged = [...new Set([written, target ?? written])].map((each) =>
    judge(policy, { name, effect, subject: each }),
  )
  const { verdict, reason } = judged.find((each) => each.verdict === 'deny') ??
    judged.find((each) => each.verdict === 'ask') ?? { verdict: 'allow', reason: '' }
  const subject = (target ?? written) === written ? written : `${written} → ${target}`
  if (verdict === 'allow') return { allowed: true }
  if (verdict === 'deny') return { allowed: false, reason }
  // The person who decides sees every character in any interface.
  const shown = { subject: escapeHidden(subject), reason: escapeHidden(reason) }
  const change = turn.core.ports.approver && (await tool.changeOf?.(input, target))
  const diff = change && { diff: escapeHidden(change.diff) }
  const answer = await ask(turn, { callId, name, ...shown, input, ...diff })
  return answer.allowed && change ? { ...answer, seen: change.seen } : answer
}

async function ask(
  { core, desk, signal }: Turn,
  question: Omit<ApprovalQuestion, 'threadId' | 'signal'>,
): Promise<Verdict> {
  const { threads, approver } = core.ports
  const { threadId } = desk
  const { reason, input: _, ...told } = question
  if (!approver)
    return {
      allowed: false,
      reason: `${reason} Permission could not be asked for; the call was not run.`,
    }
  const record = (type: 'TOOL_APPROVAL_REQUEST' | 'TOOL_APPROVAL_RESPONSE', decision = '') =>
    threads.append(
      threadId,
      [
        type === 'TOOL_APPROVAL_REQUEST'
          ? { type, data: { toolCallId: told.callId } }
          : { type, data: { toolCallId: told.callId, decision } },
      ],
      { openCalls: 'leave' },
    )
  await record('TOOL_APPROVAL_REQUEST')
  core.frames.emit({ type: 'approval-request', threadId, ...told, reason })
  const asking = async () => approver({ ...question, threadId, signal })
  const decision = await unlessAborted(signal, asking()).catch(() => 'deny' as const)
  await record('TOOL_APPROVAL_RESPONSE', decision)
  return decision === 'allow'
    ? { allowed: true }
    : { allowed: false, reason: 'The user did not allow it.' }
}
