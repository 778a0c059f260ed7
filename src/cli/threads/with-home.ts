// Runs something on the user's own store, and closes it whatever happens.
import type { Composed } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'
import type { ResolvedSettings } from '../../core/settings/settings.ts'
import type { Io } from '../process-io.ts'
import { loadSettings } from '../settings/settings.ts'
import { openHome } from './home.ts'

export async function withHome<T>(
  io: Io,
  work: (home: Composed, resolved: ResolvedSettings) => Promise<T>,
): Promise<T> {
  const resolved = loadSettings(io)
  const home = await openHome(resolved.settings, io)
  try {
    return await work(home, resolved)
  } catch (thrown) {
    throw withListing(thrown)
  } finally {
    await home.close()
  }
}

/** On a command line there is a command that lists the threads. */
function withListing(thrown: unknown): unknown {
  if (!PrecisError.is(thrown) || thrown.code !== 'unknown-thread') return thrown
  const { code, message, where } = thrown
  return new PrecisError(code, message, {
    ...(where !== undefined && { where }),
    hint: 'precis threads lists those in the store.',
    cause: thrown,
  })
}
