// A process that measures what a thread holds in memory: `node --expose-gc THIS CASE EVENTS CHARS ENTRIES SEED`.
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pinsReducer } from '../../src/core/edit/pins.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import type { Reducer } from '../../src/core/ports.ts'
import { threadFold } from '../../src/core/view/thread-state.ts'
import { usageReducer } from '../../src/core/window/usage.ts'
import { openSqliteStore } from '../../src/stores/sqlite/store.ts'
import { numberDrafts } from '../../src/threads/drafts.ts'
import { Random } from '../../test/generate/random.ts'
import { collectGarbage } from '../measure.ts'
import { conversation, summaryBeforeTail } from './conversation.ts'
import { benchClock, benchIds, fillThread, inFolder, threadsOver } from './place.ts'

/** Bytes of all events together. */
export interface MemoryReport {
  readonly heap: number
  readonly json: number // what the same events have as JSON, the envelope not counted
  readonly compacted?: number // heap after a compaction
}

const [which = '', ...numbers] = process.argv.slice(2)
const [events = 0, chars = 0, entries = 0, seed = 0] = numbers.map(Number)
const random = new Random(seed)
const report = which === 'context' ? await ofContext() : await inFolder(ofThread)
process.stdout.write(`${JSON.stringify(report)}\n`)

/** The database runs in a thread with a heap of its own, which is not counted. */
async function ofThread(folder: string): Promise<MemoryReport> {
  const store = await openSqliteStore(join(folder, 'memory.db'))
  const strategy = summaryBeforeTail(random, entries)
  const threads = threadsOver(store, [strategy])
  // What code, schemas and statements take is there before the count begins.
  const first = await fillThread(threads, conversation(random, 5 * entries, chars))
  await threads.compact(first, strategy.id)
  const threadId = await threads.create()
  const before = await heapBytes()
  const json = await appendAll(conversation(random, events, chars), (batch) =>
    threads.append(threadId, batch),
  )
  const heap = (await heapBytes()) - before
  const outcome = await threads.compact(threadId, strategy.id)
  if (!outcome.committed) throw new Error(`refused: ${outcome.refusal.message}`)
  const compacted = (await heapBytes()) - before
  await store.close()
  return { heap, json, compacted }
}

/** The fold alone: what it keeps when the events are let go. */
async function ofContext(): Promise<MemoryReport> {
  const fold = threadFold([pinsReducer, usageReducer] as readonly Reducer<unknown>[])
  const rows = { eventAt: () => undefined }
  const ports = { threadId: 'thr_bench', clock: benchClock, ids: benchIds, fold, rows }
  const step = async (batch: readonly EventDraft[]) => {
    state = numberDrafts(batch, state, { ...ports, openCalls: 'leave' }).state
  }
  let state = fold.init()
  await appendAll(conversation(random, 5 * entries, chars), step)
  state = fold.init()
  const before = await heapBytes()
  const json = await appendAll(conversation(random, events, chars), step)
  const heap = (await heapBytes()) - before
  // Read afterwards, so that nothing of it is garbage yet when the heap is measured.
  if (state.context.version < events) throw new Error('the fold is not where it should be')
  return { heap, json }
}

async function appendAll(
  batches: Iterable<readonly EventDraft[]>,
  append: (batch: readonly EventDraft[]) => Promise<unknown>,
): Promise<number> {
  let json = 0
  for (const batch of batches) {
    for (const { data } of batch) json += Buffer.byteLength(JSON.stringify(data))
    await append(batch)
  }
  return json
}

async function heapBytes(): Promise<number> {
  for (let time = 0; time < 3; time += 1) {
    await setImmediate()
    collectGarbage()
  }
  return process.memoryUsage().heapUsed
}
