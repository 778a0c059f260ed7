// The brief of a thread of the store, and what became of its files
import type { Composed } from '../../compose.ts'
import { type LedgerFile, ledgerFiles } from '../../core/ledger/ledger-lines.ts'
import { refInThread } from '../../core/search/archive.ts'
import { originalId } from '../../core/view/entry.ts'
import { readEvents } from '../session/session.ts'
import type { Brief } from './brief.ts'
import { briefOf, ledgerOf } from './brief-of-events.ts'

export async function buildBrief(
  { store, threads }: Pick<Composed, 'store' | 'threads'>,
  threadId: string,
): Promise<Brief> {
  const events = await readEvents(store, threadId)
  const pins = (await threads.pins(threadId)).flatMap(({ text }) => text ?? [])
  return briefOf(events, pins, (seq) => refInThread(threadId, originalId(seq)))
}

export async function filesOf(
  { store }: Pick<Composed, 'store'>,
  threadId: string,
): Promise<LedgerFile[]> {
  return ledgerFiles(ledgerOf(await readEvents(store, threadId)))
}
