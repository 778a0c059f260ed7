// `openPostgresStore` with its driver loaded on the first call: users of other stores need not install it.
import { importPeer } from '../../core/errors.ts'
import type { openPostgresStore as open } from './open-postgres.ts'

export type { PostgresOptions } from './open-postgres.ts'

export const openPostgresStore: typeof open = async (...args) => {
  const module = await importPeer('pg', () => import('./open-postgres.ts'))
  return module.openPostgresStore(...args)
}
