// Routes for liveness and readiness
import { statusSchema } from '../../protocol/schemas.ts'
import { METRICS_TYPE, metricsText } from '../http/metrics.ts'
import { route } from '../http/route.ts'
import { goingDown, requireAnswer } from '../http/store-answers.ts'
import type { AddRoutes, AppParts } from '../send.ts'

const tag = 'health'

/** Whoever watches a process takes no answer for a dead one. */
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
      tag,
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
      tag,
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
