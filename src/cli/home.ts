// The user's own store with everything on it: for the commands that work on threads.
import { join } from 'node:path'
import { type Composed, compose } from '../compose.ts'
import type { Settings } from '../core/settings.ts'
import { openStore } from '../stores/open-store.ts'
import { type Environment, stateFolder } from './settings.ts'

const FILE = 'threads.db'

/** `sqlite` is the file in the folder for state; anything else is the address of a store. */
export async function openHome(settings: Settings, environment: Environment): Promise<Composed> {
  const address =
    settings.store === 'sqlite'
      ? `sqlite:${join(await stateFolder(environment), FILE)}`
      : settings.store === 'memory'
        ? 'memory:'
        : settings.store
  return compose({ store: await openStore(address), settings, environment })
}
