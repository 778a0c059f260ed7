// Results of tool calls: their text, and how they are logged.
import type { ToolOutcome } from '../../core/agent/tool.ts'
import type { Json } from '../../core/text/json.ts'
import type { Block } from '../../core/view/content.ts'
import type { Turn } from '../core.ts'

export interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: Json
}

/** Logs the result of a call. */
export async function record(
  { core, desk, lost }: Turn,
  { id, name }: Pick<Call, 'id' | 'name'>,
  { status, content, shown, metadata, tokenUsage }: ToolOutcome,
): Promise<void> {
  const { threadId } = desk
  if (lost?.aborted) return // the new owner of the thread has closed the call
  await core.ports.threads.append(
    threadId,
    [
      {
        type: 'TOOL_RESULT',
        data: {
          id,
          content: content.length === 0 ? text('(no output)') : content,
          ...(shown && { shown }),
          status,
          ...(metadata !== undefined && { metadata }),
          ...(tokenUsage && { tokenUsage }),
        },
      },
    ],
    { openCalls: 'leave' },
  )
  core.frames.emit({ type: 'tool-end', threadId, callId: id, name, status })
}

export function failed(message: string): ToolOutcome {
  return { status: 'failed', content: text(message) }
}

export const ABORTED: ToolOutcome = {
  status: 'aborted',
  content: text('aborted: the user stopped it.'),
}

export function text(said: string): Block[] {
  return [{ type: 'text', text: said }]
}
