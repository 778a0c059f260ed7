// Runs a task in a thread of its own: the same model, preset and folder; another window, another bill.
import { billedUsage } from '../../core/window/usage.ts'
import { inherited } from '../compaction/compaction-run.ts'
import type { AgentCore, Task, TaskResult } from '../core.ts'
import { say } from '../inbox/deliver.ts'
import { BUSY, withThreadLease } from '../inbox/thread-lease.ts'
import { runTurn } from './turn.ts'

export async function runTask(
  core: AgentCore,
  { parent, prompt, title }: Task,
): Promise<TaskResult> {
  const { threads } = core.ports
  const from = parent.desk.threadId
  const { version } = await threads.context(from)
  const threadId = await threads.create(
    {
      from: { threadId: from, seq: version },
      reason: 'task',
      ...(title !== undefined && { title }),
    },
    await inherited(core, from),
  )
  const outcome = await withThreadLease(
    core,
    core.desks.of(threadId),
    async (turn) => {
      await say(turn, prompt, 'model')
      return runTurn(turn)
    },
    { depth: parent.depth + 1, signal: parent.signal },
  )
  if (outcome === BUSY) return { threadId, end: 'failed', text: '' }
  const { end, text, error } = outcome
  const { eventCount, ...usage } = billedUsage(await threads.usage(threadId))
  return {
    threadId,
    end,
    text,
    ...(eventCount > 0 && { usage }),
    ...(error && { error }),
  }
}
