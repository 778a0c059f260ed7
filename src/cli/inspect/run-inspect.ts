// `precis inspect`: reads a session and says what it is made of. Changes nothing.
import { counterOf, requireCounter } from '../counter.ts'
import { ProgressLine } from '../progress.ts'
import { openSession } from '../session/session.ts'
import { targetOf } from '../session/target.ts'
import { loadSettings } from '../settings.ts'
import { tell } from '../tell.ts'
import { inspectSession } from './inspect-session.ts'
import { renderInspection } from './render.ts'

export interface InspectFlags {
  readonly format?: string
  readonly counter?: string
  readonly json?: boolean
}

export async function runInspect(given: string, flags: InspectFlags): Promise<void> {
  const { settings } = loadSettings({ cwd: process.cwd(), environment: process.env })
  const counter = await counterOf(
    flags.counter === undefined ? settings.counter : requireCounter(flags.counter),
  )
  const progress = new ProgressLine(process.stderr)
  const session = await openSession(targetOf(given, 'inspect'), {
    settings,
    named: flags.format,
    progress,
  })
  try {
    const found = await inspectSession(session, counter, settings, progress)
    progress.end()
    await tell(found, flags.json, renderInspection)
  } finally {
    progress.end()
    await session.close()
  }
}
