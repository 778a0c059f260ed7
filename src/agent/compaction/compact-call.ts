// The agent calls `compact`: the range form and the whole form, and what happens afterwards.
import { PrecisError } from '../../core/errors.ts'
import type { Turn } from '../core.ts'
import { type Call, failed, readReason, record } from '../loop/results.ts'
import type { WindowStatus } from '../loop/window-status.ts'
import type { CompactInput, ContextFile } from '../ports.ts'
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
  const files = await findFiles(turn, seen, input)
  if (desk.compaction)
    return refuse(turn, call, 'Another compaction of this thread is running; go on without one.')
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
  return afterwards(input)
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

function afterwards(input: CompactInput): AfterCall {
  if (input.mode === 'ranges') return 'continue'
  return input.continuation?.trim() ? 'continue' : 'wait'
}

/** The files that it names, as they are now. */
export async function findFiles(
  { core, desk }: Turn,
  { choices }: WindowStatus,
  input: CompactInput,
): Promise<readonly ContextFile[]> {
  if (input.mode === 'ranges' || !input.contextFiles?.length) return []
  const { readContextFiles } = core.ports
  if (readContextFiles)
    return readContextFiles(desk.threadId, choices.workspace, input.contextFiles)
  return input.contextFiles.map((path) => ({ path, error: 'no files can be read here' }))
}
