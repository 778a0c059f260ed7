// Whether a call may run: by the rules, or by asking; and what was asked and answered is in the log.
import { type ApprovalPolicy, judge } from '../../core/agent/approval.ts'
import type { Tool } from '../../core/agent/tool.ts'
import type { Json } from '../../core/text/json.ts'
import { escapeHidden } from '../../core/text/visible.ts'
import type { Turn } from '../core.ts'
import { unlessAborted } from '../inbox/unless-aborted.ts'
import type { ApprovalQuestion } from '../ports.ts'

export type Verdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: string }

const ASK_FIRST: ApprovalPolicy = { mode: 'ask', allow: ['read:*'], deny: [], readOnly: false }

export async function approve(
  turn: Turn,
  tool: Tool,
  callId: string,
  input: Json,
  target: string = tool.subjectOf(input),
): Promise<Verdict> {
  const { name, effect } = tool
  const written = tool.subjectOf(input)
  const policy = turn.core.settings.approval ?? ASK_FIRST
  // A path is judged as it is written, and as where it leads: the stricter one counts.
  const judged = [...new Set([written, target])].map((each) =>
    judge(policy, { name, effect, subject: each }),
  )
  const { verdict, reason } = judged.find((each) => each.verdict === 'deny') ??
    judged.find((each) => each.verdict === 'ask') ?? { verdict: 'allow', reason: '' }
  const subject = target === written ? written : `${written} → ${target}`
  if (verdict === 'allow') return { allowed: true }
  if (verdict === 'deny') return { allowed: false, reason }
  // Whoever decides sees every character, whatever shows it to them.
  const shown = { subject: escapeHidden(subject), reason: escapeHidden(reason) }
  return ask(turn, { callId, name, ...shown, input })
}

async function ask(
  { core, desk, signal }: Turn,
  question: Omit<ApprovalQuestion, 'threadId' | 'signal'>,
): Promise<Verdict> {
  const { threads, approver } = core.ports
  const { threadId } = desk
  const { callId, name, subject, reason } = question
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
          ? { type, data: { toolCallId: callId } }
          : { type, data: { toolCallId: callId, decision } },
      ],
      { openCalls: 'leave' },
    )
  await record('TOOL_APPROVAL_REQUEST')
  core.frames.emit({ type: 'approval-request', threadId, callId, name, subject, reason })
  const asking = async () => approver({ ...question, threadId, signal })
  const decision = await unlessAborted(signal, asking()).catch(() => 'deny' as const)
  await record('TOOL_APPROVAL_RESPONSE', decision)
  return decision === 'allow'
    ? { allowed: true }
    : { allowed: false, reason: 'The user did not allow it.' }
}
