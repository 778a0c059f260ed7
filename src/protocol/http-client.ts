// The client: one request per question, the same in process and over the network.
import type { z } from 'zod'
import { readRow } from '../core/log/codec.ts'
import type { Client, CommandOutcome, SendReply, ThreadDetail, ThreadSummary } from './client.ts'
import {
  commandOutcomeSchema,
  compactionDiffSchema,
  previewSchema,
  reportSchema,
  sendReplySchema,
} from './compaction-schemas.ts'
import { followStream } from './follow-stream.ts'
import { type Call, callJson, callRaw, type Transport } from './http-requests.ts'
import {
  contextEntriesSchema,
  contextPictureSchema,
  costSchema,
  entryPlacesSchema,
  eventsSchema,
  filesSchema,
  helloSchema,
  machineSessionsSchema,
  modelsSchema,
  pinSchema,
  pinsSchema,
  recalledSchema,
  sessionResponseSchema,
  settingsSchema,
  threadPageSchema,
  type threadSummarySchema,
  timelineSchema,
} from './schemas.ts'
import { fromWireResult } from './wire.ts'

export type { Transport } from './http-requests.ts'

/** In process, `fetch` is the app's own. */
export function createClient(transport: Transport): Client {
  return {
    ...aboutThreads(transport),
    ...aboutTurns(transport),
    ...aboutCompactions(transport),
    ...aboutContents(transport),
    ...aboutTheRest(transport),
  }
}

function aboutThreads(
  transport: Transport,
): Pick<
  Client,
  'threads' | 'createThread' | 'thread' | 'deleteThread' | 'fork' | 'change' | 'importThread'
> {
  const detail = async (call: Call): Promise<ThreadDetail> =>
    readDetail(await callJson(transport, sessionResponseSchema, call))
  return {
    async threads(query = {}) {
      const page = await callJson(transport, threadPageSchema, {
        path: '/threads',
        query: { ...query },
      })
      return { ...page, items: page.items.map(buildSummary) }
    },
    createThread: (body = {}) => detail({ method: 'POST', path: '/threads', body }),
    thread: (threadId) => detail({ path: of(threadId) }),
    async deleteThread(threadId) {
      await callRaw(transport, { method: 'DELETE', path: of(threadId) })
    },
    fork: (threadId, seq) =>
      detail({
        method: 'POST',
        path: of(threadId, 'fork'),
        body: { ...(seq !== undefined && { seq }) },
      }),
    change: (threadId, body) => detail({ method: 'PATCH', path: of(threadId), body }),
    importThread: (text, { format } = {}) =>
      detail({ method: 'POST', path: '/threads/import', query: { format }, text }),
  }
}

function aboutTurns(
  transport: Transport,
): Pick<Client, 'events' | 'follow' | 'send' | 'resume' | 'abort' | 'decide'> {
  const post = (path: string, body?: unknown) => callRaw(transport, { method: 'POST', path, body })
  return {
    async events(threadId, query = {}) {
      const path = of(threadId, 'events')
      const { items } = await callJson(transport, eventsSchema, { path, query: { ...query } })
      return items.map(readRow)
    },
    follow: (threadId, afterSeq, signal, onConnected) =>
      followStream(transport, threadId, afterSeq, signal, onConnected),
    async send(threadId, content) {
      const path = of(threadId, 'messages')
      const body = { content }
      const reply = await callJson(transport, sendReplySchema, { method: 'POST', path, body })
      return buildReply(reply)
    },
    async resume(threadId) {
      await post(of(threadId, 'resume'))
    },
    async abort(threadId) {
      await post(of(threadId, 'abort'))
    },
    async decide(threadId, callId, decision) {
      await post(of(threadId, 'approvals', callId), { decision })
    },
  }
}

function aboutCompactions(
  transport: Transport,
): Pick<
  Client,
  | 'compact'
  | 'preview'
  | 'previewDiff'
  | 'applyPreview'
  | 'dropPreview'
  | 'undo'
  | 'redo'
  | 'diff'
  | 'report'
> {
  const post = (path: string, body: unknown): Call => ({ method: 'POST', path, body })
  const outcome = async (call: Call) =>
    readOutcome(await callJson(transport, commandOutcomeSchema, call))
  return {
    compact: (threadId, request = {}) => outcome(post(of(threadId, 'compactions'), request)),
    preview: (threadId, request = {}) =>
      callJson(transport, previewSchema, post(of(threadId, 'previews'), request)),
    previewDiff: (threadId, previewId) =>
      callJson(transport, compactionDiffSchema, {
        path: of(threadId, 'previews', previewId, 'diff'),
      }),
    applyPreview: (threadId, previewId, texts) =>
      outcome(post(of(threadId, 'previews', previewId, 'apply'), { ...(texts && { texts }) })),
    async dropPreview(threadId, previewId) {
      await callRaw(transport, { method: 'DELETE', path: of(threadId, 'previews', previewId) })
    },
    async undo(threadId, compaction) {
      const body = { ...(compaction !== undefined && { compaction }) }
      await callRaw(transport, post(of(threadId, 'undo'), body))
    },
    async redo(threadId) {
      await callRaw(transport, post(of(threadId, 'redo'), {}))
    },
    diff: (threadId, compaction) =>
      callJson(transport, compactionDiffSchema, {
        path: of(threadId, 'compactions', String(compaction), 'diff'),
      }),
    report: (threadId, compaction) =>
      callJson(transport, reportSchema, {
        path: of(threadId, 'compactions', String(compaction), 'report'),
      }),
  }
}

