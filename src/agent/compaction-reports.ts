// What a strategy reports while it works, as frames for whoever watches.
import type { CompactionRunInfo } from '../core/frame.ts'
import type { CompactionContext } from '../core/strategy.ts'
import type { FrameHub } from './frames.ts'

/** `nextPrompt` is shown with the progress: it waits for the end of the run. */
export function reportsOf(
  frames: FrameHub,
  threadId: string,
  info: CompactionRunInfo,
  nextPrompt: string | undefined,
): Pick<CompactionContext, 'onProgress' | 'onWarning'> {
  return {
    onProgress({ message, done, total }) {
      frames.emit({
        type: 'COMPACTION_PROGRESS',
        threadId,
        ...info,
        message,
        ...(total > 0 && { share: done / total }),
        done,
        total,
        ...(nextPrompt !== undefined && { nextPrompt }),
      })
    },
    onWarning: (message) => frames.emit({ type: 'notice', threadId, level: 'warning', message }),
  }
}
