// One of several processes that append at the same time: STORE BARE KEY. A line `WHAT MS` on stdin begins a
// round; the answer is how many events were confirmed in it.
import { createInterface } from 'node:readline'
import { PrecisError } from '../../src/core/errors.ts'
import type { NewEvent } from '../../src/core/log/event.ts'
import { openStore } from '../../src/stores/index.ts'
import { benchIds } from '../core/place.ts'
import { barePostgres, bareSqlite } from './bare.ts'

const [address = '', bareAddress = '', key = ''] = process.argv.slice(2)
const BATCH = 3
const TEXT = 'x'.repeat(300)
const store = await openStore(address)
const isServer = bareAddress.startsWith('postgres')
const bare = isServer
  ? await barePostgres(bareAddress, Number(key))
  : bareSqlite(bareAddress, Number(key))
let version = 0

const ROUNDS: Readonly<Record<string, () => Promise<void>>> = {
  own: async () => {
    const threadId = `own${key}`
    const written = await store.append(threadId, batch(threadId), { expectedVersion: version })
    version = written.version
  },
  together: async () => {
    const events = batch('together')
    for (;;) {
      const expectedVersion = (await store.info('together'))?.version ?? 0
      try {
        await store.append('together', events, { expectedVersion })
        return
      } catch (thrown) {
        if (!PrecisError.is(thrown) || thrown.code !== 'version-conflict') throw thrown
      }
    }
  },
  bare: () =>
    bare.insert(
      batch('bare').map(({ id, v, type, timestamp, data }) => [
        ...[id, v, type, timestamp.toISOString(), JSON.stringify(data), null, null],
      ]),
    ),
}

process.stdout.write('ready\n')
for await (const line of createInterface(process.stdin)) {
  const [name = '', ms = ''] = line.split(' ')
  const append = ROUNDS[name]
  if (!append) break
  const end = performance.now() + Number(ms)
  let batches = 0
  for (; performance.now() < end; batches += 1) await append()
  process.stdout.write(`${batches * BATCH}\n`)
}
await store.close()
await bare.close()

function batch(threadId: string): NewEvent[] {
  return Array.from({ length: BATCH }, () => ({
    ...{ v: 2, id: benchIds.next('evt'), threadId, timestamp: new Date() },
    ...{ type: 'FOREIGN', data: TEXT },
  })) as NewEvent[]
}
