// Which thread of a folder was used last, also while others come and go.
import { expect, it } from 'vitest'
import { setUpApp } from '../../../test/server/setup.ts'
import { lastUsedIn } from './home.ts'

it('passes over a thread that is deleted while it looks', async () => {
  const { client, home, folder } = await setUpApp()
  const { threadId } = await client.createThread()
  await home.threads.append(threadId, [{ type: 'USER_MESSAGE', data: 'hello' }])
  const { threadId: left } = await client.createThread()
  const found = await lastUsedIn(
    {
      threads: (query) => client.threads(query),
      async events(id, range) {
        if (id === left) await client.deleteThread(left)
        return client.events(id, range)
      },
    },
    folder,
  )
  expect(found).toBe(threadId)
})
