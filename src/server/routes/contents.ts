// The content of a thread: views, pins, recall, window, files for completion.
import { PrecisError } from '../../core/errors.ts'
import type { EventOf } from '../../core/log/event.ts'
import { threadSettingsReducer } from '../../core/settings/settings-keys.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import {
  contextEntriesQuery,
  filesQuery,
  pinBody,
  pinParams,
  placesQuery,
  recallQuery,
  threadParams,
} from '../../protocol/requests.ts'
import {
  contextEntriesSchema,
  contextPictureSchema,
  costSchema,
  entryPlacesSchema,
  filesSchema,
  pinSchema,
  pinsSchema,
  recalledSchema,
  timelineSchema,
} from '../../protocol/schemas.ts'
import { archiveOf } from '../../threads/archive.ts'
import { type Api, route } from '../http/route.ts'
import type { AppWorkspaces } from '../ports.ts'
import type { AddRoutes, AppParts } from '../send.ts'
import { buildPicture, readContextEntries, recalled } from '../views/context-entries.ts'
import { thinned } from '../views/count-event.ts'
import { readPlaces } from '../views/entry-places.ts'
import { buildContextFigures } from '../views/figures.ts'

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
      const page = await readContextEntries({ store, threadId, context }, query)
      return { ...page, items: [...page.items] }
    },
  )
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/context/places',
      tag,
      summary:
        'What became of the entries of a stretch of events: still there, or what replaces them',
      params: threadParams,
      query: placesQuery,
      answer: entryPlacesSchema,
    },
    async ({ params: { threadId }, query }) => {
      const context = await threads.context(threadId)
      return { items: await readPlaces({ store, threadId, context }, query) }
    },
  )
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/cost',
      tag,
      summary: 'Everything that was billed, by model',
      params: threadParams,
      answer: costSchema,
    },
    async ({ params: { threadId } }) => {
      await threads.context(threadId)
      return { items: [...(await tallies.of(threadId)).models.values()] }
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

/** The content of a thread: views, pins, recall, window, files for completion. */
export const addContentRoutes: AddRoutes = (api, parts) => {
  addPins(api, parts)
  const { threads, store, models, workspaces } = parts
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/recall',
      tag,
      summary: 'Search the log by words, or read a ref in full',
      params: threadParams,
      query: recallQuery,
      answer: recalledSchema,
    },
    async ({ params: { threadId }, query }) => {
      await threads.context(threadId)
      return recalled(archiveOf({ threads, store }, threadId), query)
    },
  )
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/context',
      tag,
      summary: 'The window by category, and its largest entries',
      params: threadParams,
      answer: contextPictureSchema,
    },
    async ({ params: { threadId } }) => {
      const { model: name } = reducedBy(await threads.state(threadId), threadSettingsReducer)
      const model = await models.resolve(name).catch(() => undefined)
      const figures = buildContextFigures(await threads.reading(threadId), model?.windowTokens)
      const picture = buildPicture(await threads.contents(threadId), figures)
      return { ...picture, categories: [...picture.categories], largest: [...picture.largest] }
    },
  )
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/files',
      tag,
      summary: 'Paths in the directory of a thread that start with, or contain, the typed text',
      params: threadParams,
      query: filesQuery,
      answer: filesSchema,
    },
    async ({ params: { threadId }, query }) => {
      const choices = reducedBy(await threads.state(threadId), threadSettingsReducer)
      const workspace = choices.workspace ?? workspaces.default
      if (workspace === undefined) return { items: [] }
      workspaces.admit(workspace)
      return { items: await completeFiles(workspaces, workspace, query.typed) }
    },
  )
}

function addPins(api: Api, { threads }: AppParts): void {
  route(
    api,
    {
      method: 'get',
      path: '/threads/{threadId}/pins',
      tag,
      summary: 'The pins of a thread',
      params: threadParams,
      answer: pinsSchema,
    },
    async ({ params }) => ({ items: (await threads.pins(params.threadId)).map(pinInfo) }),
  )
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/pins',
      tag,
      summary: 'Pin a text',
      params: threadParams,
      body: pinBody,
      answer: pinSchema,
      status: 201,
    },
    async ({ params: { threadId }, body: { text } }) => {
      if (text.trim() === '')
        throw new PrecisError('invalid-input', 'A pin needs a text.', {
          where: 'body: text',
          hint: 'Pass the text to pin.',
        })
      const pinId = await threads.pin(threadId, { text, by: 'user' })
      return { pinId, text, by: 'user' }
    },
  )
  route(
    api,
    {
      method: 'delete',
      path: '/threads/{threadId}/pins/{pinId}',
      tag,
      summary: 'Remove a pin',
      params: pinParams,
    },
    ({ params }) => threads.unpin(params.threadId, params.pinId),
  )
}

function pinInfo({ pinId, text, entries = [], by = 'user' }: EventOf<'PIN'>['data']) {
  return { pinId, text: text ?? `entries ${entries.join(', ')}`, by }
}

const MOST_FILES = 50
/** A folder may hold millions of files, and a slow completion is useless. */
const MOST_WALKED = 20_000

async function completeFiles(
  workspaces: AppWorkspaces,
  workspace: string,
  typed: string,
): Promise<string[]> {
  if (/^(?:\/|~|[a-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/i.test(typed))
    throw new PrecisError('invalid-input', 'Only paths inside the directory can be completed.', {
      where: 'typed',
      hint: 'Give a path relative to it.',
    })
  const wanted = typed.toLowerCase()
  const beginning: string[] = []
  const containing: string[] = []
  let walked = 0
  const isOver = () => walked > MOST_WALKED || beginning.length >= MOST_FILES
  for await (const { name, kind, isIgnored } of workspaces.walk(workspace, isOver)) {
    walked += 1
    if (isOver()) break
    if (isIgnored || kind === 'other') continue
    const path = kind === 'folder' ? `${name}/` : name
    const at = path.toLowerCase().indexOf(wanted)
    if (at === 0) beginning.push(path)
    else if (at > 0 && containing.length < MOST_FILES) containing.push(path)
  }
  return [...beginning, ...containing].slice(0, MOST_FILES)
}
