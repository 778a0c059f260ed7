// Imports one session of this machine into its thread, as far as its agent has written it.
import { randomUUID } from 'node:crypto'
import type { Composed } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Io } from '../process-io.ts'
import { openInput } from '../session/input.ts'
import { type EarlierImports, earlierImports } from '../session/replace-unchanged.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { type Imported, type ImportWish, importFile, wholePath } from '../threads/import-file.ts'
import type { FoundSession } from './find-sessions.ts'
import { isAtWork, Marks } from './sync-marks.ts'

/** How long to wait for another import into this store. */
const MOST_WAIT_MS = 30_000
const SILENT = { write: () => true }

export interface GrownImport {
  readonly home: Composed
  readonly settings: Settings
  /** Import into this thread or reject. Default: the file's thread, or a new one. */
  readonly into?: string
  /** Ends the wait for another import. */
  readonly signal?: AbortSignal
}

export interface Grown {
  readonly threadId: string
  readonly added: number // events
}

/** The same import as in `precis sync`, under the same lease. */
export async function importGrown(
  session: FoundSession,
  { home, settings, into, signal }: GrownImport,
  io: Io,
): Promise<Grown> {
  let grown: Grown | undefined
  const isStopped = () => signal?.aborted ?? false
  const waiting = { mostWaitMs: MOST_WAIT_MS, isStopped, onWait: () => undefined }
  await underSyncLease(home, waiting, async (leased) => {
    const marks = await Marks.open(settings, io)
    const marked = marks.threadOf(session.path)
    const known = marked !== undefined && (await home.store.info(marked)) ? marked : undefined
    if (into !== undefined && known !== undefined && known !== into) throw isParted(into)
    if (known !== undefined && marks.isSame(session)) {
      grown = { threadId: known, added: 0 }
      return
    }
    const thread = into ?? known
    const { threadId, added } = await importFound(
      session,
      {
        home: leased,
        marks,
        progress: new ProgressLine(SILENT),
        rewritten: into === undefined ? 'import' : 'refuse',
        known:
          thread === undefined
            ? await earlierImports(home.store)
            : await onlyThread(session.path, thread, io),
      },
      io,
    )
    grown = { threadId, added }
    await marks.save()
  })
  if (!grown) throw isBusy()
  return grown
}

interface Target extends Pick<ImportWish, 'progress' | 'rewritten'> {
  readonly home: Composed
  readonly marks: Marks
  readonly known: EarlierImports
}

/** Leaves an answer that may be incomplete, and half a line, for the next time. */
export async function importFound(
  session: FoundSession,
  { home, marks, known, progress, rewritten = 'import' }: Target,
  io: Io,
): Promise<Imported> {
  const { path, agent: format } = session
  const openAnswer = isAtWork(session, home.clock.now()) ? 'hold' : 'keep'
  const source = await openInput(path, io, { isGrowing: true })
  const imported = await importFile(
    home,
    path,
    { records: 'keep', progress, format, rewritten, openAnswer, source },
    // The thread may lack the held-back answer although the file is unchanged.
    marks.isHeld(path) ? { byDigest: new Map(), byFile: known.byFile } : known,
    io,
  )
  marks.set(session, imported.threadId, imported.isHeld ?? false)
  return imported
}

/** If its thread is known, no other is examined. */
async function onlyThread(path: string, threadId: string, io: Io): Promise<EarlierImports> {
  const earlier = { threadId, at: '', isPartial: false }
  return { byDigest: new Map(), byFile: new Map([[await wholePath(path, io), earlier]]) }
}

function isParted(threadId: string): PrecisError {
  return new PrecisError(
    'id-conflict',
    `The session continues in another thread than ${threadId}.`,
    {
      where: threadId,
      hint: 'Open the session again.',
    },
  )
}

/** Renewed while held; if this process dies, another may continue after this time. */
const LEASE_MS = 15_000
const BETWEEN_MS = 100
const NAME = 'sync sessions'

interface Waiting {
  /** How long to wait for another process. */
  readonly mostWaitMs: number
  /** Checked during the wait. */
  isStopped(): boolean
  onWait(): void
}

/**
 * False, with nothing done, if another process held it all that time. `isOurs` becomes false if the lease is
 * lost, and `leased` then rejects writes.
 */
export async function underSyncLease(
  home: Composed,
  { mostWaitMs, isStopped, onWait }: Waiting,
  work: (leased: Composed, isOurs: () => boolean) => Promise<void>,
): Promise<boolean> {
  const { store, clock } = home
  const owner = randomUUID()
  const take = () => store.takeLease(NAME, owner, LEASE_MS)
  for (let waitedMs = 0; !(await take()); waitedMs += BETWEEN_MS) {
    if (waitedMs >= mostWaitMs || isStopped()) return false
    onWait()
    await clock.sleep(BETWEEN_MS)
  }
  let isOurs = true
  let renewing: Promise<void> = Promise.resolve()
  const renew = async () => {
    // An unreachable store may be back at the next attempt.
    isOurs &&= await take().catch(() => true)
  }
  const renewals = setInterval(() => {
    renewing = renewing.then(renew)
  }, LEASE_MS / 3)
  try {
    await work(
      writingWhile(() => isOurs, home),
      () => isOurs,
    )
    return true
  } finally {
    clearInterval(renewals)
    await renewing // a late renewal would take the released lease again
    await store.releaseLease(NAME, owner)
  }
}

function writingWhile(isOurs: () => boolean, home: Composed): Composed {
  const { threads } = home
  const ours =
    <Given extends unknown[], Result>(write: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      if (!isOurs()) throw isBusy()
      return write(...given)
    }
  const { create, append, compact } = threads
  return {
    ...home,
    threads: {
      ...threads,
      create: ours(create),
      append: ours(append),
      compact: ours(compact),
    },
  }
}

function isBusy(): PrecisError {
  return new PrecisError('overloaded', 'Another import is running.', {
    hint: 'Try again when it is done.',
    retryable: true,
  })
}
