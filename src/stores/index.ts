// The stores, for `precis/stores`. The guard is imported first: the database driver crashes an old Node.
import '../node-guard.ts'

export { checkStore, type StoreReport } from './check-store.ts'
export { type CopyReport, copyStore } from './copy-store.ts'
export type { JobOptions } from './job-options.ts'
export { memoryStore } from './memory/memory.ts'
export { openJobs, openStore } from './open-store.ts'
export { openPostgresStore, type PostgresOptions } from './postgres/lazy-postgres.ts'
export { LIMITS } from './rows/limits.ts'
export { openSqliteStore, type SqliteOptions } from './sqlite/store.ts'
