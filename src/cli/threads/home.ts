// The user's own store with everything on it: for the commands that work on threads.
import { join } from 'node:path'
import { type Composed, compose } from '../../compose.ts'
import type { JobQueue } from '../../core/ports.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { openJobs } from '../../stores/open-jobs.ts'
import { openStore } from '../../stores/open-store.ts'
import { type Surroundings, stateFolder } from '../settings/settings.ts'

const FILE = 'threads.db'

export interface Home extends Composed {
  /** The queue of the store, for an agent; opened when it is first asked for, and closed with the rest. */
  jobs(): Promise<JobQueue>
}

/** `sqlite` is the file in the folder for state; anything else is the address of a store. */
export async function openHome(settings: Settings, io: Surroundings): Promise<Home> {
  const { cwd, environment } = io
  const address =
    settings.store === 'sqlite'
      ? `sqlite:${join(await stateFolder(io), FILE)}`
      : settings.store === 'memory'
        ? 'memory:'
        : settings.store
  const store = await openStore(address, { cwd })
  const composed = compose({ store, settings, environment })
  let opening: Promise<JobQueue> | undefined
  return {
    ...composed,
    jobs() {
      opening ??= openJobs(address, store)
      return opening
    },
    async close() {
      // One that could not be opened was told to whoever asked for it.
      const jobs = await opening?.catch(() => undefined)
      await jobs?.close()
      await composed.close()
    },
  }
}
