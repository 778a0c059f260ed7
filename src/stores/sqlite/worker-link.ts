// The store's end of its database thread: calls, answers, a limit on waiting calls, and the thread's death.
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { missingPeer, PrecisError } from '../../core/errors.ts'
import { storeClosed } from '../errors.ts'
import { Backpressure } from '../rows/backpressure.ts'
import {
  type AnswerOf,
  type CallName,
  type FromWorker,
  fromPlainError,
  type RequestOf,
  type ToWorker,
  type WorkerOptions,
} from './protocol.ts'

interface Waiting {
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: PrecisError) => void
}

/** Messages the thread sends by itself. */
export interface LinkEvents {
  /** Other connections may have changed these threads. */
  readonly onChanged: (threadIds: readonly string[]) => void
  /** No further call will succeed. */
  readonly onEnd: () => void
}

/** Next to this file, as source or build: the compiler does not rewrite worker addresses. */
const WORKER = new URL(`./worker${extname(import.meta.url)}`, import.meta.url)

/** Resolves when the database is open. Only tests pass another `script`. */
export async function startWorker(
  options: WorkerOptions,
  events: LinkEvents,
  script: URL = WORKER,
): Promise<WorkerLink> {
  // Drop flags of the process: some, like `--input-type`, would keep the thread from starting.
  const worker = new Worker(script, { workerData: options, name: 'precis-sqlite', execArgv: [] })
  const link = new WorkerLink(worker, options.path, events)
  await link.opened
  return link
}

export class WorkerLink {
  readonly opened: Promise<void>
  readonly #worker: Worker
  readonly #path: string
  readonly #events: LinkEvents
  readonly #waiting = new Map<number, Waiting>()
  readonly #exited: Promise<void>
  readonly #crowd: Backpressure
  #calls = 0
  #holds = 1 // reasons to keep the process alive; the first is opening
  #error: PrecisError | undefined // why no further call will succeed
  #closing: Promise<void> | undefined

  constructor(worker: Worker, path: string, events: LinkEvents) {
    this.#worker = worker
    this.#path = path
    this.#events = events
    this.#crowd = new Backpressure(path)
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()))
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.opened = promise.finally(() => this.release())
    worker.on('message', (message: FromWorker) => {
      if ('ready' in message) resolve()
      else if ('unopened' in message) reject(fromPlainError(message.unopened))
      else if ('changed' in message) events.onChanged(message.changed)
      else this.#settle(message)
    })
    worker.on('error', (error) => {
      this.#error ??= missingPeer('better-sqlite3', error)
      this.#die(error.message)
    })
    worker.on('exit', (code) => {
      this.#die(`exit code ${code}`)
      reject(this.#error)
    })
  }

  call<N extends CallName>(request: RequestOf<N>): Promise<AnswerOf<N>> {
    const error = this.#closing ? storeClosed() : this.#error
    if (error) return Promise.reject(error)
    const length = 'length' in request ? Number(request.length) : 0
    try {
      this.#crowd.enter(length)
    } catch (crowded) {
      return Promise.reject(crowded)
    }
    return this.#post(request).finally(() => this.#crowd.leave(length))
  }

  /** Reports changes by other connections to this thread, until `unwatch`. */
  watch(threadId: string): void {
    this.hold()
    this.#worker.postMessage({ watch: threadId } satisfies ToWorker)
  }

  unwatch(threadId: string): void {
    this.release()
    this.#worker.postMessage({ unwatch: threadId } satisfies ToWorker)
  }

  /** Answers waiting calls, then ends the thread. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** An idle store does not keep the process alive. */
  hold(): void {
    this.#holds += 1
    if (this.#holds === 1) this.#worker.ref()
  }

  release(): void {
    this.#holds -= 1
    if (this.#holds === 0) this.#worker.unref()
  }

  async #close(): Promise<void> {
    if (this.#error === undefined) await this.#post({ name: 'close' })
    this.hold()
    // The database is closed by now; a module that is still loading must not delay the end.
    await this.#worker.terminate()
    await this.#exited
    this.#events.onEnd()
  }

  #post<N extends CallName>(request: RequestOf<N>): Promise<AnswerOf<N>> {
    this.#calls += 1
    const call = this.#calls
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.set(call, { resolve, reject })
    this.hold()
    this.#worker.postMessage({ call, request })
    return promise as Promise<AnswerOf<N>>
  }

  #settle(message: Extract<FromWorker, { readonly call: number }>): void {
    const waiting = this.#waiting.get(message.call)
    if (!waiting) return
    this.#waiting.delete(message.call)
    this.release()
    if ('error' in message) waiting.reject(fromPlainError(message.error))
    else waiting.resolve(message.answer)
  }

  #die(reason: string): void {
    if (this.#error) return
    const error = new PrecisError('store-failed', `The database thread ended (${reason}).`, {
      hint: 'Reopen the store; confirmed appends are stored, and you can repeat this one.',
      where: this.#path,
      retryable: true,
      details: { reason },
    })
    this.#error = error
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
    this.#events.onEnd()
  }
}
