// Runs a task in a thread of its own: the same model, preset and folder; another window, another bill.
import type { EventDraft } from '../core/event.ts'
import { threadSettingsReducer } from '../core/thread-settings.ts'
import { reducedBy } from '../core/thread-state.ts'
import { billedUsage } from '../core/usage.ts'
import type { AgentCore, Task, TaskResult } from './core.ts'
import { say } from './deliver.ts'
import { runTurn } from './turn.ts'
import { BUSY, workOn } from './work.ts'

export async function runTask(
  core: AgentCore,
  { parent, prompt, title }: Task,
): Promise<TaskResult> {
  const { threads } = core.ports
  const from = parent.desk.threadId
  const { version } = await threads.context(from)
  const threadId = await threads.create({
    from: { threadId: from, seq: version },
    reason: 'task',
    ...(title !== undefined && { title }),
  })
  const inherited = await inheritance(core, from)
  if (inherited.length > 0) await threads.append(threadId, inherited)
  const outcome = await workOn(
    core,
    core.desks.of(threadId),
    async (turn) => {
      await say(turn, prompt)
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

/** What the parent works with: its system prompts, its model, its settings. */
async function inheritance({ ports }: AgentCore, from: string): Promise<EventDraft[]> {
  const { system } = await ports.threads.messages(from)
  const state = await ports.threads.state(from)
  const { model, thinking, ...settings } = reducedBy(state, threadSettingsReducer)
  return [
    ...system.map((data): EventDraft => ({ type: 'SYSTEM_PROMPT', data })).slice(0, 1),
    ...(model
      ? [
          {
            type: 'MODEL_CHANGED',
            data: { model, ...(thinking !== undefined && { thinking }) },
          } as const,
        ]
      : []),
    ...(Object.keys(settings).length > 0
      ? [{ type: 'THREAD_SETTINGS', data: settings } as const]
      : []),
  ]
}
