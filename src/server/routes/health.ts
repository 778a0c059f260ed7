// Routes for liveness and readiness
import { statusSchema } from '../../protocol/schemas.ts'
import type { AddRoutes } from '../api.ts'
import { goingDown } from '../drain.ts'
import { route } from '../route.ts'
import { requireAnswer } from '../store-answers.ts'

const tag = 'health'

export const addHealthRoutes: AddRoutes = (api, parts) => {
  const { drain, limits } = parts
  route(
    api,
    {
      method: 'get',
      path: '/health',
      tag,
      summary: 'Liveness: the process answers',
      answer: statusSchema,
    },
    async () => ({ status: 'ok' as const }),
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
}
