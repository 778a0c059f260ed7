// Finds processes that left their command's group by a mark in their environment.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export const POLL_MS = 20

// Finds processes that left their command's group by a mark in their environment.

/** The variable that marks everything a command starts. */
export const MARK = 'RUN_BY_PRECIS'

interface LeftBehind {
  readonly found: number
  /** Processes that could not be ended. */
  readonly stillRunning: readonly number[]
}

/**
 * Asks them to end, and kills them after a while. Only Linux shows the environment of processes; one that
 * cleared its own is not found.
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
    // Kills new ones, too; what survives much longer is not ours to end.
    if (waitedMs >= 2 * graceMs + POLL_MS)
      return { found: ended.size, stillRunning: markedBy(mark) }
  }
}

function markedBy(mark: string): number[] {
  if (process.platform !== 'linux') return []
  const wanted = `${MARK}=${mark}`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readEnvironment(pid).split('\0').includes(wanted))
    .map(Number)
}

/** Empty for an ended process, or another user's. */
function readEnvironment(pid: string): string {
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
    // It has ended, or is not ours: then it is reported.
  }
}
