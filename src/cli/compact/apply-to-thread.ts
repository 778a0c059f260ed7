// What was done to the copy of a thread, done to the thread itself, unless it has changed meanwhile.
import { applyKept } from '../../compaction/compact-thread.ts'
import type { ProposalRecord } from '../../compaction/plan.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Io } from '../process-io.ts'
import { openHome } from '../threads/home.ts'
import { requireCommitted } from './compact-session.ts'

/** The thread that has the result: the same, or the one that a fresh session began. */
export async function applyToThread(
  threadId: string,
  version: number,
  settings: Settings,
  record: ProposalRecord,
  io: Io,
): Promise<string> {
  const home = await openHome(settings, io)
  try {
    const now = await home.threads.context(threadId)
    if (now.version !== version)
      throw new PrecisError('version-conflict', `${threadId} has changed meanwhile`, {
        where: threadId,
        hint: 'Nothing was changed. Try again.',
      })
    const outcome = await applyKept(home.threads, threadId, record)
    return requireCommitted(outcome, record.strategyId).fresh?.threadId ?? threadId
  } finally {
    await home.close()
  }
}
