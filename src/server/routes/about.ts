// The server itself: the handshake, its models, strategies and settings.
import { PRESETS } from '../../core/window/presets.ts'
import { PROTOCOL_VERSION } from '../../protocol/client.ts'
import {
  helloSchema,
  modelsSchema,
  settingsSchema,
  strategiesSchema,
} from '../../protocol/schemas.ts'
import { readToken } from '../http/guard.ts'
import { type Api, route } from '../http/route.ts'
import type { AddRoutes, AppParts } from '../send.ts'
import { machineFor } from './machine.ts'

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