function aboutContents(
  transport: Transport,
): Pick<
  Client,
  | 'pins'
  | 'pin'
  | 'unpin'
  | 'recall'
  | 'contextPicture'
  | 'contextEntries'
  | 'places'
  | 'cost'
  | 'timeline'
  | 'exportThread'
  | 'files'
> {
  return {
    async pins(threadId) {
      return (await callJson(transport, pinsSchema, { path: of(threadId, 'pins') })).items
    },
    pin: (threadId, text) =>
      callJson(transport, pinSchema, {
        method: 'POST',
        path: of(threadId, 'pins'),
        body: { text },
      }),
    async unpin(threadId, pinId) {
      await callRaw(transport, { method: 'DELETE', path: of(threadId, 'pins', pinId) })
    },
    async recall(threadId, asked) {
      const path = of(threadId, 'recall')
      const { hits, ...found } = await callJson(transport, recalledSchema, { path, query: asked })
      return {
        ...found,
        hits: hits.map((hit) => ({ ...hit, timestamp: new Date(hit.timestamp) })),
      }
    },
    contextPicture: (threadId) =>
      callJson(transport, contextPictureSchema, { path: of(threadId, 'context') }),
    contextEntries: (threadId, query = {}) =>
      callJson(transport, contextEntriesSchema, {
        path: of(threadId, 'context', 'entries'),
        query: { ...query },
      }),
    async places(threadId, query = {}) {
      const path = of(threadId, 'context', 'places')
      return (await callJson(transport, entryPlacesSchema, { path, query: { ...query } })).items
    },
    async cost(threadId) {
      return (await callJson(transport, costSchema, { path: of(threadId, 'cost') })).items
    },
    async timeline(threadId) {
      return (await callJson(transport, timelineSchema, { path: of(threadId, 'timeline') })).items
    },
    async exportThread(threadId, format) {
      const path = of(threadId, 'export')
      return (await callRaw(transport, { path, query: { format } })).text()
    },
    async files(threadId, typed) {
      const path = of(threadId, 'files')
      return (await callJson(transport, filesSchema, { path, query: { typed } })).items
    },
  }
}

function aboutTheRest(
  transport: Transport,
): Pick<Client, 'hello' | 'models' | 'settings' | 'sessions' | 'openSession'> {
  return {
    async sessions(query = {}) {
      const page = await callJson(transport, machineSessionsSchema, {
        path: '/machine/sessions',
        query: { ...query },
      })
      const items = page.items.map((each) => ({ ...each, updatedAt: new Date(each.updatedAt) }))
      return { ...page, items }
    },
    async openSession(id) {
      const call = { method: 'POST', path: '/machine/sessions/open', body: { id } } as const
      return readDetail(await callJson(transport, sessionResponseSchema, call))
    },
    hello: () => callJson(transport, helloSchema, { path: '' }),
    models: async () => (await callJson(transport, modelsSchema, { path: '/models' })).items,
    settings: async () => (await callJson(transport, settingsSchema, { path: '/settings' })).items,
  }
}

function of(threadId: string, ...rest: readonly string[]): string {
  return ['/threads', threadId, ...rest]
    .map((part, at) => (at === 0 ? part : encodeURIComponent(part)))
    .join('/')
}

function buildSummary(wire: z.output<typeof threadSummarySchema>): ThreadSummary {
  const { createdAt, updatedAt, importedAt, ...rest } = wire
  return {
    ...rest,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    ...(importedAt !== undefined && { importedAt: new Date(importedAt) }),
  }
}

function readDetail({ session, ...figures }: z.output<typeof sessionResponseSchema>): ThreadDetail {
  const { importedAt: _, ...rest } = session
  return { ...rest, ...buildSummary(session), ...figures }
}

function buildReply(wire: z.output<typeof sendReplySchema>): SendReply {
  if (wire.status !== 'command') return wire
  return { status: wire.status, ...readOutcome(wire) }
}

function readOutcome(wire: z.output<typeof commandOutcomeSchema>): CommandOutcome {
  const { command, ok, text, threadId, compaction, returned } = wire
  return {
    command,
    ok,
    text,
    ...(threadId !== undefined && { threadId }),
    ...(compaction && { compaction: fromWireResult(compaction) }),
    ...(returned !== undefined && { returned }),
  }
}
