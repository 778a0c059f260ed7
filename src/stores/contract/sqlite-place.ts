// Folders and SQLite stores that live as long as a test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../core/ports.ts'
import { openSqliteStore } from '../sqlite/store.ts'
import { message, type StorePlace } from './place.ts'

export async function sqlitePlace(): Promise<StorePlace> {
  const folder = temporaryFolder()
  const address = join(folder, 'log.db')
  const opened: Store[] = []
  const again = async (): Promise<Store> => {
    const store = await openSqliteStore(address, { pollMs: 20 })
    opened.push(store)
    return store
  }
  const remove = async (): Promise<void> => {
    for (const store of opened) await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { store: await again(), again, address, remove }
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'precis-'))
}

/** Runs a test in a folder of its own. */
export async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder()
  try {
    await test(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A store with a thread `t` of so many events, closed again. */
export async function fillStore(path: string, count: number): Promise<void> {
  const store = await openSqliteStore(path)
  const ids = Array.from({ length: count }, (_, index) => `e${index}`)
  const events = ids.map((id) => message('t', id, 'x'.repeat(500)))
  await store.append('t', events, { expectedVersion: 0 })
  await store.close()
}
