// Starts the thread that searches without ripgrep, and ends it when its time is over.
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { PrecisError } from '../../core/errors.ts'
import type { Signal } from '../../core/ports.ts'
import { compilePattern } from './files.ts'
import type { Found, Hit, SearchRequest } from './find.ts'
import { wrongPattern } from './ripgrep.ts'

/** Beside this file, as source or as build: the compiler does not rewrite addresses of workers. */
const WORKER = new URL(`./worker${extname(import.meta.url)}`, import.meta.url)

export async function searchByWorker(request: SearchRequest, signal: Signal): Promise<Found> {
  requirePattern(request.pattern)
  const hits: Hit[] = []
  let stopped: Found['stopped']
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  // Flags of the process, `--input-type` for one, could keep the thread from starting.
  const worker = new Worker(WORKER, { workerData: request, name: 'precis-search', execArgv: [] })
  worker.on('message', (more: readonly Hit[]) => hits.push(...more))
  worker.on('error', ({ message }) =>
    reject(new PrecisError('internal', `The search failed: ${message}`)),
  )
  worker.on('exit', () => resolve())
  const stop = () => void worker.terminate()
  const timer = setTimeout(() => {
    stopped = 'time'
    stop()
  }, request.limits.timeMs)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    await ended
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
  if (hits.length > request.limits.hits)
    return { hits: hits.slice(0, request.limits.hits), stopped: 'hits' }
  return { hits, ...(stopped && { stopped }) }
}

/** Only compiled here: it is the matching that may never end. */
function requirePattern(pattern: string): void {
  try {
    compilePattern(pattern)
  } catch (error) {
    throw wrongPattern(error instanceof Error ? error.message : String(error))
  }
}
