// Processes that a command started and that left its group: found by a mark in their environment.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** The variable that marks whatever a command starts. */
export const MARK = 'RUN_BY_PRECIS'
const POLL_MS = 20

export interface LeftBehind {
  readonly found: number
  /** What could not be ended. */
  readonly stillRunning: readonly number[]
}

/**
 * Asks them to end, and ends them by force after a while. Only Linux tells the environment of a process;
 * one that cleared its own is not found.
 */
export async function endMarked(mark: string, graceMs: number): Promise<LeftBehind> {
  const ended = new Set<number>()
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const found = markedBy(mark)
    if (found.length === 0) return { found: ended.size, stillRunning: [] }
    const isOver = waitedMs >= graceMs
    for (const pid of found) {
      if (isOver) signal(pid, 'SIGKILL')
      else if (!ended.has(pid)) signal(pid, 'SIGTERM')
      ended.add(pid)
    }
    await sleep(POLL_MS)
    // What has begun meanwhile is killed, too; what is there for much longer is not ours to end.
    if (waitedMs >= 2 * graceMs + POLL_MS)
      return { found: ended.size, stillRunning: markedBy(mark) }
  }
}

function markedBy(mark: string): number[] {
  if (process.platform !== 'linux') return []
  const wanted = `${MARK}=${mark}`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).split('\0').includes(wanted))
    .map(Number)
}

/** Empty of a process that has ended, or of another user. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile, or is not ours to end: then it is reported.
  }
}
