// Whether the server is there, and whether it can do its work: for whoever watches over it.
import { PrecisError } from '../../core/errors.ts'
import { statusSchema } from '../../protocol/schemas.ts'
import type { AddRoutes } from '../api.ts'
import { goingDown } from '../drain.ts'
import { RESERVED_PREFIX } from '../owners.ts'
import { route } from '../route.ts'

const tag = 'health'

export const addHealthRoutes: AddRoutes = (api, { store, drain }) => {
  route(
    api,
    {
      method: 'get',
      path: '/health',
      tag,
      summary: 'That the process answers',
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
      summary: 'That it takes requests: its store answers, and it is not being stopped',
      answer: statusSchema,
    },
    async () => {
      if (drain.isDraining) throw goingDown()
      await store.info(`${RESERVED_PREFIX}ready`).catch((cause: unknown) => {
        // What exactly is wrong with the store is not for whoever asks without a token.
        throw new PrecisError('store-busy', 'The store does not answer.', {
          hint: 'Look into the log of the server, and whether its store can be reached.',
          cause,
        })
      })
      return { status: 'ready' as const }
    },
  )
}
