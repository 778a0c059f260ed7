// How long after its append an event is in the hands of a follower in another process.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { progress } from '../core/place.ts'
import { type Answered, compare } from '../figure.ts'
import { millisOf } from '../measure.ts'
import type { BenchDatabase } from './databases.ts'
import type { Settings } from './settings.ts'

const CHILD = fileURLToPath(new URL('./follow-process.ts', import.meta.url))
const THREAD = 'thr_followed'

/** Beside one append, so that the machine counts in both. The child's clock is ours: it is one machine. */
export async function followDelay(
  { followed }: Settings,
  database: BenchDatabase,
): Promise<Answered> {
  progress(`follow: ${followed} events, ${database.name}`)
  const store = await database.open('follow')
  const args = [CHILD, database.address('follow'), THREAD, String(followed)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const delays: number[] = []
  for await (const row of store.follow(THREAD, 0, new AbortController().signal)) {
    delays.push(Math.max(0.1, Date.now() - Number(row.data)))
    if (row.seq === followed) break
  }
  child.kill()
  const appends: number[] = []
  for (let version = followed; version < 2 * followed; version += 1) {
    const event = {
      ...{ v: 2, id: `own${version}`, threadId: THREAD, timestamp: new Date() },
      ...{ type: 'FOREIGN' as const, data: 0 },
    }
    appends.push(await millisOf(() => store.append(THREAD, [event], { expectedVersion: version })))
  }
  await store.close()
  return compare(
    {
      id: `follow-${database.id}`,
      unit: 'ms',
      subject: `from the append in one process to the follower in another, ${database.name}`,
      reference: 'one append',
    },
    delays,
    appends,
  )
}
