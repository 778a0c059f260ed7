// What the suite needs to know of a store, folders that live as long as a test, and small events to fill them with.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ErrorCode } from '../../core/errors.ts'
import type { NewEventOf } from '../../core/log/event.ts'
import type { Row, Store } from '../../core/ports.ts'
import { openSqliteStore } from '../sqlite/store.ts'

/** An empty place for logs, with an open store. */
export interface StorePlace {
  readonly store: Store
  /** Opens another store on the same place; only where the factory is `durable`. */
  again(): Promise<Store>
  /** What `openStore` takes in another process; only where the factory is `durable`. */
  readonly address?: string
  /** Closes what is open and removes all files. */
  remove(): Promise<void>
}

export interface StoreFactory {
  /** Whether logs outlive the store and several stores can be open on one place. */
  readonly durable: boolean
  create(): Promise<StorePlace>
}

/** A test with its own place. */
export function on(
  factory: StoreFactory,
  test: (store: Store, place: StorePlace) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const place = await factory.create()
    try {
      await test(place.store, place)
    } finally {
      await place.remove()
    }
  }
}

export const NOON = Date.UTC(2026, 0, 2, 12)

export function message(threadId: string, id: string, text = id): NewEventOf<'USER_MESSAGE'> {
  const timestamp = new Date(NOON + id.length)
  return { v: 2, id, threadId, timestamp, type: 'USER_MESSAGE', data: text }
}

export function messages(threadId: string, ...ids: string[]): NewEventOf<'USER_MESSAGE'>[] {
  return ids.map((id) => message(threadId, id))
}

/** Rows as `1a 2b`: number and id. */
export function brief(rows: readonly Row[]): string {
  return rows.map((row) => `${row.seq}${row.id}`).join(' ')
}

export async function expectError(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error, `expected ${code}`).toMatchObject({ name: 'PrecisError', code })
  expect(error).toHaveProperty('hint', expect.any(String))
}

/** A signal for followers and the function that fires it. */
export function cancel(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

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

/** Runs a test in its own folder. */
export async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder()
  try {
    await test(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Creates a store whose thread `t` has `count` events, and closes it. */
export async function fillStore(path: string, count: number): Promise<void> {
  const store = await openSqliteStore(path)
  const ids = Array.from({ length: count }, (_, index) => `e${index}`)
  const events = ids.map((id) => message('t', id, 'x'.repeat(500)))
  await store.append('t', events, { expectedVersion: 0 })
  await store.close()
}
