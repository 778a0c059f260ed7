// Messages between the store and its database thread.
import { type ErrorCode, PrecisError } from '../../core/errors.ts'
import type { LeaseKey, LeaseRequest } from '../leases.ts'
import type { ChainAnswer } from '../rows/hash-chain.ts'
import type { ListQuery, ThreadCells } from '../rows/pages.ts'
import type { Range, StepAnswer } from '../rows/read-in-steps.ts'
import type { AppendRequest, ForkRequest, WriteAnswer } from '../rows/requests.ts'
import type { SnapshotCells, StoredEvent } from '../rows/stored-event.ts'
import type { SearchHit, SearchRequest } from '../search/search-index.ts'
import type { Opening } from './prepare-file.ts'

export interface WorkerOptions extends Opening {
  readonly path: string
  /** How long a call may wait for other processes before it fails with `store-busy`. */
  readonly busyTimeoutMs: number
  /** How often to poll for changes by other processes while a thread is followed. */
  readonly pollMs: number
}

export interface ReadRequest {
  readonly threadId: string
  readonly ranges: readonly Range[]
  readonly limit: number
}

export interface FindRequest {
  readonly search: SearchRequest
  readonly count: number
  readonly hasAllWords: boolean
}

/** Every call with its argument and result. */
export interface Calls {
  append: { readonly request: AppendRequest; readonly answer: WriteAnswer }
  fork: { readonly request: ForkRequest; readonly answer: WriteAnswer }
  delete: { readonly request: { readonly threadId: string }; readonly answer: boolean }
  read: { readonly request: ReadRequest; readonly answer: StepAnswer }
  readChain: { readonly request: ReadRequest; readonly answer: ChainAnswer }
  countStrays: { readonly request: Record<never, never>; readonly answer: number }
  findEvent: {
    readonly request: { readonly threadId: string; readonly id: string }
    readonly answer?: StoredEvent
  }
  info: { readonly request: { readonly threadId: string }; readonly answer?: ThreadCells }
  snapshot: {
    readonly request: { readonly threadId: string; readonly foldVersion: number }
    readonly answer?: SnapshotCells
  }
  list: { readonly request: ListQuery; readonly answer: readonly ThreadCells[] }
  takeLease: { readonly request: { readonly lease: LeaseRequest }; readonly answer: boolean }
  releaseLease: { readonly request: { readonly lease: LeaseKey }; readonly answer?: undefined }
  knowsOwners: { readonly request: Record<never, never>; readonly answer: boolean }
  learnOwners: { readonly request: Record<never, never>; readonly answer: boolean }
  isBehind: { readonly request: Record<never, never>; readonly answer: boolean }
  indexMore: { readonly request: Record<never, never>; readonly answer: boolean }
  clearIndex: { readonly request: Record<never, never>; readonly answer?: undefined }
  find: { readonly request: FindRequest; readonly answer: readonly SearchHit[] }
  close: { readonly request: Record<never, never>; readonly answer?: undefined }
}

export type CallName = keyof Calls
export type RequestOf<N extends CallName> = { readonly name: N } & Calls[N]['request']
export type AnswerOf<N extends CallName> = Calls[N]['answer']
export type Request = { [N in CallName]: RequestOf<N> }[CallName]

export type ToWorker =
  | { readonly call: number; readonly request: Request }
  | { readonly watch: string }
  | { readonly unwatch: string }

export type FromWorker =
  | { readonly ready: true }
  | { readonly call: number; readonly answer: unknown }
  | { readonly call: number; readonly error: PlainError }
  | { readonly unopened: PlainError }
  | { readonly changed: readonly string[] } // threads that another connection may have changed

/** A PrecisError in transfer between threads, which loses classes. */
export interface PlainError {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string | undefined
  readonly where: string | undefined
  readonly retryable: boolean
  readonly details: Readonly<Record<string, unknown>>
}

export function toPlainError(error: PrecisError): PlainError {
  const { code, message, hint, where, retryable, details } = error
  return { code, message, hint, where, retryable, details }
}

export function fromPlainError(plain: PlainError): PrecisError {
  const { code, message, hint, where, retryable, details } = plain
  return new PrecisError(code, message, {
    retryable,
    details,
    ...(hint !== undefined && { hint }),
    ...(where !== undefined && { where }),
  })
}
