// Appends an event with the time of now, again and again: ADDRESS THREAD COUNT.
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../src/stores/index.ts'

const [address = '', threadId = '', count = ''] = process.argv.slice(2)
const store = await openStore(address)
for (let version = 0; version < Number(count); version += 1) {
  const now = new Date()
  const event = {
    ...{ v: 2, id: `e${version}`, threadId, timestamp: now },
    ...{ type: 'FOREIGN' as const, data: now.getTime() },
  }
  await store.append(threadId, [event], { expectedVersion: version })
  await sleep(20)
}
await store.close()
