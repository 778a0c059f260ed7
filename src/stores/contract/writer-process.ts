// A separate process that appends to a thread: PATH THREAD WRITER BATCHES. Several may run at once.
import { PrecisError } from '../../core/errors.ts'
import { openStore } from '../index.ts'
import { messages } from './place.ts'

const [path = '', threadId = '', writer = '', batches = ''] = process.argv.slice(2)
const store = await openStore(path)
let conflicts = 0
for (let batch = 0; batch < Number(batches); ) {
  const expectedVersion = (await store.info(threadId))?.version ?? 0
  const events = messages(threadId, `${writer}.${batch}.0`, `${writer}.${batch}.1`)
  try {
    await store.append(threadId, events, { expectedVersion })
    batch += 1
  } catch (thrown) {
    if (!PrecisError.is(thrown) || !thrown.retryable) throw thrown
    conflicts += 1
  }
}
await store.close()
process.stdout.write(`${conflicts} conflicts\n`)
