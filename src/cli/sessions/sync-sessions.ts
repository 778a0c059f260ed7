// `precis sync`: adds what is new in this machine's sessions to their threads.
import type { Composed } from '../../compose.ts'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Io } from '../process-io.ts'
import { earlierImports } from '../session/replace-unchanged.ts'
import { loadSettings } from '../settings/settings.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { counted, oneLine, print, type Style, thousands } from '../terminal/terminal.ts'
import { withHome } from '../threads/home.ts'
import type { Imported, ImportOutcome } from '../threads/import-file.ts'
import type { FoundSession } from './find-sessions.ts'
import { findSessions } from './find-sessions.ts'
import { importFound, underSyncLease } from './import-grown.ts'
import { type SessionFilters, selectSessions } from './select-sessions.ts'
import { FactsCache } from './session-facts.ts'
import { Marks } from './sync-marks.ts'

export interface SyncFlags extends SessionFilters {
  readonly json?: boolean
}

export interface SyncReport {
  readonly sessions: number // found
  readonly unchanged: number
  readonly failedBefore: number // and unchanged since
  readonly outcomes: Readonly<Record<ImportOutcome, number>>
  readonly addedEvents: number
  readonly threads: readonly {
    readonly threadId: string
    readonly outcome: ImportOutcome
    readonly session: string
  }[]
  readonly failed: readonly { readonly session: string; readonly message: string }[]
  /** After Ctrl-C or a long wait: sessions left for the next time. */
  readonly left: number
}

export async function runSync(flags: SyncFlags, io: Io): Promise<void> {
  const report = await syncSessions(flags, io)
  await print(io, report, flags.json, renderSync)
  failUnlessImported(report.failed.length)
}

export function failUnlessImported(count: number): void {
  if (count === 0) return
  throw new PrecisError(
    'invalid-input',
    `${counted(count, 'session')} ${count === 1 ? 'was' : 'were'} not imported`,
    {
      hint: 'The others are in the store. These are tried again when they change.',
    },
  )
}

/** An unchanged session costs one look at the file and opens no store. */
export async function syncSessions(
  flags: SessionFilters,
  io: Io,
  mostWaitMs = Number.POSITIVE_INFINITY, // for another running sync
  failing = new Map<string, string>(), // error message by session, until it is imported
): Promise<SyncReport> {
  const { settings } = loadSettings(io)
  const found = await selected(flags, settings, io)
  const marks = await Marks.open(settings, io)
  const changed = found.filter((session) => !marks.isSame(session))
  const outcomes = { new: 0, known: 0, continued: 0, grown: 0, shortened: 0, rewritten: 0 }
  const work: Work = { threads: [], failed: [], addedEvents: 0, left: 0, unchanged: 0, outcomes }
  if (changed.length > 0) await importChanged(changed, work, { settings, mostWaitMs, failing }, io)
  // A failed and unchanged session is not retried, and is not in the store either.
  const isFailed = (session: FoundSession) =>
    marks.isSame(session) && marks.threadOf(session.path) === undefined
  const failedBefore = found.filter(isFailed).length
  const unchanged = found.length - changed.length - failedBefore + work.unchanged
  return { ...work, sessions: found.length, unchanged, failedBefore }
}

interface Sync extends Pick<Run, 'failing'> {
  readonly settings: Settings
  readonly mostWaitMs: number
}

async function importChanged(
  found: readonly FoundSession[],
  work: Work,
  { settings, mostWaitMs, failing }: Sync,
  io: Io,
): Promise<void> {
  const progress = new ProgressLine(io.stderr)
  let hasSignal = false
  const stop = () => {
    hasSignal = true
  }
  // A second Ctrl-C ends the program; the next run continues a partial import.
  io.host.once('SIGINT', stop).once('SIGTERM', stop)
  const isStopped = () => hasSignal
  const onWait = () => progress.say('waiting for another sync of this store …', 'step')
  try {
    await withHome(io, async (home) => {
      const isDone = await underSyncLease(
        home,
        { mostWaitMs, isStopped, onWait },
        async (leased, isOurs) => {
          // Another process may have imported some meanwhile.
          const marks = await Marks.open(settings, io)
          const changed = found.filter((session) => !marks.isSame(session))
          work.unchanged = found.length - changed.length
          try {
            await importAll(
              leased,
              changed,
              work,
              { marks, progress, failing, goesOn: () => !hasSignal && isOurs() },
              io,
            )
          } finally {
            await marks.save()
          }
        },
      )
      if (!isDone) work.left = found.length
    })
  } finally {
    io.host.off('SIGINT', stop).off('SIGTERM', stop)
    progress.end()
  }
}

