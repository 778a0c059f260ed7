// Compactions: run, preview, apply with edited texts, undo, and what one did.
import type { z } from 'zod'
import { compactionWords } from '../../agent/commands/preset-words.ts'
import type { RunResult } from '../../core/agent/frame.ts'
import {
  commandOutcomeSchema,
  compactionDiffSchema,
  previewSchema,
  reportSchema,
} from '../../protocol/compaction-schemas.ts'
import type { ViewDiff } from '../../protocol/context-types.ts'
import {
  applyBody,
  compactBody,
  compactionParams,
  previewParams,
  threadParams,
  undoBody,
} from '../../protocol/requests.ts'
import { toWireResult } from '../../protocol/wire.ts'
import { type Api, route } from '../http/route.ts'
import type { AddRoutes, AppParts, WireOutcome } from '../send.ts'
import { requireStrategy } from '../thread-changes.ts'
import { computeDiff } from '../views/diff.ts'
import { aroundCompaction, buildReport } from '../views/reports.ts'

const tag = 'compactions'

export const addCompactionRoutes: AddRoutes = (api, parts) => {
  addRunning(api, parts)
  addPreviews(api, parts)
  addReversing(api, parts)
  addLooking(api, parts)
}

function addRunning(api: Api, { agent, threads }: AppParts): void {
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/compactions',
      tag,
      summary: 'Compact a thread now; answered when it is done',
      params: threadParams,
      body: compactBody,
      answer: commandOutcomeSchema,
    },
    async ({ params, body }) => {
      requireStrategy(threads, body.strategy)
      return readOutcome(await agent.compact(params.threadId, body))
    },
  )
}

function addPreviews(api: Api, { previews, threads }: AppParts): void {
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/previews',
      tag,
      summary: 'Preview a compaction; nothing is changed',
      params: threadParams,
      body: compactBody,
      answer: previewSchema,
      status: 201,
    },
    async ({ params, body, c }) => {
      requireStrategy(threads, body.strategy)
      return previews.make(params.threadId, body, c.req.raw.signal)
    },
  )
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/previews/{previewId}/apply',
      tag,
      summary: 'Apply a preview, with its own or edited texts',
      params: previewParams,
      body: applyBody,
      answer: commandOutcomeSchema,
    },
    async ({ params: { threadId, previewId }, body: { texts = {} } }) =>
      readOutcome(await previews.apply(threadId, previewId, texts)),
  )
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/previews/{previewId}/diff',
      tag,
      summary: 'The context before and after, as a preview would change it',
      params: previewParams,
      answer: compactionDiffSchema,
    },
    async ({ params: { threadId, previewId } }) =>
      toWireDiff(await previews.diff(threadId, previewId)),
  )
  route(
    api,
    {
      method: 'delete',
      path: '/threads/{threadId}/previews/{previewId}',
      tag,
      summary: 'Drop a preview',
      params: previewParams,
    },
    async ({ params }) => previews.drop(params.threadId, params.previewId),
  )
}

function addReversing(api: Api, { agent }: AppParts): void {
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/undo',
      tag,
      summary: 'Undo the last compaction, or the given one',
      params: threadParams,
      body: undoBody,
    },
    async ({ params, body }) => {
      await agent.undo(params.threadId, body.compaction)
    },
  )
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/redo',
      tag,
      summary: 'Redo the last undone compaction',
      params: threadParams,
    },
    async ({ params }) => {
      await agent.redo(params.threadId)
    },
  )
}

function addLooking(api: Api, { store }: AppParts): void {
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/compactions/{compaction}/diff',
      tag,
      summary: 'The context before and after a compaction',
      params: compactionParams,
      answer: compactionDiffSchema,
    },
    async ({ params: { threadId, compaction } }) =>
      toWireDiff(computeDiff(await aroundCompaction(store, threadId, compaction))),
  )
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/compactions/{compaction}/report',
      tag,
      summary: 'The report of a compaction: what it removed and kept',
      params: compactionParams,
      answer: reportSchema,
    },
    async ({ params: { threadId, compaction } }) =>
      structuredClone(buildReport(await aroundCompaction(store, threadId, compaction))) as z.output<
        typeof reportSchema
      >,
  )
}

function toWireDiff({ before, after, changes, ...diff }: ViewDiff) {
  return {
    ...diff,
    before: [...before],
    after: [...after],
    changes: changes.map(({ removed, added }) => ({ removed: [...removed], added: [...added] })),
  }
}

function readOutcome(result: RunResult): WireOutcome {
  const { fresh } = result
  return {
    command: 'compact',
    ok: result.success,
    text: compactionWords(result).join('\n'),
    ...(fresh && { threadId: fresh.threadId }),
    compaction: toWireResult(result),
  }
}
