// Removes lone surrogates from requests; no provider accepts them (VALID-A21)
import type { Json } from '../core/text/json.ts'
import { isWellFormed, wellFormed as mended } from '../core/text/well-formed.ts'

/** The same value if nothing is wrong with it; otherwise a copy in which each half is a `�`. */
export function wellFormed<T extends Json>(value: T, note: (problem: string) => void): T {
  if (isWellFormed(value)) return value
  note('half characters were replaced')
  return mended(value) as T
}
