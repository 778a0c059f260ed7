// Pages of threads and rows: cursors, thread rows of databases, rows per page.
import type { ListOptions, Page, Row, ThreadInfo } from '../../core/ports.ts'
import { usageError } from '../errors.ts'
import { LIMITS } from './limits.ts'
import type { Parent } from './requests.ts'
import { checkNumber, checkOwners } from './stored-event.ts'

/** The position of a thread in the list: last change (ms since 1970), then id. */
export type ListPlace = readonly [updatedAt: number, threadId: string]

/** The row of a thread; for `base…` and `parent…` see the schema of SQLite. */
export interface ThreadRow {
  readonly key: number
  readonly threadId: string
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly parentId: string | null
  readonly parentSeq: number | null
  readonly baseKey: number | null
  readonly baseSeq: number
  readonly head: string | null // the last hash of its events
}

export interface ListQuery {
  readonly after?: ListPlace
  readonly limit: number
  readonly owners?: readonly string[]
}

export function readListOptions({ after, owners, ...options }: ListOptions): ListQuery {
  const limit = options.limit ?? LIMITS.defaultPageSize
  checkNumber('the limit of a list', limit, 1, LIMITS.pageSize)
  checkOwners(owners)
  return {
    limit,
    ...(after !== undefined && { after: decodeCursor(after) }),
    ...(owners && { owners }),
  }
}

export function encodeCursor(place: ListPlace): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

function decodeCursor(text: string): ListPlace {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    value = undefined
  }
  if (Array.isArray(value) && value.length === 2) {
    const [updatedAt, threadId]: unknown[] = value
    if (Number.isSafeInteger(updatedAt) && typeof threadId === 'string') {
      return [Number(updatedAt), threadId]
    }
  }
  throw usageError(
    'The cursor is not valid for the list of threads.',
    'Pass `next` of the page before, unchanged, or nothing for the first page.',
  )
}

const FIRST_ROWS = 16
const MOST_ROWS = 500
/** Target size of a page in characters. */
const PAGE_LENGTH = 4 * 1024 * 1024

/** How many rows of a log to read at a time: fewer if they are long, so a page fits into memory. */
export class PageRows {
  #rows = FIRST_ROWS

  /** Rows of the next page. */
  get rows(): number {
    return this.#rows
  }

  /** Adapts to a page that was read. Grows in small steps, since rows may suddenly get longer. */
  learn(page: readonly Row[]): void {
    const length = page.reduce(
      (sum, { data, source }) => sum + measureLength(data) + measureLength(source),
      0,
    )
    const fitting = Math.floor((page.length * PAGE_LENGTH) / Math.max(1, length))
    this.#rows = Math.max(1, Math.min(fitting, 2 * this.#rows, MOST_ROWS))
  }
}

/** Characters of all strings in a value: close enough to the length of its JSON. */
function measureLength(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, each) => sum + measureLength(each), 1)
}

/** The cells of a thread's row, and pages of the list of threads. */
export interface ThreadCells {
  readonly threadId: string
  readonly version: number
  readonly createdAt: number // ms since 1970
  readonly updatedAt: number
  readonly parent?: Parent
}

export function readInfo({ createdAt, updatedAt, ...rest }: ThreadCells): ThreadInfo {
  return { ...rest, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) }
}

/** `found` has one more than requested, to tell whether another page follows. */
export function buildPage(found: readonly ThreadCells[], limit: number): Page<ThreadInfo> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  if (!last || found.length <= limit) return { items: items.map(readInfo) }
  return { items: items.map(readInfo), next: encodeCursor([last.updatedAt, last.threadId]) }
}
