// Pages of the list of threads: latest first, and a cursor that names the last one seen.
import type { ListOptions } from '../../core/ports.ts'
import { usageError } from '../errors.ts'
import { checkOwners } from '../search/search-request.ts'
import { LIMITS } from './limits.ts'
import { checkNumber } from './stored-event.ts'

/** Where a thread stands in the list: when it last changed (ms since 1970), then its id. */
export type ListPlace = readonly [updatedAt: number, threadId: string]

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
