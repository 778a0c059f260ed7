// What copies into a store left out: kept in a thread of the store itself, so that a partial target tells it.
import { PrecisError } from '../core/errors.ts'
import { readRow } from '../core/log/codec.ts'
import { EVENT_VERSION, type NewEvent } from '../core/log/event.ts'
import type { Store } from '../core/ports.ts'
import type { Json } from '../core/text/json.ts'

/** Something that differs between target and source. */
export type LeftOut = {
  readonly threadId: string
  /** Absent if the whole thread was left out. */
  readonly seq?: number
  readonly problem: string
}

/** What copies from one source left out. */
export interface CopyNote {
  readonly from: string
  readonly isEnded: boolean // false while a copy runs or after it was interrupted
  readonly leftOut: readonly LeftOut[] // by the last copy that ended
}

/** Has the prefix of threads that are not conversations, so lists hide it. */
export const COPY_NOTES = 'sys_copy'

/** The target lists at most this many; the report of the copy has all. */
const MOST_LISTED = 1_000
/** Retries when others write a note between the read and the write. */
const MOST_TRIES = 20

/** In the order in which the copies began, without those that left nothing out. */
export async function copyNotes(store: Pick<Store, 'read'>): Promise<readonly CopyNote[]> {
  const notes = new Map<string, CopyNote>()
  for (const row of await store.read(COPY_NOTES)) {
    const { from, leftOut } = noteIn(readRow(row).data as Json)
    if (from === undefined) continue
    const earlier = notes.get(from)?.leftOut ?? []
    if (leftOut?.length === 0) notes.delete(from)
    else notes.set(from, { from, isEnded: leftOut !== undefined, leftOut: leftOut ?? earlier })
  }
  return [...notes.values()]
}

/** After an interrupted copy the note exists already. */
export async function noteBegin(store: Store, from: string): Promise<void> {
  const known = (await copyNotes(store)).find((note) => note.from === from)
  if (known?.isEnded !== false) await write(store, from)
}

export async function noteEnd(
  store: Store,
  from: string,
  leftOut: readonly LeftOut[],
): Promise<void> {
  await write(store, from, leftOut.slice(0, MOST_LISTED))
  if ((await copyNotes(store)).length === 0) await store.delete(COPY_NOTES)
}

async function write(store: Store, from: string, leftOut?: readonly LeftOut[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const expectedVersion = (await store.info(COPY_NOTES))?.version ?? 0
    const timestamp = new Date()
    const event = {
      v: EVENT_VERSION,
      id: `copy_${timestamp.getTime()}_${Math.random().toString(36).slice(2)}`,
      threadId: COPY_NOTES,
      timestamp,
      type: 'FOREIGN',
      data: { copy: leftOut ? 'ended' : 'begun', from, ...(leftOut && { leftOut }) },
    } as NewEvent
    try {
      await store.append(COPY_NOTES, [event], { expectedVersion })
      return
    } catch (thrown) {
      const isLate = PrecisError.is(thrown) && thrown.code === 'version-conflict'
      if (!isLate || tries === MOST_TRIES) throw thrown
    }
  }
}

function noteIn(data: Json): { from?: string; leftOut?: readonly LeftOut[] } {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return {}
  const { from, leftOut } = data as { readonly [key: string]: Json }
  if (typeof from !== 'string') return {}
  return { from, ...(Array.isArray(leftOut) && { leftOut: leftOut as readonly LeftOut[] }) }
}
