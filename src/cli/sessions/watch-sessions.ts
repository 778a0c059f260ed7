// `precis sync --watch`: syncs changes repeatedly until a signal arrives.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Io } from '../process-io.ts'
import { writeStream } from '../terminal/io.ts'
import { counted, print } from '../terminal/terminal.ts'
import {
  failUnlessImported,
  renderSync,
  type SyncFlags,
  type SyncReport,
  syncSessions,
} from './sync-sessions.ts'

const PAUSE_MS = 1_000
/** The pause as a multiple of an idle look and of an import: neither may occupy a processor. */
const [AFTER_LOOK, AFTER_IMPORT] = [9, 1]

/** A signal ends the current import and then the watch; a second one ends the program. */
export async function watchSessions(flags: SyncFlags, io: Io): Promise<void> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  for (const signal of SIGNALS) io.host.once(signal, stop)
  const failing = new Map<string, string>()
  let added = 0
  try {
    for (let isFirst = true; !stopping.signal.aborted; isFirst = false) {
      const startMs = performance.now()
      const known = new Map(failing)
      const whole = await syncSessions(flags, io, undefined, failing)
      // A failure with the same reason is reported once.
      const failed = whole.failed.filter((each) => known.get(each.session) !== each.message)
      const report = { ...whole, failed }
      const tookMs = performance.now() - startMs
      const isNew = hasNews(report)
      added += report.addedEvents
      if (isFirst || isNew) await say(report, flags, io)
      if (isFirst) await tell('Watching for changes; Ctrl-C stops.', flags, io)
      const pauseMs = tookMs * (isNew ? AFTER_IMPORT : AFTER_LOOK)
      await pause(Math.max(PAUSE_MS, pauseMs), stopping.signal)
    }
  } finally {
    for (const signal of SIGNALS) io.host.off(signal, stop)
  }
  await tell(`Stopped. ${counted(added, 'event')} added.`, flags, io)
  failUnlessImported(failing.size)
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // Rejects on the signal, which the loop checks.
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}

function hasNews({ threads, failed, left }: SyncReport): boolean {
  return threads.length + failed.length + left > 0
}

/** As JSON, one line for each report. */
async function say(report: SyncReport, { json }: SyncFlags, io: Io): Promise<void> {
  await print(io, report, false, (clean, style, columns) => {
    if (json) return `${JSON.stringify(clean)}\n`
    const time = new Date().toTimeString().slice(0, 8)
    return `${style.dim(time)} ${renderSync(clean, style, columns)}`
  })
}

/** For people only. */
async function tell(sentence: string, { json }: SyncFlags, io: Io): Promise<void> {
  if (!json) await writeStream(io.stderr, `${sentence}\n`)
}
