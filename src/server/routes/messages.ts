// Routes for turns: messages, commands, abort, resume, approvals
import { PrecisError } from '../../core/errors.ts'
import { threadSettingsReducer } from '../../core/settings/settings-keys.ts'
import { textOfUserContent, type UserContent } from '../../core/view/content.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import { sendReplySchema } from '../../protocol/compaction-schemas.ts'
import { callParams, decisionBody, messageBody, threadParams } from '../../protocol/requests.ts'
import { type Api, route } from '../http/route.ts'
import type { AddRoutes, AppParts } from '../send.ts'

const tag = 'turns'

export const addMessageRoutes: AddRoutes = (api, parts) => {
  addTurns(api, parts)
  addSteering(api, parts)
}

function addTurns(api: Api, { threads, sender, workspaces }: AppParts): void {
  /** Its agent would have the files of a folder that nobody has allowed here. */
  const admit = async (threadId: string) => {
    const { workspace } = reducedBy(await threads.state(threadId), threadSettingsReducer)
    if (workspace !== undefined) workspaces.admit(workspace)
  }
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/messages',
      tag,
      summary: 'Send a message or a command; answers as soon as it is accepted',
      params: threadParams,
      body: messageBody,
      answer: sendReplySchema,
      status: 202,
    },
    async ({ params, body }) => {
      const content = body.content as UserContent
      requireReadable(content)
      await admit(params.threadId)
      return sender.send(params.threadId, content)
    },
  )
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/resume',
      tag,
      summary: 'Resume an interrupted thread',
      params: threadParams,
    },
    async ({ params }) => {
      await admit(params.threadId)
      await sender.resume(params.threadId)
      return undefined
    },
  )
}

/** More than any window holds: to count and to refuse it would hold up everybody else. */
const MOST_TEXT_CHARS = 4_000_000

function requireReadable(content: UserContent): void {
  if (textOfUserContent(content).length <= MOST_TEXT_CHARS) return
  throw new PrecisError('payload-too-large', 'The text of the message is too long.', {
    where: 'body: content',
    hint: `The limit is ${MOST_TEXT_CHARS.toLocaleString('en-US')} characters. Put the text into a file of the workspace.`,
  })
}

function addSteering(api: Api, parts: AppParts): void {
  const { agent, threads, approvals, activity, peers } = parts
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/abort',
      tag,
      summary: 'Stop the running turn; answers when it has stopped',
      params: threadParams,
    },
    async ({ params: { threadId } }) => {
      await threads.context(threadId)
      const { isWorking, isCompacting } = activity.of(threadId)
      await agent.abort(threadId)
      if (!isWorking && !isCompacting) await peers?.abort(threadId)
      return undefined
    },
  )
  route(
    api,
    {
      method: 'post',
      path: '/threads/{threadId}/approvals/{callId}',
      tag,
      summary: 'Allow or deny a pending tool call',
      params: callParams,
      body: decisionBody,
    },
    async ({ params: { threadId, callId }, body: { decision } }) => {
      const isOurs = approvals.of(threadId).some((each) => each.callId === callId)
      if (!isOurs && (await peers?.decide(threadId, callId, decision))) return undefined
      approvals.decide(threadId, callId, decision)
      return undefined
    },
  )
}
