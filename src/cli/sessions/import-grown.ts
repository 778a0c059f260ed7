// One session of this machine into its thread, as far as its agent has written it
import type { Composed } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Io } from '../process-io.ts'
import { type EarlierImports, earlierImports } from '../session/earlier-imports.ts'
import { openInput } from '../session/input.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { importFile, wholePath } from '../threads/import-file.ts'
import type { FoundSession } from './found-session.ts'
import { underSyncLease } from './sync-lease.ts'
import { Marks } from './sync-marks.ts'

/** So long another import into this store is waited for. */
const MOST_WAIT_MS = 30_000
/** An agent may still be at work on a file that it wrote to so lately. */
const AT_WORK_MS = 600_000
const SILENT = { write: () => true }

export interface GrownImport {
  readonly home: Composed
  readonly settings: Settings
  /** Into this thread, or it is refused. Without it, into the thread of the file, or a new one. */
  readonly into?: string
}

export interface Grown {
  readonly threadId: string
  readonly added: number // events
}

/** The same import as that of `precis sync`, and under the same lease. */
export async function importGrown(
  session: FoundSession,
  { home, settings, into }: GrownImport,
  io: Io,
): Promise<Grown> {
  let grown: Grown | undefined
  const waiting = { mostWaitMs: MOST_WAIT_MS, isStopped: () => false, onWait: () => undefined }
  await underSyncLease(home, waiting, async () => {
    const marks = await Marks.open(settings, io)
    const marked = marks.threadOf(session.path)
    const known = marked !== undefined && (await home.store.info(marked)) ? marked : undefined
    if (into !== undefined && known !== undefined && known !== into) throw isParted(into)
    if (known !== undefined && marks.isSame(session)) {
      grown = { threadId: known, added: 0 }
      return
    }
    grown = await importInto(
      session,
      { home, marks, thread: into ?? known, isFixed: into !== undefined },
      io,
    )
    await marks.save()
  })
  if (!grown) throw isBusy()
  return grown
}

interface Target {
  readonly home: Composed
  readonly marks: Marks
  readonly thread: string | undefined
  readonly isFixed: boolean
}

async function importInto(
  session: FoundSession,
  { home, marks, thread, isFixed }: Target,
  io: Io,
): Promise<Grown> {
  const { path, updatedMs, agent } = session
  const source = await openInput(path, io, { isGrowing: true })
  const isAtWork = home.clock.now().getTime() - updatedMs < AT_WORK_MS
  const imported = await importFile(
    home,
    path,
    {
      records: 'keep',
      progress: new ProgressLine(SILENT),
      format: agent,
      rewritten: isFixed ? 'refuse' : 'import',
      openAnswer: isAtWork ? 'hold' : 'keep',
      source,
    },
    thread === undefined ? await earlierImports(home.store) : await onlyThread(path, thread, io),
    io,
  )
  const isWhole = !imported.isHeld && (source.bytes === session.bytes || !path.endsWith('.jsonl'))
  marks.set(isWhole ? session : { ...session, bytes: 0 }, imported.threadId)
  return { threadId: imported.threadId, added: imported.added }
}

/** Where its thread is known, no other one is looked at. */
async function onlyThread(path: string, threadId: string, io: Io): Promise<EarlierImports> {
  const earlier = { threadId, at: '', isPartial: false }
  return { byDigest: new Map(), byFile: new Map([[await wholePath(path, io), earlier]]) }
}

function isParted(threadId: string): PrecisError {
  return new PrecisError('id-conflict', `The session goes on in another thread than ${threadId}.`, {
    where: threadId,
    hint: 'Open the session again.',
  })
}

function isBusy(): PrecisError {
  return new PrecisError('overloaded', 'Another import into this store runs.', {
    hint: 'Try again when it is done.',
    retryable: true,
  })
}
