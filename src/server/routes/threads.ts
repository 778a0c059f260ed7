// Routes for threads: list, create, read, change, delete, fork.
import { systemDrafts } from '../../agent/loop/system-prompt.ts'
import { PrecisError } from '../../core/errors.ts'
import type { EventDraft } from '../../core/log/event.ts'
import {
  changeBody,
  forkBody,
  formatQuery,
  importQuery,
  newThreadBody,
  threadParams,
  threadsQuery,
} from '../../protocol/requests.ts'
import { sessionResponseSchema, threadPageSchema } from '../../protocol/schemas.ts'
import { unknownThread } from '../../threads/live-thread.ts'
import { type Api, route } from '../http/route.ts'
import { uploadIn } from '../http/upload.ts'
import type { AddRoutes, AppParts } from '../send.ts'
import { changesFor } from '../thread-changes.ts'
import { buildSession } from '../views/session.ts'

const tag = 'threads'

export const addThreadRoutes: AddRoutes = (api, parts) => {
  addBeginning(api, parts)
  addOne(api, parts)
}

function addBeginning(api: Api, parts: AppParts): void {
  const { threads, store, workspaces, arrivals } = parts
  route(
    api,
    {
      method: 'get',
      path: '/threads',
      tag,
      summary:
        'The threads, newest first, imports by when they came; optionally only those that contain certain words',
      query: threadsQuery,
      answer: threadPageSchema,
    },
    ({ query, owner }) => arrivals.page(store, query, owner),
  )
  route(
    api,
    {
      method: 'post',
      path: '/threads',
      tag,
      summary: 'Create a thread',
      body: newThreadBody,
      answer: sessionResponseSchema,
      status: 201,
    },
    async ({ body: { title, workspace: asked, ...choices }, owner }) => {
      const workspace = asked === undefined ? workspaces.default : workspaces.require(asked)
      const drafts: EventDraft[] = [
        ...(workspace === undefined
          ? []
          : [
              ...systemDrafts({ workspace, rules: workspaces.rules?.(workspace) }),
              { type: 'THREAD_SETTINGS' as const, data: { workspace } },
            ]),
        ...(await changesFor(parts, undefined, choices)),
      ]
      const threadId = await threads.create(
        { ...(title !== undefined && { title }), ...(owner !== undefined && { owner }) },
        drafts,
      )
      return buildSession(parts, threadId)
    },
  )
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/fork',
      tag,
      summary: 'Fork a thread up to an event',
      params: threadParams,
      body: forkBody,
      answer: sessionResponseSchema,
      status: 201,
    },
    async ({ params, body }) => buildSession(parts, await threads.fork(params.threadId, body.seq)),
  )
}

function addOne(api: Api, parts: AppParts): void {
  const { threads } = parts
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}',
      tag,
      summary: 'A thread with its figures',
      params: threadParams,
      answer: sessionResponseSchema,
    },
    ({ params }) => buildSession(parts, params.threadId),
  )
  route(
    api,
    {
      method: 'patch',
      path: '/threads/{threadId}',
      tag,
      summary: 'Change the model, thinking, preset or strategy of a thread',
      params: threadParams,
      body: changeBody,
      answer: sessionResponseSchema,
    },
    async ({ params: { threadId }, body }) => {
      const state = await threads.state(threadId)
      const drafts = await changesFor(parts, state, body)
      if (drafts.length > 0) await threads.append(threadId, drafts, { openCalls: 'leave' })
      return buildSession(parts, threadId)
    },
  )
  route(
    api,
    {
      method: 'delete',
      path: '/threads/{threadId}',
      tag,
      summary: 'Stop the running turn and delete the thread',
      params: threadParams,
    },
    async ({ params: { threadId } }) => {
      await threads.context(threadId)
      await parts.agent.abort(threadId)
      await parts.peers?.abort(threadId)
      if (!(await threads.delete(threadId))) throw unknownThread(threadId)
      return undefined
    },
  )
}

export const addTransferRoutes: AddRoutes = (api, parts) => {
  const { threads, formats, arrivals } = parts
  route(
    api,
    {
      method: 'post',
      path: '/threads/import',
      tag: 'transfer',
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
      tag: 'transfer',
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
          // Never rendered as a page of this server, because the content is foreign.
          'content-disposition': 'attachment',
          'x-content-type-options': 'nosniff',
        },
      })
    },
  )
}
