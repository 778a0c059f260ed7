// The stores, for `precis/stores`. The guard comes first: the database driver crashes an old Node.
import '../node-guard.ts'

export { LIMITS } from './limits.ts'
export { memoryStore } from './memory.ts'
export { openStore } from './open-store.ts'
export { openSqliteStore, type SqliteOptions } from './sqlite/store.ts'
