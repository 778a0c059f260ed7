// A thread as it is drawn: what the model sees of it, and how large that was over time.
import { contextEntriesQuery, threadParams } from '../../protocol/requests.ts'
import { contextEntriesSchema, timelineSchema } from '../../protocol/schemas.ts'
import type { AddRoutes } from '../api.ts'
import { route } from '../http/route.ts'
import { contextEntriesOf } from '../views/context-entries.ts'
import { thinned } from '../views/count-event.ts'

const tag = 'contents'

export const addViewRoutes: AddRoutes = (api, { threads, store, tallies }) => {
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/context/entries',
      tag,
      summary: 'The entries of the context, as the model sees them',
      params: threadParams,
      query: contextEntriesQuery,
      answer: contextEntriesSchema,
    },
    async ({ params: { threadId }, query }) => {
      const context = await threads.context(threadId)
      const page = await contextEntriesOf({ store, threadId, context }, query)
      return { ...page, items: [...page.items] }
    },
  )
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/timeline',
      tag,
      summary: 'The size of the context over time, with every compaction',
      params: threadParams,
      answer: timelineSchema,
    },
    async ({ params: { threadId } }) => {
      await threads.context(threadId)
      return { items: [...thinned((await tallies.of(threadId)).points)] }
    },
  )
}
