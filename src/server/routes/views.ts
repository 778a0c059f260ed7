// A thread as it is drawn: what the model sees of it, and how large that was over time.
import { contextWithRows } from '../../agent/context-rows.ts'
import { contextEntriesQuery, threadParams } from '../../protocol/requests.ts'
import { contextEntriesSchema, timelineSchema } from '../../protocol/schemas.ts'
import type { AddRoutes } from '../api.ts'
import { contextEntriesOf, Originals } from '../context-entries.ts'
import { route } from '../route.ts'
import { timelineOf } from '../timeline.ts'

const tag = 'contents'

export const addViewRoutes: AddRoutes = (api, { threads, store }) => {
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/context/entries',
      tag,
      summary: 'How the model sees the thread: the entries of its context',
      params: threadParams,
      query: contextEntriesQuery,
      answer: contextEntriesSchema,
    },
    async ({ params: { threadId }, query }) => {
      const seen = await contextWithRows(threads, threadId)
      const page = await contextEntriesOf(seen, new Originals(store, threadId), query)
      return { ...page, items: [...page.items] }
    },
  )
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/timeline',
      tag,
      summary: 'The size of the context over the whole thread, every compaction among it',
      params: threadParams,
      answer: timelineSchema,
    },
    async ({ params: { threadId } }) => {
      await threads.context(threadId)
      return { items: await timelineOf(store, threadId) }
    },
  )
}
