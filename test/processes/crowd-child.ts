// One of several processes that append to the same and to different threads, talk and compact: ADDRESS NAME MS.
import { once } from 'node:events'
import { PrecisError } from '../../src/core/errors.ts'
import type { Store } from '../../src/core/ports.ts'
import { openStore } from '../../src/stores/index.ts'
import type { Threads } from '../../src/threads/threads.ts'
import { Random } from '../generate/random.ts'
import { THREAD, threadsOn } from '../kill/compact-threads.ts'
import { answer, result, thoughtAnswer, user } from '../say.ts'
import { within } from '../wait.ts'
import { collect } from './collect.ts'
import { type CrowdReport, OWN, seenOf, TOGETHER } from './crowd-report.ts'

const [address = '', name = '', forMs = ''] = process.argv.slice(2)
const random = new Random(hashOf(name))
const store = await openStore(address)
const threads = threadsOn(store, random)
const ids: Record<string, string[]> = { [TOGETHER]: [], [OWN(name)]: [] }
let conflicts = 0
let compactions = 0

const stop = new AbortController()
const seen = collect(store, TOGETHER, stop.signal)
process.stdout.write('ready\n')
await within('the word to begin', once(process.stdin, 'data'))
process.stdin.destroy()
const end = performance.now() + Number(forMs)
while (performance.now() < end) {
  await appendTo(store, TOGETHER)
  await appendTo(store, OWN(name))
  if (random.int(0, 9) === 0) await talk(threads)
}
const followed = seenOf(await seen.upTo((await store.info(TOGETHER))?.version ?? 0))
stop.abort()
await store.close()
const report: CrowdReport = { ids, followed, conflicts, compactions }
process.stdout.write(`${JSON.stringify(report)}\n`)

/** A batch of three under the version of now; who comes second looks again. */
async function appendTo(log: Store, threadId: string): Promise<void> {
  const own = ids[threadId] ?? []
  const batch = [0, 1, 2].map((index) => `${name}:${own.length + index}`)
  const events = batch.map((id) => ({
    ...{ v: 2, id, threadId, timestamp: new Date() },
    ...{ type: 'FOREIGN' as const, data: 'x'.repeat(random.int(0, 300)) },
  }))
  for (;;) {
    const expectedVersion = (await log.info(threadId))?.version ?? 0
    try {
      await log.append(threadId, events, { expectedVersion })
      own.push(...batch)
      return
    } catch (thrown) {
      if (!PrecisError.is(thrown) || thrown.code !== 'version-conflict') throw thrown
      conflicts += 1
    }
  }
}

/** A round of a conversation that all have together, and sometimes a compaction of it. */
async function talk(all: Threads): Promise<void> {
  const call = `call_${name}_${random.int(0, 2 ** 31 - 1)}`
  await unlessLate(() =>
    all.append(THREAD, [
      user('go on'),
      ...thoughtAnswer('hm', 'reading', call),
      result(call, 'a line of output\n'.repeat(random.int(0, 99))),
      ...answer('read'),
    ]),
  )
  if (random.int(0, 2) > 0) return
  const outcome = await unlessLate(() => all.compact(THREAD, 'tail-only'))
  if (outcome?.committed) compactions += 1
}

/** Others may have changed the thread again and again; then nothing is done. */
async function unlessLate<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (thrown) {
    if (!PrecisError.is(thrown) || thrown.code !== 'version-conflict') throw thrown
    conflicts += 1
    return undefined
  }
}

function hashOf(text: string): number {
  return [...text].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) >>> 0, 7)
}
