// The activity line: what runs, for how long, and its progress
import type { ViewStatus } from '../../protocol/index.ts'
import { chunkOf } from './render-compaction.ts'
import { cut } from './text-lines.ts'
import type { Theme } from './theme.ts'
import { visibleLine } from './visible.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
export const FRAME_MS = 120
/** The words of the FRESH design for its own way. */
const FRESH_MESSAGE = 'Compacting context...'

/** No line if nothing continues. */
export function activityLines(
  status: ViewStatus,
  nowMs: number,
  width: number,
  theme: Theme,
): string[] {
  const words = activityWords(status, nowMs)
  if (words === undefined) return []
  const frame = FRAMES[Math.floor(nowMs / FRAME_MS) % FRAMES.length] ?? ''
  return [cut(`${theme.accent(frame)} ${words} ${theme.dim('(Esc stops it)')}`, width)]
}

function activityWords(status: ViewStatus, nowMs: number): string | undefined {
  const { compaction, activity, isWorking } = status
  const current = compaction ?? activity
  if (current === undefined) return isWorking ? 'Working' : undefined
  const isFresh = compaction?.strategy === 'fresh-session'
  const what = isFresh ? FRESH_MESSAGE : visibleLine(current.what)
  const elapsed = elapsedWords(nowMs - current.since.getTime())
  return [what, chunkOf(current), elapsed].filter((word) => word !== '').join(' · ')
}

function elapsedWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
