// The database thread: SQLite calls block only this thread.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import { storeFailure } from './failures.ts'
import { fork, remove } from './fork.ts'
import { openDatabase } from './open-database.ts'
import {
  type FromWorker,
  type Request,
  type ToWorker,
  toPlainError,
  type WorkerOptions,
} from './protocol.ts'
import { find, findEvent, info, list, OutsideChanges, read, readChain, snapshot } from './read.ts'
import { buildTables, type Tables } from './tables.ts'
import { commitTogether, WorkQueue } from './work-queue.ts'
import { append } from './writes.ts'

const WRITES: ReadonlySet<string> = new Set([
  'append',
  'fork',
  'delete',
  'takeLease',
  'releaseLease',
  'indexMore',
  'clearIndex',
  'learnOwners',
])
/** These need the codec. */
const INDEXING: ReadonlySet<string> = new Set(['indexMore', 'learnOwners'])

/** Large, and rarely needed: most stores are never searched. */
let indexing: Readonly<Record<'indexMore' | 'learnOwners', (tables: Tables) => boolean>> | undefined
let loading: Promise<void> | undefined

if (parentPort) start(parentPort, workerData as WorkerOptions)

function start(port: MessagePort, options: WorkerOptions): void {
  const { path, busyTimeoutMs } = options
  const send = (message: FromWorker) => port.postMessage(message)
  try {
    const db = openDatabase(path, busyTimeoutMs, options)
    serve(port, db, options, send)
    send({ ready: true })
  } catch (thrown) {
    send({ unopened: toPlainError(storeFailure(thrown, path)) })
    port.close()
  }
}

function serve(
  port: MessagePort,
  db: Database,
  { path, busyTimeoutMs, pollMs }: WorkerOptions,
  send: (message: FromWorker) => void,
): void {
  const tables = buildTables(db)
  const changes = new OutsideChanges(db, tables, pollMs, (changed) => send({ changed }))
  const queue = new WorkQueue((writes) => commitTogether(db, writes))

  const take = (call: number, request: Request): void => {
    if (!indexing && (INDEXING.has(request.name) || (request.name === 'close' && loading))) {
      loading ??= import('./index-more.ts').then(({ indexMore, learnOwners }) => {
        indexing = { indexMore, learnOwners }
      })
      void loading.then(() => {
        take(call, request)
        queue.run()
      })
      return
    }
    if (request.name === 'close') {
      queue.whenEmpty(() => end(call))
      return
    }
    const work = {
      run: () => perform(tables, request),
      length: 'length' in request ? request.length : 0,
      deadline: performance.now() + busyTimeoutMs,
      done: (outcome: { readonly value: unknown } | { readonly thrown: unknown }) => {
        if ('value' in outcome) send({ call, answer: outcome.value })
        else send({ call, error: toPlainError(storeFailure(outcome.thrown, path)) })
      },
    }
    if (WRITES.has(request.name)) queue.addWrite(work)
    else queue.addRead(work)
  }

  const end = (call: number): void => {
    changes.stop()
    db.close()
    send({ call, answer: undefined })
    port.close()
  }

  port.on('message', (first: ToWorker) => {
    // Take everything that has arrived, so that writes share a transaction.
    let message: ToWorker | undefined = first
    while (message) {
      if ('watch' in message) changes.watch(message.watch)
      else if ('unwatch' in message) changes.unwatch(message.unwatch)
      else take(message.call, message.request)
      message = receiveMessageOnPort(port)?.message
    }
    queue.run()
  })
}

function perform(tables: Tables, request: Request): unknown {
  switch (request.name) {
    case 'append':
      return append(tables, request)
    case 'fork':
      return fork(tables, request)
    case 'delete':
      return remove(tables, request)
    case 'read':
      return read(tables, request)
    case 'readChain':
      return readChain(tables, request)
    case 'countStrays':
      return tables.events.countStrays()
    case 'findEvent':
      return findEvent(tables, request)
    case 'info':
      return info(tables, request)
    case 'snapshot':
      return snapshot(tables, request)
    case 'list':
      return list(tables, request)
    case 'takeLease':
      return tables.leases.take(request.lease, Date.now())
    case 'releaseLease':
      return tables.leases.release(request.lease)
    case 'isBehind':
      return tables.search.isBehind()
    case 'indexMore':
      return indexing?.indexMore(tables)
    case 'knowsOwners':
      return tables.owners.isKnown()
    case 'learnOwners':
      return indexing?.learnOwners(tables)
    case 'clearIndex':
      return tables.search.clear()
    case 'find':
      return find(tables, request)
    case 'close':
      return undefined
  }
}
