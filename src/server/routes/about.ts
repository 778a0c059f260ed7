// The server itself: handshake, models, strategies, settings, liveness and readiness.
import type { Context } from 'hono'
import { PrecisError } from '../../core/errors.ts'
import { PRESETS } from '../../core/window/presets.ts'
import { PROTOCOL_VERSION } from '../../protocol/client.ts'
import { machineSessionsQuery, openSessionBody } from '../../protocol/requests.ts'
import {
  helloSchema,
  machineSessionsSchema,
  modelsSchema,
  sessionResponseSchema,
  settingsSchema,
  statusSchema,
  strategiesSchema,
} from '../../protocol/schemas.ts'
import { isFromMachine, readToken } from '../http/guard.ts'
import { METRICS_TYPE, metricsText, PAGE } from '../http/metrics.ts'
import { type Api, route } from '../http/route.ts'
import { goingDown, requireAnswer } from '../http/store-answers.ts'
import type { MachineSessions } from '../ports.ts'
import type { AddRoutes, AppParts } from '../send.ts'
import { buildSession } from '../views/session.ts'

const tag = 'about'

export const addAboutRoutes: AddRoutes = (api, parts) => {
  const { models, threads, formats, version } = parts
  route(
    api,
    {
      method: 'get',
      path: '',
      tag,
      summary: 'The handshake: protocol version and capabilities',
      answer: helloSchema,
    },
    async ({ c }) => {
      const { defaultModel } = models
      return {
        protocol: PROTOCOL_VERSION,
        version,
        ...(defaultModel !== undefined && { defaultModel }),
        presets: Object.keys(PRESETS),
        strategies: threads.strategyIds(),
        formats: { read: [...formats.read], written: [...formats.written] },
        ...(machineFor(parts, c) && { hasSessions: true as const }),
      }
    },
  )
  route(
    api,
    {
      method: 'get',
      path: '/models',
      tag,
      summary: 'The known models, and whether each is usable',
      answer: modelsSchema,
    },
    async () => ({ items: [...(await models.list())] }),
  )
  route(
    api,
    {
      method: 'get',
      path: '/strategies',
      tag,
      summary: 'The compaction strategies',
      answer: strategiesSchema,
    },
    async () => ({ items: threads.strategyIds().map((id) => ({ id })) }),
  )
  route(
    api,
    {
      method: 'get',
      path: '/settings',
      tag,
      summary: 'The effective settings and the source of each',
      answer: settingsSchema,
    },
    async () => ({ items: [...parts.settings()] }),
  )
  addSession(api, parts)
}

function addSession(api: Api, { access, pageSessions }: AppParts): void {
  route(
    api,
    {
      method: 'post',
      path: '/session',
      tag,
      summary: 'Exchange the token for a cookie, for the page; it expires with the process',
    },
    async ({ c }) => {
      const token = readToken(c, pageSessions)
      if (!access?.tokens?.isRequired || token === '') return undefined
      return new Response(null, {
        status: 204,
        headers: { 'set-cookie': pageSessions.begin(c, token) },
      })
    },
  )
}

const healthTag = 'health'

/** Monitoring takes a missing answer for a dead process. */
const LONGEST_LOOK_MS = 1_000

async function storeState(parts: AppParts): Promise<'ok' | 'silent'> {
  const withinMs = Math.min(LONGEST_LOOK_MS, parts.limits.storeSilenceMs)
  return requireAnswer(parts, withinMs).then(
    () => 'ok',
    () => 'silent',
  )
}

export const addHealthRoutes: AddRoutes = (api, parts) => {
  const { drain, limits } = parts
  route(
    api,
    {
      method: 'get',
      path: '/health',
      tag: healthTag,
      summary: 'Liveness: the process answers, and whether its store does',
      answer: statusSchema,
    },
    async () => ({ status: 'ok' as const, store: await storeState(parts) }),
  )
  route(
    api,
    {
      method: 'get',
      path: '/ready',
      tag: healthTag,
      summary: 'Readiness: the store answers and the server is not shutting down',
      answer: statusSchema,
    },
    async () => {
      if (drain.isDraining) throw goingDown()
      await requireAnswer(parts, limits.storeSilenceMs)
      return { status: 'ready' as const }
    },
  )
  api.get('/metrics', async (c) => {
    const isUp = (await storeState(parts)) === 'ok'
    return c.text(metricsText(parts, isUp), 200, { 'content-type': METRICS_TYPE })
  })
}

export const addMachineRoutes: AddRoutes = (api, parts) => {
  route(
    api,
    {
      method: 'get',
      path: '/machine/sessions',
      tag: 'machine',
      summary: 'The sessions of agents on this machine, newest first; for its owner alone',
      query: machineSessionsQuery,
      answer: machineSessionsSchema,
    },
    async ({ query: { limit = PAGE, ...query }, c }) => {
      const { items, ...rest } = await requireMachine(parts, c).list({ ...query, limit })
      const told = items.map((each) => ({ ...each, updatedAt: each.updatedAt.toISOString() }))
      return { ...rest, items: told }
    },
  )
  route(
    api,
    {
      method: 'post',
      path: '/machine/sessions/open',
      tag: 'machine',
      summary: 'Import what is new in a session of this machine; its thread follows the file',
      body: openSessionBody,
      answer: sessionResponseSchema,
      status: 201,
    },
    async ({ body: { id }, owner, c }) => {
      const threadId = await requireMachine(parts, c).open(id)
      parts.arrivals.add(owner, threadId)
      return buildSession(parts, threadId)
    },
  )
}

/** Undefined unless the caller is the owner of this machine. */
export function machineFor(
  { machine }: { readonly machine?: MachineSessions },
  c: Context,
): MachineSessions | undefined {
  return machine && isFromMachine(c) ? machine : undefined
}

function requireMachine(
  parts: { readonly machine?: MachineSessions },
  c: Context,
): MachineSessions {
  const machine = machineFor(parts, c)
  if (machine) return machine
  throw new PrecisError('forbidden', 'Only the owner of this machine can see its sessions.', {
    where: 'Authorization',
    hint: 'Start precis serve on this machine, without tokens for others, and open the address that it prints.',
  })
}
