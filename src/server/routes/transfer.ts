// Threads in and out: session files of other agents read, threads written as such or as pages.
import { PrecisError } from '../../core/errors.ts'
import { formatQuery, importQuery, threadParams } from '../../protocol/requests.ts'
import { sessionResponseSchema } from '../../protocol/schemas.ts'
import { route } from '../http/route.ts'
import { uploadIn } from '../http/upload.ts'
import type { AddRoutes } from '../send.ts'
import { buildSession } from '../views/session.ts'

const tag = 'transfer'

export const addTransferRoutes: AddRoutes = (api, parts) => {
  const { threads, formats, arrivals } = parts
  route(
    api,
    {
      method: 'post',
      path: '/threads/import',
      tag,
      summary: 'Import a session file (the body) as a new thread',
      query: importQuery,
      isUpload: true,
      answer: sessionResponseSchema,
      status: 201,
    },
    async ({ query, owner, c }) => {
      const file = uploadIn(c)
      if (!file)
        throw new PrecisError('invalid-input', 'The request has no file.', {
          where: 'body',
          hint: 'Send the file as the request body.',
        })
      const options = { ...query, ...(owner !== undefined && { owner }) }
      const threadId = await formats.importThread(file, options)
      arrivals.add(owner, threadId)
      return buildSession(parts, threadId)
    },
  )
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/export',
      tag,
      summary: 'Export a thread in another format, without likely secrets',
      params: threadParams,
      query: formatQuery,
      mediaType: 'text/plain',
    },
    async ({ params: { threadId }, query: { format } }) => {
      await threads.context(threadId)
      const { text, mediaType } = await formats.exportThread(threadId, format)
      return new Response(text, {
        headers: {
          'content-type': `${mediaType}; charset=utf-8`,
          // Never shown as a page of this server: what is in it came from elsewhere.
          'content-disposition': 'attachment',
          'x-content-type-options': 'nosniff',
        },
      })
    },
  )
}
