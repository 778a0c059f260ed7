// Stops an old Node with one sentence: better-sqlite3 would end it with a segmentation fault.
import { PrecisError } from './core/errors.ts'

/** The Node-API version that better-sqlite3 is built for; Node 22.14 and later have it. */
const NEEDED_NAPI = 10

/** Throws `wrong-node` if these versions (`process.versions`) are too old. */
export function checkNode(versions: {
  readonly node: string
  readonly napi?: string | undefined
}): void {
  if (Number(versions.napi) >= NEEDED_NAPI) return
  throw new PrecisError(
    'wrong-node',
    `precis needs Node 22.19 or later, and this is Node ${versions.node}.`,
    { hint: 'Start it with a newer Node; in a checkout, npm scripts and npx bring their own.' },
  )
}

checkNode(process.versions)