interface Run {
  readonly marks: Marks
  readonly progress: ProgressLine
  readonly failing: Map<string, string>
  goesOn(): boolean
}

export async function importAll(
  home: Composed,
  changed: readonly FoundSession[],
  work: Work,
  { marks, progress, failing, goesOn }: Run,
  io: Io,
): Promise<void> {
  const known = await earlierImports(home.store)
  for (const [index, session] of changed.entries()) {
    if (!goesOn()) {
      work.left = changed.length - index
      return
    }
    progress.share(`importing ${changed.length} sessions`, index, changed.length)
    const error = await one(session, work, () =>
      importFound(session, { home, marks, known, progress }, io),
    )
    if (error?.code === 'overloaded') {
      work.left = changed.length - index
      return
    }
    if (!error) failing.delete(session.path)
    if (!error) continue
    failing.set(session.path, error.message)
    work.failed.push({ session: session.path, message: error.message })
    // Another process wrote to its thread: without a mark the next run retries.
    if (error.code !== 'version-conflict') marks.set(session, marks.threadOf(session.path))
  }
}

interface Work {
  threads: SyncReport['threads'][number][]
  failed: SyncReport['failed'][number][]
  addedEvents: number
  left: number
  unchanged: number // at the second look
  outcomes: Record<ImportOutcome, number>
}

/** Why it was not imported. */
async function one(
  { path }: FoundSession,
  work: Work,
  run: () => Promise<Imported>,
): Promise<PrecisError | undefined> {
  try {
    const { threadId, outcome, added } = await run()
    if (outcome !== 'known') work.threads.push({ threadId, outcome, session: path })
    work.outcomes[outcome] += 1
    work.addedEvents += added
    return undefined
  } catch (thrown) {
    const error = asPrecisError(thrown)
    // A store failure affects every session.
    if (error.code.startsWith('store-')) throw thrown
    return error
  }
}

/** Without a filter no content is read. */
async function selected(flags: SessionFilters, settings: Settings, io: Io) {
  const { agent, project, since, here, last } = flags
  if (project === undefined && since === undefined && !here && !last)
    return findSessions(settings, io, agent)
  const cache = await FactsCache.open(io)
  const found = await selectSessions([], flags, { settings, cache, subAgents: true }, io)
  await cache.save()
  return found
}

const SHOWN = 20

export function renderSync(report: SyncReport, style: Style, columns: number): string {
  const { sessions, unchanged, failedBefore, outcomes, addedEvents, threads, failed, left } = report
  const counts = [
    `${thousands(outcomes.new + outcomes.continued)} new`,
    `${thousands(outcomes.grown)} grown`,
    `${thousands(outcomes.rewritten)} rewritten`,
    ...(outcomes.shortened > 0 ? [`${thousands(outcomes.shortened)} shortened`] : []),
    `${thousands(unchanged + outcomes.known)} unchanged`,
    ...(failed.length > 0 ? [`${thousands(failed.length)} failed`] : []),
    ...(failedBefore > 0 ? [`${thousands(failedBefore)} failed before`] : []),
    ...(left > 0 ? [`${thousands(left)} left`] : []),
  ]
  const lines = [
    `${counted(sessions, 'session')}: ${counts.join(', ')}. ${counted(addedEvents, 'event')} added.`,
    ...threads
      .slice(0, SHOWN)
      .map(
        ({ threadId, outcome, session }) =>
          `  ${style.bold(threadId)}  ${outcome.padEnd(9)}  ${oneLine(session, columns - 50)}`,
      ),
    ...(threads.length > SHOWN ? [`  and ${threads.length - SHOWN} more: precis threads`] : []),
    ...failed
      .slice(0, SHOWN)
      .map(
        ({ session, message }) =>
          `  not imported ${oneLine(session, columns - 40)}: ${oneLine(message, columns)}`,
      ),
    ...(left > 0
      ? [`Stopped: ${thousands(left)} sessions are left. Run precis sync again to continue.`]
      : []),
  ]
  return `${lines.join('\n')}\n`
}
