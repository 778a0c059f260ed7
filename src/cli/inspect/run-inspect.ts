// `precis inspect`: reads a session and reports its content; changes nothing
import type { Io } from '../process-io.ts'
import { openSession } from '../session/session.ts'
import { targetOf } from '../session/target.ts'
import { loadSettings } from '../settings/settings.ts'
import { counterOf, requireCounter } from '../terminal/counter.ts'
import { tell } from '../terminal/print.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { inspectSession } from './inspect-session.ts'
import { renderInspection } from './render.ts'

export interface InspectFlags {
  readonly format?: string
  readonly counter?: string
  readonly json?: boolean
}

export async function runInspect(given: string, flags: InspectFlags, io: Io): Promise<void> {
  const { settings } = loadSettings(io)
  const counter = await counterOf(
    flags.counter === undefined ? settings.counter : requireCounter(flags.counter),
  )
  const progress = new ProgressLine(io.stderr)
  const target = targetOf(given, 'inspect', io)
  const session = await openSession(target, { settings, named: flags.format, progress }, io)
  try {
    const found = await inspectSession(session, counter, settings, progress, io)
    progress.end()
    await tell(io, found, flags.json, renderInspection)
  } finally {
    progress.end()
    await session.close()
  }
}
